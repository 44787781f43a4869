#include "support/shares.h"

#include <cmath>

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(Shares, AreWrittenInPercent) {
  EXPECT_EQ(points(0.93125), "93.12");
  EXPECT_EQ(points(0.93125, 1), "93.1");
  EXPECT_EQ(points(std::nan("")), "–");
  EXPECT_EQ(score_text(0.931), "93.1%");
}

TEST(Shares, ShowADeviationUnlessItIsNone) {
  EXPECT_EQ(spread_text(0.9312, 0.004), "93.12 ± 0.40");
  EXPECT_EQ(spread_text(0.9312, 0.004, 1), "93.1 ± 0.4");
  EXPECT_EQ(spread_text(0.9312, 0), "93.12");
}

TEST(Shares, DifferByPoints) {
  EXPECT_EQ(signed_points(0.004), "+0.40");
  EXPECT_EQ(signed_points(-0.004, 1), "-0.4");
  EXPECT_EQ(points_text(-0.004), "0.4 points");
  EXPECT_EQ(points_text(0.01), "1.0 point");
}

}  // namespace
}  // namespace obverse
