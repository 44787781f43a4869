#include "experiment/statistics.h"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

// By hand: mean 4, squares 4 + 0 + 4 over 2.
TEST(Summary, HasMeanAndDeviationOfASample) {
  const Summary summary = summarise(std::vector<double>{2, 4, 6});
  EXPECT_EQ(summary.count, 3U);
  EXPECT_DOUBLE_EQ(summary.mean, 4);
  EXPECT_DOUBLE_EQ(summary.deviation, 2);
  EXPECT_GE(summary.low, 2);
  EXPECT_LE(summary.high, 6);
}

// For many results the interval is that of the normal distribution: mean -/+ 1.96 s / sqrt(n). The ends of 2,000
// resamples scatter by about 5 % of its width.
TEST(Summary, IntervalIsThatOfTheNormalDistributionForManyResults) {
  RandomStream stream(1, Purpose::generation);
  std::vector<double> results(400);
  for (double& result : results) result = 10 + 3 * stream.normal();
  const Summary summary = summarise(results);
  const double half = 1.96 * summary.deviation / 20;
  EXPECT_NEAR(summary.low, summary.mean - half, 0.2 * half);
  EXPECT_NEAR(summary.high, summary.mean + half, 0.2 * half);
}

// Two results: a quarter of the resamples is all 0, a quarter all 1, so that the ends are the results themselves.
TEST(Summary, IntervalOfTwoResultsReachesBoth) {
  const Summary summary = summarise(std::vector<double>{0, 1});
  EXPECT_EQ(summary.low, 0);
  EXPECT_EQ(summary.high, 1);
}

TEST(Summary, IsTheSameForTheSameSeed) {
  const std::vector<double> results{0.1, 0.5, 0.7, 0.9, 0.2, 0.3};
  EXPECT_EQ(summarise(results, 4).low, summarise(results, 4).low);
  EXPECT_NE(summarise(results, 4).low + summarise(results, 4).high,
            summarise(results, 5).low + summarise(results, 5).high);
}

TEST(Summary, OfOneOrEqualResultsHasNoWidth) {
  for (const std::vector<double>& results : {std::vector<double>{0.7}, std::vector<double>(9, 0.5)}) {
    const Summary summary = summarise(results);
    EXPECT_EQ(summary.deviation, 0);
    EXPECT_EQ(summary.low, results[0]);
    EXPECT_EQ(summary.high, results[0]);
  }
}

TEST(Summary, IsUndefinedWhereAResultIs) {
  const Summary summary = summarise(std::vector<double>{0.5, std::numeric_limits<double>::quiet_NaN()});
  EXPECT_TRUE(std::isnan(summary.mean));
  EXPECT_TRUE(std::isnan(summary.low));
  EXPECT_THROW(summarise({}), Error);
}

// scipy.stats.ttest_rel (1.17.1) of the same numbers.
TEST(PairedDifference, AgreesWithScipy) {
  const std::vector<double> first{0.91, 0.93, 0.90, 0.95, 0.92};
  EXPECT_NEAR(paired_difference(first, std::vector<double>{0.90, 0.91, 0.91, 0.92, 0.90}).p, 0.1079388222922764, 1e-9);
  EXPECT_NEAR(paired_difference(first, std::vector<double>{0.60, 0.71, 0.65, 0.62, 0.70}).p, 0.00031577184512506803,
              1e-9);
  EXPECT_NEAR(paired_difference(std::vector<double>{1, 2}, std::vector<double>{2, 5}).p, 0.2951672353008665, 1e-9);
}

TEST(PairedDifference, SaysNothingWherePairsSayNothing) {
  const std::vector<double> same{0.5, 0.25};
  EXPECT_EQ(paired_difference(same, same).p, 1);
  EXPECT_EQ(paired_difference(std::vector<double>{1}, std::vector<double>{2}).p, 1);
  EXPECT_EQ(paired_difference(same, std::vector<double>{1.5, 1.25}).p, 0);
}

// By hand: the differences 1 and 3 have the mean 2 and the error 1; t of one degree of freedom is 12.7062 at 97.5 %,
// and of four degrees 2.77645 (any table of Student's distribution).
TEST(PairedDifference, HasTheIntervalOfStudent) {
  const PairedDifference two = paired_difference(std::vector<double>{2, 5}, std::vector<double>{1, 2});
  EXPECT_DOUBLE_EQ(two.mean, 2);
  EXPECT_NEAR(two.low, 2 - 12.7062, 1e-4);
  EXPECT_NEAR(two.high, 2 + 12.7062, 1e-4);
  const std::vector<double> five{1, 2, 3, 4, 5};
  const PairedDifference many = paired_difference(five, std::vector<double>(5));
  EXPECT_NEAR(many.high, 3 + 2.77645 * std::sqrt(2.5 / 5), 1e-5);
  EXPECT_EQ(paired_difference(std::vector<double>{1}, std::vector<double>{3}).low, -2);
}

// The variance of the mean has 1/5 + 1/4 in place of 1/5.
TEST(PairedDifference, IsLessSureOfRunsThatShareRows) {
  const std::vector<double> five{1, 2, 3, 4, 5};
  const std::vector<double> none(5);
  const PairedDifference shared = paired_difference(five, none, 0.25);
  EXPECT_NEAR(shared.high, 3 + 2.77645 * std::sqrt(2.5 * 0.45), 1e-5);
  EXPECT_GT(shared.p, paired_difference(five, none).p);
}

// By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04 no less than that before it.
TEST(Holm, MultipliesTheSmallestByAllThatAreLeft) {
  const std::vector<double> corrected = holm(std::vector<double>{0.01, 0.04, 0.03, 0.005});
  EXPECT_NEAR(corrected[3], 0.02, 1e-15);
  EXPECT_NEAR(corrected[0], 0.03, 1e-15);
  EXPECT_NEAR(corrected[2], 0.06, 1e-15);
  EXPECT_NEAR(corrected[1], 0.06, 1e-15);
  EXPECT_EQ(holm(std::vector<double>{0.7, 0.9})[0], 1);
  EXPECT_TRUE(holm({}).empty());
}

}  // namespace
}  // namespace obverse
