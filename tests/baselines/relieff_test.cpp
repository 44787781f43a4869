#include <algorithm>

#include <gtest/gtest.h>

#include <obverse/generate.h>
#include <obverse/ranking.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

// Distances are float32, so that the tolerance is theirs.
TEST(ReliefF, AgreesWithTheDefinition) {
  const test::Reference reference("baselines");
  const auto scores = test::scores_of(relieff_scores, test::dense<float>(test::numbers_of(reference, "mixed")));
  const std::vector<double>& expected = reference["mixed.relieff"];
  ASSERT_EQ(scores.size(), expected.size());
  for (std::size_t d = 0; d < scores.size(); ++d) EXPECT_NEAR(scores[d], expected[d], 1e-6) << d;
}

// By hand, one feature of range 10: each row has one hit, at 1 or 2, and two misses. Mean difference of the misses
// (10+9, 9+8, ...)/2 per row: rows 0, 1 against 8, 10 give 9 and 8; rows 8, 10 give 7.5 and 9.5; hits 1, 1, 2, 2.
// W = (9 + 8 + 7.5 + 9.5 - 1 - 1 - 2 - 2) / (4 * 10) = 0.7.
TEST(ReliefF, FollowsTheDefinitionOnASmallCase) {
  const test::Numbers numbers{{0, 1, 8, 10}, {0, 0, 1, 1}};
  EXPECT_NEAR(test::scores_of(relieff_scores, test::dense<float>(numbers))[0], 0.7, 1e-6);
}

// No feature tells the classes apart alone: only neighbours see it. The set has more rows than are sampled.
TEST(ReliefF, FindsFeaturesThatWorkTogether) {
  const GeneratedData made = madelon_like({.rows = 1200, .informative = 3, .combinations = 2, .probes = 20, .seed = 2});
  const std::vector<double> one = test::scores_of(relieff_scores, made.data, 1);
  EXPECT_EQ(one, test::scores_of(relieff_scores, made.data, 3));
  const auto order = descending_order(one);
  std::size_t found = 0;
  for (std::size_t i = 0; i < made.true_features.size(); ++i) {
    found += std::binary_search(made.true_features.begin(), made.true_features.end(), order[i]) ? 1 : 0;
  }
  EXPECT_GE(found + 1, made.true_features.size());
}

}  // namespace
}  // namespace obverse
