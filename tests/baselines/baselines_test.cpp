// What holds for every baseline.
#include "baselines/baselines.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>

#include <gtest/gtest.h>

#include <obverse/options.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

using test::dense;
using test::Numbers;
using test::numbers_of;
using test::scores_of;
using test::sparse;

const test::Reference& reference() {
  static const test::Reference kReference("baselines");
  return kReference;
}

TEST(Baselines, AreTheMethodsThatTrainNoNetwork) {
  std::vector<std::string_view> names;
  for (const std::string_view method : method_names()) {
    if (!trains_networks(method)) names.push_back(method);
  }
  ASSERT_EQ(baselines().size(), names.size());
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(baselines()[i].name, names[i]);
  EXPECT_EQ(find_baseline("cfm"), nullptr);
  EXPECT_EQ(find_baseline("rf"), &baselines()[0]);
}

TEST(Baselines, StandOnTheirPageAsInTheTable) {
  std::ostringstream page;
  page << std::ifstream(std::string(OBVERSE_TEST_FILES) + "/../../docs/baselines.md").rdbuf();
  for (const Baseline& baseline : baselines()) {
    const std::string row =
        cat("| `", baseline.name, "` | ", baseline.help, " | ", baseline.takes_weights ? "yes" : "no", " |");
    EXPECT_NE(page.str().find(row), std::string::npos) << row;
  }
}

/// Rows 1, 3, ... have a weight of two, or stand there twice.
struct Weighted {
  Dataset weighted, repeated;
};

Weighted weighted(const Dataset& data) {
  std::vector<float> weights(data.rows());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < data.rows(); ++r) {
    weights[r] = static_cast<float>(r % 2 + 1);
    rows.insert(rows.end(), r % 2 + 1, r);
  }
  return {data.weighted(weights), data.subset(rows)};
}

TEST(Baselines, CountARowOfWeightTwoAsTwoRows) {
  Numbers few;  // values of which each has a bin
  for (std::size_t r = 0; r < 90; ++r) {
    few.labels.push_back(static_cast<std::int32_t>(r * r / 7 % 3));
    for (std::size_t d = 0; d < 4; ++d) few.values.push_back(static_cast<float>((r * (d + 2) + r / 5) % 5));
  }
  for (const Dataset& data : {dense<float>(few), sparse(few)}) {
    const auto [weights, repeated] = weighted(data);
    for (const std::string_view name : {"variance", "anova", "mutual-info", "mrmr"}) {
      const auto found = scores_of(find_baseline(name)->scores, weights);
      const auto expected = scores_of(find_baseline(name)->scores, repeated);
      // Weights have a mean of one, so that F has the degrees of freedom of the rows there are.
      const double factor = name == "anova" ? (90.0 - 3) / (135.0 - 3) : 1;
      for (std::size_t d = 0; d < found.size(); ++d) EXPECT_NEAR(found[d], factor * expected[d], 1e-9) << name << d;
    }
  }
}

TEST(Baselines, ThatTakeWeightsAnswerToThem) {
  const Dataset data = dense<float>(numbers_of(reference(), "small_bytes"));
  const Dataset weights = weighted(data).weighted;
  for (const Baseline& baseline : baselines()) {
    const bool same = scores_of(baseline.scores, weights) == scores_of(baseline.scores, data);
    EXPECT_EQ(same, !baseline.takes_weights) << baseline.name;
  }
}

TEST(Baselines, SayWhatTheyRankedBy) {
  EXPECT_EQ(reason_of(*find_baseline("anova"), 1200), "ranked by the ANOVA F statistic on all 1,200 rows");
  EXPECT_EQ(reason_of(*find_baseline("relieff"), 60000), "ranked by ReliefF on a sample of 1,000 of the 60,000 rows");
  EXPECT_EQ(reason_of(*find_baseline("random"), 1200), "ranked by chance");
}

TEST(Baselines, GiveTheSameBitsForEveryStorage) {
  const Numbers numbers = numbers_of(reference(), "small_bytes");
  for (const Baseline& baseline : baselines()) {
    const std::vector<double> scores = scores_of(baseline.scores, dense<float>(numbers));
    EXPECT_EQ(scores_of(baseline.scores, dense<std::uint8_t>(numbers)), scores) << baseline.name;
    EXPECT_EQ(scores_of(baseline.scores, sparse(numbers)), scores) << baseline.name;
  }
  const Numbers floats = numbers_of(reference(), "mixed");
  for (const Baseline& baseline : baselines()) {
    EXPECT_EQ(scores_of(baseline.scores, sparse(floats)), scores_of(baseline.scores, dense<float>(floats)))
        << baseline.name;
  }
}

TEST(Baselines, GiveTheSameBitsForEveryNumberOfThreads) {
  const Dataset data = dense<float>(numbers_of(reference(), "mixed"));
  for (const Baseline& baseline : baselines()) {
    const std::vector<double> scores = scores_of(baseline.scores, data, 1);
    EXPECT_EQ(scores_of(baseline.scores, data, 2), scores) << baseline.name;
    EXPECT_EQ(scores_of(baseline.scores, data, 5), scores) << baseline.name;
  }
}

TEST(Baselines, LookAtTheRowsOfASubsetOnly) {
  const Numbers all = numbers_of(reference(), "small_bytes");
  std::vector<std::uint32_t> rows;
  Numbers part;
  for (std::uint32_t r = 0; r < all.labels.size(); r += 3) {
    rows.push_back(r);
    const auto row = all.values.begin() + static_cast<std::ptrdiff_t>(r * all.features());
    part.values.insert(part.values.end(), row, row + static_cast<std::ptrdiff_t>(all.features()));
    part.labels.push_back(all.labels[r]);
  }
  for (const Baseline& baseline : baselines()) {
    const std::vector<double> scores = scores_of(baseline.scores, dense<float>(part));
    EXPECT_EQ(scores_of(baseline.scores, dense<float>(all).subset(rows)), scores) << baseline.name;
    EXPECT_EQ(scores_of(baseline.scores, sparse(all).subset(rows)), scores) << baseline.name;
  }
}

// Features 3 and 8 of the set are constant: 0.1, whose mean over the rows is not exact, and 0.
TEST(Baselines, ScoreConstantFeaturesLowestAndNothingIsNan) {
  const Dataset data = dense<float>(numbers_of(reference(), "mixed"));
  for (const Baseline& baseline : baselines()) {
    const std::vector<double> scores = scores_of(baseline.scores, data);
    for (std::size_t d = 0; d < scores.size(); ++d) {
      EXPECT_FALSE(std::isnan(scores[d])) << baseline.name;
      if (d == 3 || d == 8) continue;
      EXPECT_GT(scores[d], std::max(scores[3], scores[8])) << baseline.name << ", feature " << d;
    }
  }
}

TEST(Baselines, TakeASingleFeatureConstantOrNot) {
  const Numbers one{{1, 2, 3, 4, 5, 6}, {0, 1, 0, 1, 0, 1}};
  const Numbers constant{{2, 2, 2, 2, 2, 2}, {0, 1, 0, 1, 0, 1}};
  for (const Baseline& baseline : baselines()) {
    for (const Numbers& numbers : {one, constant}) {
      const std::vector<double> scores = scores_of(baseline.scores, dense<float>(numbers));
      ASSERT_EQ(scores.size(), 1U);
      EXPECT_TRUE(std::isfinite(scores[0])) << baseline.name;
    }
  }
}

TEST(Baselines, TakeRowsThatAreAllEqual) {
  const Numbers numbers{std::vector<float>(60, 1.5F), {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}};
  for (const Baseline& baseline : baselines()) {
    for (const double score : scores_of(baseline.scores, dense<float>(numbers))) {
      EXPECT_TRUE(std::isfinite(score)) << baseline.name;
    }
  }
}

TEST(Baselines, TakeClassesWithoutRows) {
  Numbers numbers = numbers_of(reference(), "small_bytes");
  const Dataset data = dense<float>(numbers);
  numbers.labels.back() = 6;  // one more class than there are labels below it, left out again by the subset
  std::vector<std::uint32_t> rows(numbers.labels.size() - 1);
  std::iota(rows.begin(), rows.end(), 0U);
  for (const Baseline& baseline : baselines()) {
    EXPECT_EQ(scores_of(baseline.scores, dense<float>(numbers).subset(rows)),
              scores_of(baseline.scores, data.subset(rows)))
        << baseline.name;
  }
}

TEST(Baselines, StopWhenTheyAreAskedTo) {
  const Dataset data = dense<float>(numbers_of(reference(), "mixed"));
  Team team(2);
  const BaselineOptions stopped{.k = 4, .seed = 0, .progress = [](double) { return false; }};
  EXPECT_THROW(mrmr_scores(data, stopped, team), Error);
  EXPECT_THROW(relieff_scores(data, stopped, team), Error);
  EXPECT_THROW(rfe_scores(data, stopped, team), Error);
}

}  // namespace
}  // namespace obverse
