// Plain and compressed bytes. The inflater checks lengths and checksums, and gives up on what is nothing but expansion.
#include "readers/bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <utility>

#include <obverse/error.h>

namespace obverse {
namespace {

constexpr std::size_t kInputBytes = std::size_t{256} << 10;

[[noreturn]] void refuse(const std::string& path, std::string_view why) {
  throw Error(Fault::input, cat(path, ": ", why));
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = ::write(descriptor, bytes.data(), bytes.size());
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote < 0) refuse(kStandardInput, cat("cannot be copied to a temporary file: ", std::strerror(errno)));
    bytes.remove_prefix(static_cast<std::size_t>(wrote));
  }
}

/// A pipe can be read once, a file without a name as often as a reader likes.
int copied_standard_input() {
  if (::isatty(STDIN_FILENO) != 0) {
    refuse(kStandardInput,
           "expected data on standard input, found a terminal: pipe them in, as `obverse info - < data.csv` does");
  }
  std::FILE* const file = std::tmpfile();
  if (file == nullptr) refuse(kStandardInput, cat("no temporary file for it: ", std::strerror(errno)));
  const int copy = ::fcntl(::fileno(file), F_DUPFD_CLOEXEC, 0);
  std::fclose(file);
  std::vector<char> buffer(kInputBytes);
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) refuse(kStandardInput, cat("cannot be read: ", std::strerror(errno)));
    if (got == 0) return copy;
    write_all(copy, {buffer.data(), static_cast<std::size_t>(got)});
  }
}

/// An open file and its size.
struct File {
  std::string path;
  int descriptor = -1;
  std::uint64_t size = 0;

  explicit File(std::string name) : path(std::move(name)), descriptor(open_descriptor(path)) {
    struct stat status {};
    const int rc = ::fstat(descriptor, &status);
    std::string why;
    if (rc != 0) {
      why = std::strerror(errno);
    } else if (S_ISDIR(status.st_mode)) {
      why = "this is a directory; name a file in it";
    } else if (!S_ISREG(status.st_mode)) {
      why = "expected a file on disk, found a pipe or device; write the data to a file first, or pipe them to `-`";
    } else if (status.st_size == 0) {
      why = "the file is empty";
    }
    if (!why.empty()) {
      ::close(descriptor);
      refuse(path, why);
    }
    size = static_cast<std::uint64_t>(status.st_size);
  }
  ~File() {
    if (descriptor >= 0) ::close(descriptor);
  }
  File(File&& other) noexcept
      : path(std::move(other.path)), descriptor(std::exchange(other.descriptor, -1)), size(other.size) {}
  File& operator=(File&&) = delete;
};

class SliceStream final : public ByteStream {
 public:
  SliceStream(std::shared_ptr<const File> file, std::shared_ptr<ReadBudget> budget, std::uint64_t offset,
              std::uint64_t count)
      : ByteStream(file->path, std::move(budget)), file_(std::move(file)), at_(offset), size_(count), left_(count) {}

  std::uint64_t most_bytes() const override { return size_; }
  bool compressed() const override { return false; }

 protected:
  std::size_t pull(std::span<char> out) override {
    const auto wanted = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
    for (;;) {
      const ssize_t got = ::pread(file_->descriptor, out.data(), wanted, static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(path(), cat("cannot be read: ", std::strerror(errno)));
      at_ += static_cast<std::uint64_t>(got);
      left_ -= static_cast<std::uint64_t>(got);
      return static_cast<std::size_t>(got);
    }
  }

 private:
  std::shared_ptr<const File> file_;
  std::uint64_t at_;
  std::uint64_t size_;
  std::uint64_t left_;
};

/// The packings that zlib knows: a gzip file, or a bare zlib stream.
enum class Packing { gzip, zlib };

class InflatedStream final : public ByteStream {
 public:
  InflatedStream(std::unique_ptr<ByteStream> source, Packing packing)
      : ByteStream(source->path(), source->shared_budget()),
        source_(std::move(source)),
        packing_(packing),
        input_(std::min<std::uint64_t>(kInputBytes, source_->most_bytes() + 1)) {
    const int rc = inflateInit2(&state_, packing == Packing::gzip ? 16 + MAX_WBITS : MAX_WBITS);
    if (rc == Z_MEM_ERROR) throw std::bad_alloc();
    if (rc != Z_OK) throw Error(Fault::internal, "zlib cannot be started");
  }
  ~InflatedStream() override { inflateEnd(&state_); }

  std::uint64_t most_bytes() const override { return source_->most_bytes() * kMostInflation; }
  bool compressed() const override { return true; }

 protected:
  std::size_t pull(std::span<char> out) override {
    state_.next_out = reinterpret_cast<Bytef*>(out.data());
    state_.avail_out = static_cast<uInt>(std::min<std::size_t>(out.size(), std::size_t{1} << 30));
    const uInt room = state_.avail_out;
    while (state_.avail_out == room && !ended_) inflate_some();
    const std::size_t made = room - state_.avail_out;
    made_ += made;
    budget().check_inflated(made_, taken_ - state_.avail_in);
    return made;
  }

 private:
  void inflate_some() {
    if (state_.avail_in == 0) refill();
    const int rc = inflate(&state_, Z_NO_FLUSH);
    if (rc == Z_STREAM_END) {
      next_member();
    } else if (rc == Z_BUF_ERROR || (rc == Z_OK && state_.avail_in == 0 && at_end_ && state_.avail_out > 0)) {
      refuse(path(), cat(what(), " ends too early; was it copied completely?"));
    } else if (rc == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (rc != Z_OK) {
      refuse(path(), cat(what(), " is damaged (", state_.msg != nullptr ? state_.msg : "zlib error", ")"));
    }
  }

  void refill() {
    const std::size_t got = source_->read(input_);
    at_end_ = got < input_.size();
    taken_ += got;
    state_.next_in = reinterpret_cast<Bytef*>(input_.data());
    state_.avail_in = static_cast<uInt>(got);
  }

  /// Files that were written one after another are one file; anything else behind the end is padding.
  void next_member() {
    if (state_.avail_in == 0 && !at_end_) refill();
    ended_ = packing_ == Packing::zlib || state_.avail_in == 0 || *state_.next_in != 0x1F;
    if (!ended_) inflateReset(&state_);
  }

  std::string_view what() const { return packing_ == Packing::gzip ? "the gzip file" : "a compressed part"; }

  std::unique_ptr<ByteStream> source_;
  Packing packing_;
  std::vector<char> input_;
  z_stream state_{};
  std::uint64_t taken_ = 0;
  std::uint64_t made_ = 0;
  bool at_end_ = false;
  bool ended_ = false;
};

}  // namespace

std::size_t ByteStream::read(std::span<char> out) {
  std::size_t done = std::min(out.size(), ahead_.size() - used_);
  std::copy_n(ahead_.data() + used_, done, out.data());
  used_ += done;
  if (used_ == ahead_.size() && used_ > 0) {
    ahead_ = {};
    used_ = 0;
  }
  while (done < out.size()) {
    const std::size_t got = pull(out.subspan(done));
    if (got == 0) break;
    done += got;
  }
  return done;
}

void ByteStream::read_exactly(std::span<char> out, std::string_view what) {
  const std::size_t got = read(out);
  if (got == out.size()) return;
  refuse(path_, cat("the file ends in the middle of ", what, ": expected ", out.size(), " more bytes, found ", got,
                    "; was it copied completely?"));
}

std::string_view ByteStream::peek(std::size_t count) {
  while (ahead_.size() - used_ < count) {
    const std::size_t before = ahead_.size();
    ahead_.resize(used_ + count);
    const std::size_t got = pull(std::span(ahead_).subspan(before));
    ahead_.resize(before + got);
    if (got == 0) break;
  }
  return {ahead_.data() + used_, std::min(count, ahead_.size() - used_)};
}

void ByteStream::skip(std::size_t count) {
  peek(count);
  used_ += std::min(count, ahead_.size() - used_);
}

void ByteStream::expect_end(std::string_view what) {
  if (peek(1).empty()) return;
  refuse(path_, cat("the file goes on after ", what, ", which its header does not say; is it damaged?"));
}

int open_descriptor(const std::string& path) {
  if (path == kStandardInput) {
    static const int copy = copied_standard_input();
    return ::fcntl(copy, F_DUPFD_CLOEXEC, 0);
  }
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor >= 0) return descriptor;
  if (errno == ENOENT || errno == ENOTDIR) refuse(path, "there is no such file; is the path right?");
  if (errno == EACCES || errno == EPERM) refuse(path, "no permission to read the file");
  refuse(path, cat("cannot be opened: ", std::strerror(errno)));
}

std::unique_ptr<ByteStream> open_bytes(const std::string& path, std::uint64_t max_memory) {
  const auto file = std::make_shared<const File>(path);
  const auto budget = std::make_shared<ReadBudget>(path, file->size, max_memory);
  std::unique_ptr<ByteStream> bytes = std::make_unique<SliceStream>(file, budget, 0, file->size);
  if (bytes->peek(3) != "\x1F\x8B\x08") return bytes;
  bytes = std::make_unique<InflatedStream>(std::move(bytes), Packing::gzip);
  if (bytes->peek(1).empty()) refuse(path, "the gzip file holds an empty file");
  return bytes;
}

struct FileSlices::Handle {
  // Clang 14 makes no aggregate from arguments in parentheses, as make_shared hands them on.
  Handle(File its_file, std::shared_ptr<ReadBudget> its_budget)
      : file(std::move(its_file)), budget(std::move(its_budget)) {}
  File file;
  std::shared_ptr<ReadBudget> budget;
};

FileSlices::FileSlices(const ByteStream& file)
    : handle_(std::make_shared<const Handle>(File(file.path()), file.shared_budget())) {}
FileSlices::~FileSlices() = default;

std::uint64_t FileSlices::size() const { return handle_->file.size; }

std::unique_ptr<ByteStream> FileSlices::slice(std::uint64_t offset, std::uint64_t count) const {
  const std::shared_ptr<const File> file(handle_, &handle_->file);
  return std::make_unique<SliceStream>(file, handle_->budget, offset, count);
}

std::unique_ptr<ByteStream> inflated_bytes(std::unique_ptr<ByteStream> source) {
  return std::make_unique<InflatedStream>(std::move(source), Packing::zlib);
}

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b, const std::string& path, std::string_view what) {
  if (b != 0 && a > UINT64_MAX / b)
    refuse(path, cat("its header claims ", what, " that no file can hold; is it damaged?"));
  return a * b;
}

void check_claim(const ByteStream& bytes, std::uint64_t items, std::uint64_t item_bytes, std::string_view what) {
  const std::uint64_t claimed = checked_product(items, item_bytes, bytes.path(), what);
  if (claimed <= bytes.most_bytes()) return;
  refuse(bytes.path(), cat("its header claims ", what, " of ", claimed, " bytes, but the file can hold ",
                           bytes.most_bytes(), " at most; is it damaged or cut short?"));
}

}  // namespace obverse
