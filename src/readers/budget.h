// How much memory reading a file may take. A header can claim anything and deflate makes a gigabyte of a megabyte, so
// everything that a reader allocates by what a file says is asked for here first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace obverse {

class ReadBudget {
 public:
  /// `max_memory` is what the user allows; 0: kBytesForEach for each byte on disk, at least kFloor.
  ReadBudget(std::string path, std::uint64_t file_bytes, std::uint64_t max_memory);

  /// Data that people keep stays far below: zeros in a gzipped table, the densest that deflate can pack, reach 1032.
  static constexpr std::uint64_t kBytesForEach = 512;
  static constexpr std::uint64_t kFloor = std::uint64_t{128} << 20;

  /// Called before memory is taken for `items` of `item_bytes` each; throws Error if that is more than may be taken.
  void take(std::uint64_t items, std::uint64_t item_bytes, std::string_view what);
  /// Memory that take() counted and that is free again.
  void give_back(std::uint64_t items, std::uint64_t item_bytes) { taken_ -= items * item_bytes; }
  /// Throws Error for a stream that has made so many bytes of the `packed` ones that it is nothing but expansion.
  void check_inflated(std::uint64_t bytes, std::uint64_t packed) const;

 private:
  [[noreturn]] void refuse(std::string_view what, std::uint64_t bytes) const;

  std::string path_;
  std::uint64_t file_bytes_;
  std::uint64_t bound_;
  bool asked_;  ///< the bound is the user's
  std::uint64_t taken_ = 0;
};

/// Memory that is needed while a reader works, and given back behind it.
class WorkingMemory {
 public:
  WorkingMemory(ReadBudget& budget, std::uint64_t items, std::uint64_t item_bytes, std::string_view what)
      : budget_(budget), items_(items), item_bytes_(item_bytes) {
    budget_.take(items, item_bytes, what);
  }
  ~WorkingMemory() { budget_.give_back(items_, item_bytes_); }
  WorkingMemory(const WorkingMemory&) = delete;
  WorkingMemory& operator=(const WorkingMemory&) = delete;

 private:
  ReadBudget& budget_;
  std::uint64_t items_;
  std::uint64_t item_bytes_;
};

}  // namespace obverse
