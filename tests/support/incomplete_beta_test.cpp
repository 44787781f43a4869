// Against closed forms: I_x(a, 1) = x^a, I_x(1, b) = 1 - (1 - x)^b, I_x(1/2, 1/2) = 2 / pi asin(sqrt x),
// I_x(2, 3) = x^2 (6 - 8 x + 3 x^2), and the mirror image I_x(a, b) = 1 - I_{1-x}(b, a).
#include "support/incomplete_beta.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(IncompleteBeta, HasTheValuesOfItsClosedForms) {
  for (const double x : {1e-6, 0.01, 0.2, 0.5, 0.8, 0.99}) {
    EXPECT_NEAR(incomplete_beta(3.5, 1, x), std::pow(x, 3.5), 1e-13) << x;
    EXPECT_NEAR(incomplete_beta(1, 40, x), 1 - std::pow(1 - x, 40), 1e-13) << x;
    EXPECT_NEAR(incomplete_beta(0.5, 0.5, x), 2 / std::numbers::pi * std::asin(std::sqrt(x)), 1e-13) << x;
    EXPECT_NEAR(incomplete_beta(2, 3, x), x * x * (6 - 8 * x + 3 * x * x), 1e-13) << x;
    EXPECT_NEAR(incomplete_beta(7, 0.5, x), 1 - incomplete_beta(0.5, 7, 1 - x), 1e-13) << x;
  }
}

TEST(IncompleteBeta, KeepsTheDigitsOfSmallValuesInTheLogarithm) {
  EXPECT_NEAR(log_incomplete_beta(500, 1, 1e-3, 1 - 1e-3), 500 * std::log(1e-3), 1e-9);
  EXPECT_NEAR(log_incomplete_beta(1, 2000, 1e-9, 1 - 1e-9), std::log(-std::expm1(2000 * std::log1p(-1e-9))), 1e-11);
}

TEST(IncompleteBeta, EndsAtZeroAndOne) {
  EXPECT_EQ(incomplete_beta(2, 3, 0), 0);
  EXPECT_EQ(incomplete_beta(2, 3, 1), 1);
}

}  // namespace
}  // namespace obverse
