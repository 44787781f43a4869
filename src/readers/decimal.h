// Numbers in text. Short decimals go the fast way: mantissa and power of ten are both exact in double, so that their
// quotient is rounded once; everything else goes to fast_float. Both give the float nearest to what is written.
#pragma once

#include <array>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace obverse {

/// Text that is parsed in place is followed by this many readable zero bytes.
inline constexpr std::size_t kTextPadding = 32;

enum class CellFault { none, not_a_number, missing, not_finite };

/// A whole cell, spaces around it allowed: any spelling of a number, or what is wrong with it.
CellFault parse_cell(std::string_view cell, float& out);

namespace decimal {

inline constexpr std::array<std::uint64_t, 9> kWholePowers{1,      10,      100,      1000,     10000,
                                                           100000, 1000000, 10000000, 100000000};
inline constexpr std::array<double, 23> kPowers{1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                                1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

/// Takes the digits at `p`, eight at a time, into value = value * 10^n + digits (modulo 2^64).
inline const char* take_digits(const char* p, std::uint64_t& value) {
  if constexpr (std::endian::native != std::endian::little) {
    for (; *p >= '0' && *p <= '9'; ++p) value = value * 10 + static_cast<std::uint64_t>(*p - '0');
    return p;
  }
  for (;;) {
    std::uint64_t chunk = 0;
    std::memcpy(&chunk, p, sizeof chunk);
    chunk ^= 0x3030303030303030U;  // each digit is now its value, every other character is above 9
    const std::uint64_t others = ((chunk + 0x7676767676767676U) | chunk) & 0x8080808080808080U;
    const int digits = others == 0 ? 8 : std::countr_zero(others) / 8;
    if (digits == 0) return p;
    chunk <<= 8 * (8 - digits);  // leading zeros take the place of what follows the number
    chunk = (chunk * 10 + (chunk >> 8)) & 0x00FF00FF00FF00FFU;
    chunk = (chunk * 100 + (chunk >> 16)) & 0x0000FFFF0000FFFFU;
    chunk = (chunk * 10000 + (chunk >> 32)) & 0xFFFFFFFFU;
    value = value * kWholePowers[static_cast<std::size_t>(digits)] + chunk;
    p += digits;
    if (digits < 8) return p;
  }
}

/// The exponent behind an e, or nullptr where it is not a short plain one.
inline const char* take_exponent(const char* p, int& exponent) {
  const bool negative = *p == '-';
  p += static_cast<int>(negative || *p == '+');
  const char* const first = p;
  int value = 0;
  for (; *p >= '0' && *p <= '9' && p - first < 4; ++p) value = value * 10 + (*p - '0');
  if (p == first) return nullptr;
  exponent += negative ? -value : value;
  return p;
}

}  // namespace decimal

/// The number at `p`, such as -12.5 or 3e-4; returns where it ends. nullptr: not sure, ask parse_cell.
inline const char* parse_decimal(const char* p, float& out) {
  const bool negative = *p == '-';
  p += static_cast<int>(negative);
  std::uint64_t mantissa = 0;
  const char* const first = p;
  if (p[1] == '.' && *p >= '0' && *p <= '9') {  // one digit in front, the usual case: nothing waits for its length
    mantissa = static_cast<std::uint64_t>(*p++ - '0');
  } else {
    p = decimal::take_digits(p, mantissa);
  }
  auto digits = p - first;
  int exponent = 0;
  if (*p == '.') {
    const char* const fraction = ++p;
    p = decimal::take_digits(p, mantissa);
    digits += p - fraction;
    exponent = -static_cast<int>(p - fraction);
  }
  constexpr int kMostDigits = 19;  // more may not fit 64 bits
  if (digits == 0 || digits > kMostDigits) return nullptr;
  if (*p == 'e' || *p == 'E') {
    p = decimal::take_exponent(p + 1, exponent);
    if (p == nullptr) return nullptr;
  }
  constexpr std::uint64_t kExact = std::uint64_t{1} << 53;
  constexpr int kExactPower = 22;
  if (mantissa > kExact || exponent < -kExactPower || exponent > kExactPower) return nullptr;
  const double power = decimal::kPowers[static_cast<std::size_t>(exponent < 0 ? -exponent : exponent)];
  const double value = exponent < 0 ? static_cast<double>(mantissa) / power : static_cast<double>(mantissa) * power;
  // Rounding a second time, to float, goes wrong only where the double lies halfway between two floats.
  constexpr std::uint64_t kBelowFloat = (std::uint64_t{1} << 29) - 1;
  constexpr std::uint64_t kHalfway = std::uint64_t{1} << 28;
  if ((std::bit_cast<std::uint64_t>(value) & kBelowFloat) == kHalfway) return nullptr;
  if (value < FLT_MIN && mantissa != 0) return nullptr;
  out = static_cast<float>(negative ? -value : value);
  return p;
}

}  // namespace obverse
