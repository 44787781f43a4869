// MAT v5 files, element by element, so that any of them can lie.
#pragma once

#include <zlib.h>

#include <string>
#include <vector>

#include "readers/files.h"

namespace obverse::test::mat {

inline constexpr std::uint32_t kInt8 = 1, kUint8 = 2, kInt32 = 5, kUint32 = 6, kDouble = 9, kMatrix = 14,
                               kCompressed = 15;
inline constexpr std::uint32_t kCell = 1, kStruct = 2, kSparse = 5, kReal = 6;

inline std::string word(std::uint32_t value) { return raw<std::uint32_t>({value}); }

inline std::string header() {
  std::string text = "MATLAB 5.0 MAT-file";
  text.resize(124, ' ');
  return text + std::string("\x00\x01IM", 4);
}

/// Tag, data, padding. `claimed`: other than the true number of bytes.
inline std::string element(std::uint32_t type, const std::string& data) {
  std::string bytes = word(type) + word(static_cast<std::uint32_t>(data.size())) + data;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}
inline std::string element_claiming(std::uint32_t type, std::uint32_t claimed, const std::string& data) {
  return word(type) + word(claimed) + data;
}

inline std::string flags(std::uint32_t kind, std::uint32_t room = 0) {
  return element(kUint32, word(kind) + word(room));
}
inline std::string dimensions(const std::vector<std::int32_t>& sizes) {
  return element(kInt32, raw(std::span<const std::int32_t>(sizes)));
}
inline std::string name(const std::string& text) { return element(kInt8, text); }
inline std::string doubles(const std::vector<double>& values) {
  return element(kDouble, raw(std::span<const double>(values)));
}
inline std::string integers(const std::vector<std::int32_t>& values) {
  return element(kInt32, raw(std::span<const std::int32_t>(values)));
}

/// The parts of a variable as an element.
inline std::string variable(const std::string& parts) { return element(kMatrix, parts); }

inline std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(bytes.size());
  std::string out(size, '\0');
  compress(reinterpret_cast<Bytef*>(out.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()), bytes.size());
  out.resize(size);
  return out;
}
inline std::string packed(const std::string& bytes) {
  const std::string out = deflated(bytes);
  return word(kCompressed) + word(static_cast<std::uint32_t>(out.size())) + out;
}

inline std::string x() { return variable(flags(kReal) + dimensions({2, 2}) + name("X") + doubles({1, 2, 3, 4})); }
inline std::string y() { return variable(flags(kReal) + dimensions({2, 1}) + name("Y") + doubles({1, 2})); }

}  // namespace obverse::test::mat
