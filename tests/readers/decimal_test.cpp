#include "readers/decimal.h"

#include <gtest/gtest.h>

#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "support/random.h"

namespace obverse {
namespace {

/// As the CSV reader does: the fast way, or else the careful one.
float parse(const std::string& text) {
  const std::string padded = text + std::string(kTextPadding, '\0');
  float value = 0;
  const char* end = parse_decimal(padded.data(), value);
  if (end == nullptr) {
    EXPECT_EQ(parse_cell(text, value), CellFault::none) << text;
  } else {
    EXPECT_EQ(end, padded.data() + text.size()) << text;
  }
  return value;
}

float nearest(const std::string& text) { return std::strtof(text.c_str(), nullptr); }

TEST(Decimal, ReadsTheSpellingsOfANumber) {
  for (const char* text : {"0", "-0", "1", "-1", "12.5", ".5", "5.", "-0.0001", "1e3", "1E-3", "1.25e+2", "123456789",
                           "1234567890123456789", "12345678901234567890123", "1e-40", "3.4e38", "-1.17549435e-38",
                           "0.000000000000000000000000000001", "00012.50"}) {
    EXPECT_EQ(parse(text), nearest(text)) << text;
  }
}

TEST(Decimal, RoundsOnceAtTheMiddleBetweenTwoFloats) {
  // 2^24 + 1 is halfway between two floats; the tail decides, or the even neighbour. A double forgets the tail.
  EXPECT_EQ(parse("16777217"), 16777216.0F);
  EXPECT_EQ(parse("16777219"), 16777220.0F);
  EXPECT_EQ(parse("16777217.0000000000001"), 16777218.0F);
  EXPECT_EQ(parse("16777216.9999999999999"), 16777216.0F);
  EXPECT_EQ(parse("1.000000059604644775390625"), 1.0F);
  EXPECT_EQ(parse("1.000000059604644775390626"), std::nextafter(1.0F, 2.0F));
}

TEST(Decimal, AgreesWithTheCLibraryOnRandomNumbers) {
  RandomStream random(1, Purpose::sampling);
  for (int i = 0; i < 200000; ++i) {
    std::array<char, 64> text{};
    const double value = random.normal() * std::pow(10.0, random.uniform(-12, 12));
    const auto format = random.below(2) == 0 ? std::chars_format::general : std::chars_format::fixed;
    const auto end =
        std::to_chars(text.data(), text.data() + text.size(), value, format, static_cast<int>(random.below(17)));
    const std::string written(text.data(), end.ptr);
    ASSERT_EQ(parse(written), nearest(written)) << written;
  }
}

TEST(Decimal, SaysWhatIsWrongWithACell) {
  float value = 0;
  EXPECT_EQ(parse_cell("", value), CellFault::missing);
  EXPECT_EQ(parse_cell("  ", value), CellFault::missing);
  EXPECT_EQ(parse_cell("NA", value), CellFault::missing);
  EXPECT_EQ(parse_cell("nan", value), CellFault::not_finite);
  EXPECT_EQ(parse_cell("-inf", value), CellFault::not_finite);
  EXPECT_EQ(parse_cell("1e39", value), CellFault::not_finite);
  EXPECT_EQ(parse_cell("abc", value), CellFault::not_a_number);
  EXPECT_EQ(parse_cell("1,5", value), CellFault::not_a_number);
  EXPECT_EQ(parse_cell("+-1", value), CellFault::not_a_number);
  EXPECT_EQ(parse_cell(" +1.5 ", value), CellFault::none);
  EXPECT_EQ(value, 1.5F);
}

}  // namespace
}  // namespace obverse
