#include <obverse/ranking.h>

#include <gtest/gtest.h>

namespace obverse {
namespace {

using Features = std::vector<std::size_t>;

TEST(DescendingOrder, PutsTheLargestFirstAndKeepsTheOrderOfTies) {
  EXPECT_EQ(descending_order(std::vector<double>{0.1, 0.5, 0.1, 0.9}), (Features{3, 1, 0, 2}));
}

TEST(DescendingOrder, PutsTheGivenFeaturesBehindAllOthers) {
  EXPECT_EQ(descending_order(std::vector<double>{9, 1, 8, 2}, Features{0, 2}), (Features{3, 1, 0, 2}));
}

TEST(Agreement, OfEqualSelectionsIsOne) {
  const std::vector<Features> same{{1, 2}, {2, 1}, {1, 2}};
  const Agreement a = agreement(same, 10);
  EXPECT_DOUBLE_EQ(a.jaccard, 1);
  EXPECT_NEAR(a.stability, 1, 1e-12);
  EXPECT_NEAR(a.frequency[1], 1, 1e-12);
  EXPECT_NEAR(a.frequency[0], 0, 1e-12);
}

// By hand: selections {0,1}, {1,2} of 4. p = (1/2, 1, 1/2, 0); s^2 = 2/1 p(1-p) = (1/2, 0, 1/2, 0), mean 1/4;
// k/D (1 - k/D) = 1/4, so that the index is 0. Jaccard 1/3.
TEST(Agreement, FollowsTheDefinitionsOnASmallCase) {
  const std::vector<Features> two{{0, 1}, {1, 2}};
  const Agreement a = agreement(two, 4);
  EXPECT_NEAR(a.jaccard, 1.0 / 3, 1e-12);
  EXPECT_NEAR(a.stability, 0, 1e-12);
  EXPECT_NEAR(a.frequency[0], 0.5, 1e-12);
}

TEST(Agreement, OfOneSelectionOrOfAllFeaturesIsOne) {
  EXPECT_DOUBLE_EQ(agreement(std::vector<Features>{{0}}, 3).stability, 1);
  EXPECT_DOUBLE_EQ(agreement(std::vector<Features>{{0, 1, 2}, {2, 1, 0}}, 3).stability, 1);
}

// By hand: without feature 3, which both have, the selections are those of the small case above.
TEST(Agreement, IsThatOfTheFeaturesThatAreNotKept) {
  const std::vector<Features> two{{3, 0, 1}, {3, 1, 2}};
  const Agreement a = agreement(two, 5, Features{3});
  EXPECT_NEAR(a.jaccard, 1.0 / 3, 1e-12);
  EXPECT_NEAR(a.stability, 0, 1e-12);
  EXPECT_DOUBLE_EQ(a.frequency[3], 1);
  EXPECT_NEAR(a.frequency[0], 0.5, 1e-12);
  EXPECT_GT(agreement(two, 5).stability, 0.1);
}

TEST(Agreement, OfDisjointSelectionsIsBelowChance) {
  const Agreement a = agreement(std::vector<Features>{{0, 1}, {2, 3}}, 4);
  EXPECT_DOUBLE_EQ(a.jaccard, 0);
  EXPECT_LT(a.stability, 0);
}

}  // namespace
}  // namespace obverse
