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

}  // namespace
}  // namespace obverse
