// Functions of single numbers for the loops. Every source that is compiled for an instruction set has a copy of its
// own, so that none is run by a processor that lacks the instructions of another.
#pragma once

#include <cstdint>

namespace obverse::cpu {

namespace {

template <class To, class From>
[[maybe_unused]] inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  __builtin_memcpy(&to, &from, sizeof to);
  return to;
}

// e^x to 2 units in the last place for x in [-87, 88]; clamped outside.
[[maybe_unused]] inline float exponential(float x) {
  x = x < -87.0F ? -87.0F : x;
  x = x > 88.0F ? 88.0F : x;
  const float shifted = x * 1.44269504F + 12582912.0F;  // rounds to a whole number in the low bits
  const float n = shifted - 12582912.0F;
  const float r = (x - n * 0.693359375F) + n * 2.12194440e-4F;
  float p = 1.9875691500e-4F;
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * r * r + r + 1.0F;
  return p * bits_as<float>((bits_as<std::int32_t>(shifted) - 0x4B400000 + 127) << 23);
}

}  // namespace

}  // namespace obverse::cpu
