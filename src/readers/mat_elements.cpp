// A MAT v5 file is a header of 128 bytes and elements: a tag (type, bytes) and data, padded to eight bytes. A variable
// is an element of type matrix, alone or zlib-compressed, and begins with two elements of its own: flags with its
// class, and its dimensions.
#include "readers/mat_elements.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <span>
#include <vector>

#include <obverse/error.h>

#include "readers/bytes.h"

namespace obverse {
namespace {

constexpr std::uint64_t kHeader = 128;
constexpr std::uint64_t kTag = 8;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
/// Tag, flags, tag, up to 26 dimensions.
constexpr std::size_t kFront = 128;

using Bytes = std::span<const unsigned char>;

/// Bytes of one number in an element of this type.
std::uint64_t number_size(std::uint32_t type) {
  switch (type) {
    case 3:
    case 4:
      return 2;
    case 5:
    case 6:
    case 7:
      return 4;
    case 9:
    case 12:
    case 13:
      return 8;
    default:
      return 1;
  }
}

class ElementCheck {
 public:
  ElementCheck(const std::string& path, std::uint64_t size) : path_(path), size_(size), in_(path, std::ios::binary) {}

  void run() {
    const auto order = read(kHeader - 2, 2);
    big_endian_ = order.size() == 2 && order[0] == 'M';
    check(kHeader, size_, 0);
  }

 private:
  [[noreturn]] void refuse(std::uint64_t at, const std::string& why) const {
    throw Error(Fault::input, cat(path_, ": MAT: at byte ", at, ": ", why, "; is the file damaged or cut short?"));
  }

  /// Returns the number of elements between `at` and `end`.
  int check(std::uint64_t at, std::uint64_t end, int depth) {
    constexpr int kDeepest = 16;
    if (depth > kDeepest) refuse(at, "variables are nested too deeply");
    int count = 0;
    for (; at + kTag <= end; ++count) {
      const auto tag = read(at, kTag);
      if (tag.size() < kTag) break;
      const std::uint32_t type = word(tag, 0);
      const std::uint64_t bytes = word(tag, 4);
      at += kTag;
      if (const std::uint32_t small = type >> 16; small != 0) {  // up to four bytes of data in the tag itself
        if (small > kTag / 2) refuse(at, cat("a tag claims to hold ", small, " bytes"));
        continue;
      }
      if (bytes > end - at) refuse(at, cat("an element claims ", bytes, " bytes where ", end - at, " are left"));
      if (bytes % number_size(type) != 0) refuse(at, cat("an element of ", bytes, " bytes holds a part of a number"));
      if (type == kMatrix) {
        check_matrix(at, bytes, depth);
      } else if (type == kCompressed) {
        const auto front = inflated(read(at, std::min<std::uint64_t>(bytes, 4 * kFront)));
        if (front.size() > kTag) check_parts(at, Bytes(front).subspan(kTag), bytes * kMostInflation);
      }
      at += type == kCompressed ? bytes : (bytes + kTag - 1) / kTag * kTag;
    }
    return count;
  }

  void check_matrix(std::uint64_t at, std::uint64_t bytes, int depth) {
    constexpr std::uint32_t kSparse = 5;
    constexpr int kSparseElements = 6;  // flags, dimensions, name, rows, columns, values
    const auto front = read(at, std::min<std::uint64_t>(bytes, kFront));
    check_parts(at, front, bytes);
    const int count = check(at, at + bytes, depth + 1);
    const bool sparse = front.size() >= kTag + 4 && (word(front, kTag) & 0xFF) == kSparse;
    if (sparse && count < kSparseElements) refuse(at, cat("a sparse matrix has ", count, " elements"));
  }

  /// `front`: flags and dimensions of a variable. Each part of a cell array or struct takes a tag at least.
  void check_parts(std::uint64_t at, Bytes front, std::uint64_t bytes) const {
    constexpr std::size_t kDimensions = 24;  // behind the flags and the tag
    constexpr std::uint32_t kLastContainer = 3;
    if (front.size() < kDimensions) return;
    const std::uint32_t size = word(front, kDimensions - 4);
    if (size > kFront - kDimensions) refuse(at, cat("a variable claims ", size / 4, " dimensions"));
    if ((word(front, kTag) & 0xFF) > kLastContainer) return;
    const std::size_t count = std::min<std::size_t>(size, front.size() - kDimensions) / 4;
    double parts = 1;
    for (std::size_t d = 0; d < count; ++d) parts *= word(front, kDimensions + 4 * d);
    if (parts * kTag > static_cast<double>(bytes)) refuse(at, cat("a cell array or struct claims ", parts, " parts"));
  }

  std::vector<unsigned char> read(std::uint64_t at, std::size_t count) {
    std::vector<unsigned char> bytes(count);
    in_.clear();
    in_.seekg(static_cast<std::streamoff>(at));
    in_.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(count));
    bytes.resize(static_cast<std::size_t>(in_.gcount()));
    return bytes;
  }

  /// The first bytes of what `packed` begins with.
  static std::vector<unsigned char> inflated(std::vector<unsigned char> packed) {
    std::vector<unsigned char> out(kTag + kFront);
    z_stream state{};
    if (inflateInit(&state) != Z_OK) return {};
    state.next_in = packed.data();
    state.avail_in = static_cast<uInt>(packed.size());
    state.next_out = out.data();
    state.avail_out = static_cast<uInt>(out.size());
    inflate(&state, Z_SYNC_FLUSH);
    out.resize(out.size() - state.avail_out);
    inflateEnd(&state);
    return out;
  }

  std::uint32_t word(Bytes bytes, std::size_t at) const {
    std::array<std::uint32_t, 4> b{bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]};
    if (big_endian_) std::reverse(b.begin(), b.end());
    return b[0] | b[1] << 8 | b[2] << 16 | b[3] << 24;
  }

  std::string path_;
  std::uint64_t size_;
  std::ifstream in_;
  bool big_endian_ = false;
};

}  // namespace

void check_mat_elements(const std::string& path, std::uint64_t size) { ElementCheck(path, size).run(); }

}  // namespace obverse
