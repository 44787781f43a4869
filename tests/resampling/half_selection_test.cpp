#include "resampling/half_selection.h"

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(HalfSelection, TakesFeaturesInTurnAndEachOnce) {
  const std::vector<std::size_t> mask{4, 6, 0, 1, 2, 3, 5};
  const std::vector<std::size_t> trees{0, 4, 3, 2, 1, 5, 6};
  EXPECT_EQ(in_turn(mask, trees, 1), std::vector<std::size_t>{4});
  EXPECT_EQ(in_turn(mask, trees, 4), (std::vector<std::size_t>{4, 0, 3, 2}));
  EXPECT_EQ(in_turn(mask, trees, 7), (std::vector<std::size_t>{4, 0, 3, 2, 1, 6, 5}));
}

}  // namespace
}  // namespace obverse
