#include "ranking/equal_features.h"

#include <utility>

#include <gtest/gtest.h>

#include "ranking/columns.h"
#include "support/random.h"

namespace obverse {
namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;  // the first of them, and the equal one

Pairs equal(const Dataset& data, std::size_t threads = 2) {
  Team team(threads);
  Pairs pairs;
  for (const auto& [first, second] : equal_features(data, constant_features(data), team)) {
    pairs.emplace_back(first, second);
  }
  return pairs;
}

TEST(EqualFeatures, AreNamedWithTheFirstOfThemInEveryStorage) {
  const test::Columns columns{{0, 1, 2, 0}, {3, 0, 0, 1}, {0, 1, 2, 0}, {3, 0, 0, 2}, {3, 0, 0, 1}, {0, 1, 2, 0}};
  for (const Dataset& data : test::storages(columns)) EXPECT_EQ(equal(data), (Pairs{{0, 2}, {1, 4}, {0, 5}}));
}

TEST(EqualFeatures, AreNoConstantOnes) {
  const test::Columns columns{{0, 0, 0}, {1, 1, 1}, {0, 0, 0}, {1, 1, 1}, {0, 1, 0}, {0, 1, 0}};
  for (const Dataset& data : test::storages(columns)) EXPECT_EQ(equal(data), (Pairs{{4, 5}}));
}

TEST(EqualFeatures, AreEqualInTheRowsOfASubsetAlone) {
  const test::Columns columns{{0, 1, 2, 0}, {0, 1, 2, 5}};
  for (const Dataset& data : test::storages(columns)) {
    EXPECT_TRUE(equal(data).empty());
    EXPECT_EQ(equal(data.subset(std::vector<std::uint32_t>{0, 1, 2})), (Pairs{{0, 1}}));
  }
}

TEST(EqualFeatures, TakeBothZerosAndSubnormalNumbersForOne) {
  const Dataset data = test::dense<float>({{0.0F, 1, 0.0F}, {-0.0F, 1, 1e-40F}});
  EXPECT_EQ(equal(data), (Pairs{{0, 1}}));
}

TEST(EqualFeatures, OfManyColumnsDoNotDependOnThreads) {
  RandomStream random(1, Purpose::generation);
  test::Columns columns(3000);
  for (auto& column : columns) {
    for (int r = 0; r < 6; ++r) column.push_back(static_cast<float>(random.below(3)));
  }
  const Pairs pairs = equal(test::dense<float>(columns), 1);
  EXPECT_GT(pairs.size(), 2000U);  // there are 729 columns of six values out of three
  EXPECT_EQ(equal(test::dense<std::uint8_t>(columns), 2), pairs);
  EXPECT_EQ(equal(test::sparse(columns), 3), pairs);
  for (const auto& [first, second] : pairs) EXPECT_EQ(columns[first], columns[second]);
}

TEST(EqualFeatures, OfOneRowAreNone) {
  for (const Dataset& data : test::storages({{1}, {1}})) EXPECT_TRUE(equal(data).empty());
}

}  // namespace
}  // namespace obverse
