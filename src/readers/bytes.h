// Bytes of a file one after another, inflated on the way where the file is gzipped. Nothing here trusts a size that
// stands in the file itself.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "readers/budget.h"

namespace obverse {

/// Deflate cannot make more than 1032 bytes out of one.
inline constexpr std::uint64_t kMostInflation = 1032;

class ByteStream {
 public:
  /// The budget is that of the file, whatever part of it the stream holds.
  ByteStream(std::string path, std::shared_ptr<ReadBudget> budget)
      : path_(std::move(path)), budget_(std::move(budget)) {}
  virtual ~ByteStream() = default;
  ByteStream(const ByteStream&) = delete;
  ByteStream& operator=(const ByteStream&) = delete;

  /// Fills `out`; returns less than its size at the end of the file only.
  std::size_t read(std::span<char> out);
  /// Fills `out` or throws Error with `what` was being read.
  void read_exactly(std::span<char> out, std::string_view what);
  /// The next bytes without taking them: `count` of them, or all that are left.
  std::string_view peek(std::size_t count);
  void skip(std::size_t count);
  /// Throws Error unless the file ends here.
  void expect_end(std::string_view what);

  /// No more bytes than this can come from the start of the file to its end.
  virtual std::uint64_t most_bytes() const = 0;
  virtual bool compressed() const = 0;
  const std::string& path() const { return path_; }
  ReadBudget& budget() const { return *budget_; }
  const std::shared_ptr<ReadBudget>& shared_budget() const { return budget_; }

 protected:
  /// Some bytes, at least one unless the end is reached.
  virtual std::size_t pull(std::span<char> out) = 0;

 private:
  std::string path_;
  std::shared_ptr<ReadBudget> budget_;
  std::vector<char> ahead_;  ///< peeked and not yet read, from `used_` on
  std::size_t used_ = 0;
};

/// The path that stands for standard input.
inline constexpr const char* kStandardInput = "-";

/// A descriptor for libraries that read files themselves; the caller closes it, and seeks before reading.
int open_descriptor(const std::string& path);

/// Throws Error for a missing, empty or unreadable file, and for what is no file. `max_memory`: as in ReadBudget.
std::unique_ptr<ByteStream> open_bytes(const std::string& path, std::uint64_t max_memory = 0);

/// Pieces of a file as streams.
class FileSlices {
 public:
  explicit FileSlices(const ByteStream& file);
  ~FileSlices();
  FileSlices(const FileSlices&) = delete;
  FileSlices& operator=(const FileSlices&) = delete;

  std::uint64_t size() const;
  /// `count` bytes from `offset` on, both inside the file.
  std::unique_ptr<ByteStream> slice(std::uint64_t offset, std::uint64_t count) const;

 private:
  struct Handle;
  std::shared_ptr<const Handle> handle_;
};

/// What a zlib stream inflates to. `source` holds the packed bytes and nothing else.
std::unique_ptr<ByteStream> inflated_bytes(std::unique_ptr<ByteStream> source);

/// Throws Error unless `items` of `item_bytes` each can come from the stream: called before memory is taken for them.
void check_claim(const ByteStream& bytes, std::uint64_t items, std::uint64_t item_bytes, std::string_view what);

/// a * b, or an Error that names what is too large to be true.
std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, const std::string& path, std::string_view what);

}  // namespace obverse
