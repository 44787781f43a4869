#include <algorithm>

#include <gtest/gtest.h>

#include <obverse/ranking.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

using Order = std::vector<std::size_t>;

Order order_of(const test::Numbers& numbers, std::size_t k) {
  return descending_order(test::scores_of(mrmr_scores, test::dense<float>(numbers), 2, k));
}

TEST(Mrmr, OrdersAsTheDefinitionDoes) {
  const test::Reference reference("baselines");
  EXPECT_EQ(order_of(test::numbers_of(reference, "mixed"), 4), reference.integers<std::size_t>("mixed.mrmr_order"));
  EXPECT_EQ(order_of(test::numbers_of(reference, "small_bytes"), 4),
            reference.integers<std::size_t>("small_bytes.mrmr_order"));
  EXPECT_EQ(order_of(test::numbers_of(reference, "long"), 3), reference.integers<std::size_t>("long.mrmr_order"));
}

// Two bits of the class and a copy of the first: the copy is as relevant as the second bit, and redundant.
TEST(Mrmr, PassesOverACopyThatRelevanceWouldTake) {
  const test::Numbers numbers{{0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1}, {0, 1, 2, 3}};
  EXPECT_EQ(order_of(numbers, 1), (Order{0, 1, 2}));
  EXPECT_EQ(order_of(numbers, 2), (Order{0, 2, 1}));
}

TEST(Mrmr, BeginsAlikeWhateverK) {
  const test::Numbers numbers = test::numbers_of(test::Reference("baselines"), "mixed");
  const Order all = order_of(numbers, 12);
  const Order three = order_of(numbers, 3);
  EXPECT_TRUE(std::equal(three.begin(), three.begin() + 3, all.begin()));
}

TEST(Mrmr, ScoresAreRanks) {
  const test::Numbers numbers{{0, 0, 0, 0, 0, 1, 1, 1, 0, 1, 1, 1}, {0, 1, 2, 3}};
  EXPECT_EQ(test::scores_of(mrmr_scores, test::dense<float>(numbers), 1, 2),
            (std::vector<double>{1, 1.0 / 3, 2.0 / 3}));
}

}  // namespace
}  // namespace obverse
