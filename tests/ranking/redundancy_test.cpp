#include "ranking/redundancy.h"

#include <gtest/gtest.h>

#include "ranking/columns.h"
#include "support/random.h"

namespace obverse {
namespace {

using Features = std::vector<std::size_t>;

/// Columns 2 and 4 are equal to column 1, column 5 is nearly the same as column 0, and column 6 is constant.
Dataset repeating() {
  RandomStream random(1, Purpose::generation);
  test::Columns columns(7, std::vector<float>(300, 1.0F));
  for (std::size_t f = 0; f < 4; ++f) {
    for (float& value : columns[f]) value = static_cast<float>(random.normal());
  }
  columns[2] = columns[4] = columns[1];
  for (std::size_t r = 0; r < 300; ++r) columns[5][r] = columns[0][r] + 0.05F * static_cast<float>(random.normal());
  return test::dense<float>(columns);
}

const std::vector<EqualFeatures> kEqual{{1, 2}, {1, 4}};

Features order(Redundancy redundancy, std::size_t most, const Features& before) {
  return OrderWithoutRepeats(repeating(), redundancy, kEqual, most, 0).of(before, 1);
}

TEST(Redundancy, KeepLeavesTheOrderAsItIs) {
  EXPECT_EQ(order(Redundancy::keep, 6, {1, 2, 0, 5, 4, 3, 6}), (Features{1, 2, 0, 5, 4, 3, 6}));
}

TEST(Redundancy, EqualMovesCopiesBehindAllButConstantFeatures) {
  EXPECT_EQ(order(Redundancy::equal, 2, {1, 2, 0, 5, 4, 3, 6}), (Features{1, 0, 5, 3, 2, 4, 6}));
}

TEST(Redundancy, DropMovesWhatIsNearlyTheSameToo) {
  EXPECT_EQ(order(Redundancy::drop, 6, {1, 2, 5, 0, 4, 3, 6}), (Features{1, 5, 3, 2, 0, 4, 6}));
}

TEST(Redundancy, DropLooksNoFurtherThanItIsAsked) {
  EXPECT_EQ(order(Redundancy::drop, 2, {1, 2, 3, 5, 0, 4, 6}), (Features{1, 3, 5, 0, 2, 4, 6}));
}

TEST(Redundancy, GivesTheFirstOfEqualColumnsTheLargestScore) {
  std::vector<float> scores{0.5F, 0.1F, 0.2F, 0.4F, 0.3F};
  give_first_the_largest<float>(kEqual, scores);
  EXPECT_EQ(scores, (std::vector<float>{0.5F, 0.3F, 0.2F, 0.4F, 0.1F}));
}

}  // namespace
}  // namespace obverse
