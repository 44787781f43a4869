// A MAT v5 file is a header of 128 bytes and elements: a tag (type, bytes) and data, padded to eight bytes; up to four
// bytes may lie in the tag itself. A variable is an element of type matrix, alone or zlib-compressed, and is made of
// elements of its own: flags with its class, dimensions, name, then numbers. Every length is held against the bytes
// that are left before anything is read or allocated by it.
#include "readers/mat_elements.h"

#include <algorithm>
#include <array>
#include <optional>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

constexpr std::uint64_t kHeader = 128;
constexpr std::uint64_t kTag = 8;
constexpr std::uint32_t kInt8 = 1;
constexpr std::uint32_t kInt32 = 5;
constexpr std::uint32_t kUint32 = 6;
constexpr std::uint32_t kMatrix = 14;
constexpr std::uint32_t kCompressed = 15;
constexpr std::uint32_t kUtf8 = 16;

std::optional<NumberType> number_type(std::uint32_t type, bool big_endian) {
  switch (type) {
    case 1:
      return NumberType{NumberKind::signed_integer, 1, big_endian};
    case 2:
      return NumberType{NumberKind::unsigned_integer, 1, big_endian};
    case 3:
      return NumberType{NumberKind::signed_integer, 2, big_endian};
    case 4:
      return NumberType{NumberKind::unsigned_integer, 2, big_endian};
    case kInt32:
      return NumberType{NumberKind::signed_integer, 4, big_endian};
    case kUint32:
      return NumberType{NumberKind::unsigned_integer, 4, big_endian};
    case 7:
      return NumberType{NumberKind::real, 4, big_endian};
    case 9:
      return NumberType{NumberKind::real, 8, big_endian};
    case 12:
      return NumberType{NumberKind::signed_integer, 8, big_endian};
    case 13:
      return NumberType{NumberKind::unsigned_integer, 8, big_endian};
    default:
      return std::nullopt;
  }
}

std::uint32_t word_of(const std::array<unsigned char, 4>& b, bool big_endian) {
  if (big_endian) return b[3] | std::uint32_t{b[2]} << 8 | std::uint32_t{b[1]} << 16 | std::uint32_t{b[0]} << 24;
  return b[0] | std::uint32_t{b[1]} << 8 | std::uint32_t{b[2]} << 16 | std::uint32_t{b[3]} << 24;
}

std::uint32_t take_word_of(ByteStream& bytes, bool big_endian, std::string_view what) {
  std::array<unsigned char, 4> word{};
  bytes.read_exactly({reinterpret_cast<char*>(word.data()), word.size()}, what);
  return word_of(word, big_endian);
}

std::uint64_t padding_of(std::uint64_t bytes) { return (kTag - bytes % kTag) % kTag; }

}  // namespace

MatParts::MatParts(std::unique_ptr<ByteStream> bytes, bool big_endian)
    : bytes_(std::move(bytes)), big_endian_(big_endian) {
  const std::uint32_t type = take_word_of(*bytes_, big_endian_, "the tag of a variable");
  left_ = take_word_of(*bytes_, big_endian_, "the tag of a variable");
  if (type != kMatrix) refuse(cat("expected a variable, found an element of type ", type));
  if (left_ + kTag > bytes_->most_bytes()) {
    refuse(cat("a variable claims ", left_, " bytes, more than there are"));
  }
  read_flags();
  if (!readable_) return;
  read_dimensions();
  read_name();
}

void MatParts::refuse(const std::string& why) const {
  throw Error(Fault::input,
              cat(bytes_->path(), ": MAT: ", variable_.name.empty() ? "" : cat(excerpt(variable_.name), ": "), why,
                  "; is the file damaged or cut short?"));
}

std::uint32_t MatParts::take_word(const char* what) {
  if (left_ < 4) refuse(cat("a variable ends in the middle of ", what));
  left_ -= 4;
  return take_word_of(*bytes_, big_endian_, what);
}

MatParts::Tag MatParts::take_tag(const char* what) {
  const std::uint32_t first = take_word(what);
  Tag tag;
  if (const std::uint32_t small = first >> 16; small != 0) {
    if (small > 4) refuse(cat("the tag of ", what, " claims to hold ", small, " bytes; it has room for 4"));
    tag = {first & 0xFFFF, small, 4 - small};
  } else {
    tag.type = first;
    tag.bytes = take_word(what);
    tag.padding = padding_of(tag.bytes);
  }
  if (tag.bytes > left_) refuse(cat(what, " claims ", tag.bytes, " bytes where ", left_, " are left"));
  return tag;
}

void MatParts::take_padding(const Tag& tag) {
  const std::uint64_t padding = std::min(tag.padding, left_);
  bytes_->skip(padding);
  left_ -= padding;
}

void MatParts::read_flags() {
  const Tag tag = take_tag("the flags");
  if (tag.type != kUint32 || tag.bytes != 8) refuse("expected flags of 8 bytes in front of a variable");
  const std::uint32_t flags = take_word("the flags");
  take_word("the flags");  // room for entries of a sparse matrix: the entries themselves tell
  constexpr std::uint32_t kLastClass = 15;
  const std::uint32_t kind = flags & 0xFF;
  readable_ = kind >= 1 && kind <= kLastClass;
  variable_.kind = static_cast<MatClass>(kind);
  variable_.complex = (flags & 0x0800) != 0;
  variable_.logical = (flags & 0x0200) != 0;
}

void MatParts::read_dimensions() {
  constexpr std::uint64_t kMostDimensions = 32;
  const Tag tag = take_tag("the dimensions");
  const std::uint64_t count = tag.bytes / 4;
  if (tag.type != kInt32 || tag.bytes % 4 != 0 || count < 2 || count > kMostDimensions) {
    refuse(cat("expected 2 to ", kMostDimensions, " dimensions, found ", tag.bytes, " bytes of type ", tag.type));
  }
  for (std::uint64_t d = 0; d < count; ++d) {
    const auto size = static_cast<std::int32_t>(take_word("the dimensions"));
    if (size < 0) refuse(cat("a dimension of ", size));
    variable_.dimensions.push_back(static_cast<std::uint64_t>(size));
  }
  take_padding(tag);
}

void MatParts::read_name() {
  constexpr std::uint64_t kLongestName = 4096;
  const Tag tag = take_tag("the name");
  if ((tag.type != kInt8 && tag.type != kUtf8) || tag.bytes > kLongestName) {
    refuse(cat("expected a name of at most ", kLongestName, " bytes, found ", tag.bytes, " bytes of type ", tag.type));
  }
  std::string name(tag.bytes, '\0');
  bytes_->read_exactly(name, "the name of a variable");
  left_ -= tag.bytes;
  take_padding(tag);
  variable_.name = std::move(name);
}

ArrayLayout MatParts::next_numbers(const std::string& what) {
  open_ = take_tag(what.c_str());
  const auto type = number_type(open_.type, big_endian_);
  if (!type) refuse(cat("expected ", what, " as numbers, found an element of type ", open_.type));
  if (open_.bytes % type->size != 0) refuse(cat(what, ": ", open_.bytes, " bytes hold a part of a number"));
  ArrayLayout array;
  array.type = *type;
  array.shape = {open_.bytes / type->size};
  check_array(array, *bytes_);
  return array;
}

void MatParts::close_numbers() {
  left_ -= open_.bytes;
  take_padding(open_);
}

void MatParts::expect_end() {
  if (left_ > 0) refuse(cat("the variable goes on for ", left_, " bytes after its values"));
  bytes_->expect_end("a variable");
}

MatFile::MatFile(const ByteStream& file) : path_(file.path()), slices_(file) {
  constexpr std::size_t kMostVariables = 100'000;
  const auto header = slices_.slice(0, std::min(kHeader, slices_.size()));
  std::array<char, kHeader> text{};
  header->read_exactly(text, "the header");
  big_endian_ = text[kHeader - 2] == 'M';
  for (std::uint64_t at = kHeader; at < slices_.size();) {
    if (slices_.size() - at < kTag) refuse(at, "the file ends in the middle of a tag");
    const auto tag = slices_.slice(at, kTag);
    const std::uint32_t type = take_word_of(*tag, big_endian_, "a tag");
    const std::uint64_t bytes = take_word_of(*tag, big_endian_, "a tag");
    const std::uint64_t left = slices_.size() - at - kTag;
    if (type != kMatrix && type != kCompressed) refuse(at, cat("expected a variable, found an element of type ", type));
    if (bytes > left) refuse(at, cat("a variable claims ", bytes, " bytes where ", left, " are left"));
    const Place place = type == kMatrix ? Place{at, bytes + kTag, false} : Place{at + kTag, bytes, true};
    const MatParts parts_here = parts(place);
    const std::string& name = parts_here.variable().name;
    if (!name.empty()) {
      if (!places_.emplace(name, place).second) refuse(at, cat("a second variable is called ", excerpt(name)));
      if (names_.size() == kMostVariables) refuse(at, "more variables than a data file has");
      names_.push_back(name);
    }
    at += kTag + bytes + (type == kMatrix ? std::min(padding_of(bytes), left - bytes) : 0);
  }
  if (names_.empty()) refuse(kHeader, "the file holds no variables");
}

void MatFile::refuse(std::uint64_t at, const std::string& why) const {
  throw Error(Fault::input, cat(path_, ": MAT: at byte ", at, ": ", why, "; is the file damaged or cut short?"));
}

MatParts MatFile::parts(const Place& place) const {
  std::unique_ptr<ByteStream> bytes = slices_.slice(place.offset, place.bytes);
  if (place.compressed) bytes = inflated_bytes(std::move(bytes));
  return {std::move(bytes), big_endian_};
}

MatParts MatFile::open(const std::string& name) const { return parts(places_.at(name)); }

}  // namespace obverse
