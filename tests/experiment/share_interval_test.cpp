#include "experiment/share_interval.h"

#include <gtest/gtest.h>

namespace obverse {
namespace {

// Newcombe (1998), table I: 81 of 263, 15 of 148, 0 of 20 and 1 of 29.
TEST(WilsonInterval, IsThatOfTheLiterature) {
  const auto near = [](std::size_t right, std::size_t count, double low, double high) {
    const ShareInterval found = wilson_interval(static_cast<double>(right) / static_cast<double>(count), count);
    EXPECT_NEAR(found.low, low, 5e-5);
    EXPECT_NEAR(found.high, high, 5e-5);
  };
  near(81, 263, 0.2553, 0.3662);
  near(15, 148, 0.0624, 0.1605);
  near(0, 20, 0, 0.1611);
  near(1, 29, 0.0061, 0.1718);
  EXPECT_EQ(wilson_interval(0, 0).high, 1);
}

}  // namespace
}  // namespace obverse
