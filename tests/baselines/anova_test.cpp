#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

TEST(Anova, AgreesWithScikitLearn) {
  const test::Reference reference("baselines");
  for (const std::string name : {"mixed", "small_bytes", "long"}) {
    const auto scores = test::scores_of(anova_scores, test::dense<float>(test::numbers_of(reference, name)));
    const std::vector<double>& expected = reference[name + ".anova"];
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      EXPECT_NEAR(scores[d], expected[d], 1e-9 * (1 + expected[d])) << name << " " << d;
    }
  }
}

// By hand: means 1 and 3 of two rows each, 2 in all. Between 2*1 + 2*1 = 4 over 1; within 4*0.25 = 1 over 2; F = 8.
TEST(Anova, FollowsTheDefinitionOnASmallCase) {
  const test::Numbers numbers{{0.5, 1.5, 2.5, 3.5}, {0, 0, 1, 1}};
  EXPECT_DOUBLE_EQ(test::scores_of(anova_scores, test::dense<float>(numbers))[0], 8);
}

TEST(Anova, IsInfiniteForAFeatureThatIsTheClass) {
  const test::Numbers numbers{{0, 1, 0, 2, 1, 1, 1, 0}, {0, 0, 1, 1}};
  const auto scores = test::scores_of(anova_scores, test::dense<float>(numbers));
  EXPECT_EQ(scores[0], std::numeric_limits<double>::infinity());
  EXPECT_DOUBLE_EQ(scores[1], 2);
}

/// Features that begin at these columns.
Dataset with_layout(const test::Numbers& numbers, FeatureLayout layout) {
  DatasetParts parts;
  const std::shared_ptr<float[]> values(new float[numbers.values.size()]);
  std::copy(numbers.values.begin(), numbers.values.end(), values.get());
  parts.storage = DenseMatrix<float>{values, numbers.labels.size(), numbers.features()};
  for (std::size_t f = 0; f + 1 < layout.begin.size(); ++f) parts.feature_names.push_back(cat("f", f));
  parts.labels = numbers.labels;
  parts.class_names = {"a", "b"};
  parts.target_name = "class";
  parts.layout = std::move(layout);
  return Dataset(std::move(parts));
}

// The number of the small case, F = 8 with 1 and 2 degrees of freedom: p = 1 - sqrt(F / (F + 2)). A flag says the same
// as a category of two levels and as a number: of the labels 0 0 1 1 0 0 1 1 with two exchanged t = 1/4, F = 2 with 1
// and 6 degrees of freedom, and both tails of Student's t from
// sqrt(2) on are 1 - (1 + 3/8 + 27/128) / 2.
TEST(Anova, OfFeaturesOfSeveralColumnsIsALogarithmOfChance) {
  const test::Numbers small{{0.5, 1.5, 2.5, 3.5}, {0, 0, 1, 1}};
  EXPECT_NEAR(test::scores_of(anova_scores, with_layout(small, {.begin = {0, 1}}))[0], -std::log(1 - std::sqrt(0.8)),
              1e-12);
  const test::Numbers flags{{1, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 1},
                            {0, 0, 1, 1, 0, 0, 1, 1}};
  const auto scores = test::scores_of(anova_scores, with_layout(flags, {.begin = {0, 1, 3}, .flags = {0, 1, 1}}));
  EXPECT_NEAR(scores[0], -std::log(1 - (1 + 3.0 / 8 + 27.0 / 128) / 2), 1e-12);
  EXPECT_NEAR(scores[1], scores[0], 1e-9);
}

}  // namespace
}  // namespace obverse
