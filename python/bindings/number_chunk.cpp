#include "number_chunk.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "readers/table.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

template <class T>
T loaded(const NumberChunk& chunk, std::size_t i) {
  T value{};
  const auto* base = static_cast<const std::byte*>(chunk.values);
  std::memcpy(&value, base + static_cast<std::ptrdiff_t>(chunk.first + i) * chunk.step, sizeof value);
  return value;
}

struct Bit {};
struct Half {
  std::uint16_t bits;
};
struct Wide {
  std::uint64_t low;
  std::int64_t high;
};

float number_of(Half half) {
  const int exponent = (half.bits >> 10) & 31;
  const int fraction = half.bits & 1023;
  float value = exponent == 0 ? std::ldexp(static_cast<float>(fraction), -24)
                              : std::ldexp(static_cast<float>(1024 + fraction), exponent - 25);
  if (exponent == 31) value = fraction == 0 ? std::numeric_limits<float>::infinity() : kMissing;
  return (half.bits & 0x8000) != 0 ? -value : value;
}
double number_of(Wide wide) {
  if (wide.high >= 0) return std::ldexp(static_cast<double>(wide.high), 64) + static_cast<double>(wide.low);
  const std::uint64_t low = ~wide.low + 1;  // of the number without its sign: no digits are lost
  const std::uint64_t high = ~static_cast<std::uint64_t>(wide.high) + (low == 0 ? 1 : 0);
  return -(std::ldexp(static_cast<double>(high), 64) + static_cast<double>(low));
}
template <class T>
T number_of(T value) {
  return value;
}

/// A value of a chunk as a number that has its type, or nearly.
template <class T>
auto value_at(const NumberChunk& chunk, std::size_t i) {
  if constexpr (std::is_same_v<T, Bit>) {
    return static_cast<std::uint8_t>(bit_at(static_cast<const std::uint8_t*>(chunk.values), chunk.first + i) ? 1 : 0);
  } else {
    return number_of(loaded<T>(chunk, i));
  }
}

/// Calls visit(T{}) with the type of a chunk.
template <class Visit>
auto with_type(ElementType type, const Visit& visit) {
  switch (type) {
    case ElementType::bit:
      return visit(Bit{});
    case ElementType::int8:
      return visit(std::int8_t{});
    case ElementType::uint8:
      return visit(std::uint8_t{});
    case ElementType::int16:
      return visit(std::int16_t{});
    case ElementType::uint16:
      return visit(std::uint16_t{});
    case ElementType::int32:
      return visit(std::int32_t{});
    case ElementType::uint32:
      return visit(std::uint32_t{});
    case ElementType::int64:
      return visit(std::int64_t{});
    case ElementType::uint64:
      return visit(std::uint64_t{});
    case ElementType::float16:
      return visit(Half{});
    case ElementType::float64:
      return visit(double{});
    case ElementType::int128:
      return visit(Wide{});
    default:
      return visit(float{});
  }
}

}  // namespace

bool is_there(const NumberChunk& chunk, std::size_t i) {
  if (chunk.missing != nullptr && chunk.missing[i]) return false;
  return chunk.present == nullptr || bit_at(chunk.present, chunk.first + i);
}

bool is_missing_at(const NumberChunk& chunk, std::size_t i) {
  if (!is_there(chunk, i)) return true;
  return with_type(chunk.type, [&]<class T>(T) { return std::isnan(static_cast<double>(value_at<T>(chunk, i))); });
}

std::string text_at(const NumberChunk& chunk, std::size_t i) {
  return with_type(chunk.type, [&]<class T>(T) {
    const auto value = value_at<T>(chunk, i);
    if constexpr (std::is_integral_v<decltype(value)>) {
      if (chunk.per_one == 1) return std::to_string(value);
    }
    if constexpr (std::is_same_v<std::remove_const_t<decltype(value)>, float>) {
      std::array<char, 32> text{};  // the shortest text of a float is shorter than that of the same double
      if (std::abs(value) >= 1e15F || value != std::trunc(value)) {
        return std::string(text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr);
      }
    }
    return number_text(static_cast<double>(value) / chunk.per_one);
  });
}

void copy_values(const NumberChunk& chunk, std::size_t begin, std::size_t count, float* out, std::size_t stride) {
  with_type(chunk.type, [&]<class T>(T) {
    for (std::size_t i = begin; i < begin + count; ++i, out += stride) {
      if (!is_there(chunk, i)) {
        *out = kMissing;
      } else if (chunk.per_one == 1) {
        *out = static_cast<float>(value_at<T>(chunk, i));
      } else {
        *out = static_cast<float>(static_cast<double>(value_at<T>(chunk, i)) / chunk.per_one);
      }
    }
  });
}

void copy_values(const NumberChunk& chunk, std::size_t begin, std::size_t count, std::uint8_t* out,
                 std::size_t stride) {
  for (std::size_t i = begin; i < begin + count; ++i, out += stride) *out = loaded<std::uint8_t>(chunk, i);
}

}  // namespace obverse
