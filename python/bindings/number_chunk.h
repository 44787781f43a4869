// Numbers of one type, as NumPy and Arrow hold them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace obverse {

enum class ElementType : std::uint8_t {
  bit,
  int8,
  uint8,
  int16,
  uint16,
  int32,
  uint32,
  int64,
  uint64,
  float16,
  float32,
  float64,
  int128  ///< a whole number in two halves of 64 bits, the lower one first
};

inline bool bit_at(const std::uint8_t* bits, std::size_t i) { return ((bits[i / 8] >> (i % 8)) & 1U) != 0; }

/// Numbers that somebody else owns, and which of them are there.
struct NumberChunk {
  ElementType type = ElementType::float32;
  const void* values = nullptr;
  std::size_t first = 0;    ///< value of the chunk; of `present` too
  std::ptrdiff_t step = 0;  ///< bytes from one value to the next; bits follow each other
  std::size_t rows = 0;
  double per_one = 1;                     ///< what a value is divided by
  const std::uint8_t* present = nullptr;  ///< bits: 1 where a value is there; none: all are
  const bool* missing = nullptr;          ///< bytes: true where no value is; none: all are there
};

/// Whether value `i` is there; NaN may still say that it is missing.
bool is_there(const NumberChunk& chunk, std::size_t i);
/// Whether it is not there, or NaN.
bool is_missing_at(const NumberChunk& chunk, std::size_t i);
/// The shortest text that reads back as the number.
std::string text_at(const NumberChunk& chunk, std::size_t i);

/// Values from `begin` on, each `stride` behind the last, NaN for those that are missing.
void copy_values(const NumberChunk& chunk, std::size_t begin, std::size_t count, float* out, std::size_t stride);
/// The same of bytes, all of them there.
void copy_values(const NumberChunk& chunk, std::size_t begin, std::size_t count, std::uint8_t* out, std::size_t stride);

}  // namespace obverse
