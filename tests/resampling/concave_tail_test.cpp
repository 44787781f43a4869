#include "resampling/concave_tail.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "support/random.h"

namespace obverse {
namespace {

/// Shah and Samworth's bound for unimodal distributions, in closed form.
double unimodal_bound(const PairedSelections& selections, std::size_t least) {
  const auto pairs = static_cast<double>(selections.pairs);
  const double threshold = static_cast<double>(least) / (2 * pairs);
  const double squares =
      static_cast<double>(selections.selected * selections.selected) / static_cast<double>(selections.variables);
  if (threshold <= 0.75) return squares / (2 * (2 * threshold - 1 - 1 / (2 * pairs)));
  return 4 * (1 - threshold + 1 / (2 * pairs)) / (1 + 1 / pairs) * squares;
}

// For these, probabilities proportional to (a + i)^-power for all i <= steps are the worst; a by bisection of the mean,
// worked out apart from this program. A search over k and a grid of a, with the probability of k + 1 between 0 and that
// of the rule, finds nothing larger.
TEST(ConcaveTail, HasValuesWorkedOutElsewhere) {
  EXPECT_NEAR(concave_tail({.mean = 0.0025 * 50, .steps = 50, .power = 2}, 25), 0.000647846, 1e-9);
  EXPECT_NEAR(concave_tail({.mean = 0.0225 * 50, .steps = 50, .power = 2}, 25), 0.007108254, 1e-9);
  EXPECT_NEAR(concave_tail({.mean = 5, .steps = 100, .power = 4}, 75), 0.001215391, 1e-9);
  EXPECT_NEAR(concave_tail({.mean = 15, .steps = 100, .power = 4}, 75), 0.017030517, 1e-9);
}

TEST(ConcaveTail, GrowsWithTheMeanAndFallsWithTheNumberOfSelections) {
  double before = 0;
  for (const double mean : {0.1, 0.5, 1.0, 2.0, 5.0, 10.0}) {
    const double now = concave_tail({.mean = mean, .steps = 50, .power = 2}, 30);
    EXPECT_GT(now, before) << mean;
    before = now;
  }
  before = 1;
  for (const std::size_t least : {20U, 25U, 30U, 40U, 49U, 50U}) {
    const double now = concave_tail({.mean = 2, .steps = 50, .power = 2}, least);
    EXPECT_LT(now, before) << least;
    EXPECT_GT(now, 0) << least;
    before = now;
  }
}

TEST(ConcaveTail, GivesNoBoundNearTheMean) {
  EXPECT_EQ(concave_tail({.mean = 10, .steps = 50, .power = 2}, 20), 1);
  EXPECT_EQ(concave_tail({.mean = 25, .steps = 50, .power = 2}, 50), 1);
}

TEST(ConcaveTail, IsExceededByNoDistributionThatIsConcaveInThisSense) {
  constexpr std::size_t kSteps = 50;
  RandomStream random(3, Purpose::generation);
  for (int trial = 0; trial < 2000; ++trial) {
    // f = g^-power with g convex and growing: slopes ascend.
    const int power = trial % 2 == 0 ? 2 : 4;
    std::vector<double> f(kSteps + 1);
    double value = std::exp(random.uniform(-3, 3));
    double slope = random.uniform();
    double sum = 0;
    double mean = 0;
    const std::size_t last = 5 + random.below(kSteps - 4);
    for (std::size_t i = 0; i <= last; ++i) {
      f[i] = std::pow(value, -power);
      sum += f[i];
      mean += static_cast<double>(i) * f[i];
      if (random.uniform() < 0.1) slope += random.uniform();
      value += slope;
    }
    mean /= sum;
    const std::size_t least = 10 + random.below(40);
    const double tail = std::accumulate(f.begin() + static_cast<std::ptrdiff_t>(least), f.end(), 0.0) / sum;
    EXPECT_LE(tail, concave_tail({.mean = mean, .steps = kSteps, .power = power}, least) + 1e-9) << trial;
  }
}

TEST(FalseSelections, AreFewerThanTheUnimodalBoundAllows) {
  for (const std::size_t least : {60U, 75U, 80U, 90U}) {
    for (const std::size_t selected : {5U, 20U, 50U}) {
      const PairedSelections selections{.selected = selected, .variables = 1000, .pairs = 50};
      EXPECT_LE(false_selections(selections, least), unimodal_bound(selections, least)) << least << ' ' << selected;
    }
  }
}

TEST(FalseSelections, GrowWithWhatAHalfSelects) {
  double before = 0;
  for (std::size_t selected = 1; selected <= 100; ++selected) {
    const double now = false_selections({.selected = selected, .variables = 200, .pairs = 50}, 75);
    EXPECT_GE(now, before) << selected;
    before = now;
  }
  EXPECT_EQ(before, 200) << "half of the variables: anything may pass";
}

}  // namespace
}  // namespace obverse
