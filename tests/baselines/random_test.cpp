#include <gtest/gtest.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

TEST(RandomScores, ComeFromTheSeedAlone) {
  const Dataset data = test::dense<float>(test::numbers_of(test::Reference("baselines"), "small_bytes"));
  Team team(1);
  const auto first = random_scores(data, {.seed = 1}, team);
  EXPECT_EQ(random_scores(data, {.seed = 1}, team), first);
  EXPECT_NE(random_scores(data, {.seed = 2}, team), first);
  for (std::size_t d = 0; d < first.size(); ++d) {
    EXPECT_EQ(first[d] > 0, d != 5);  // 5 is constant
    EXPECT_LE(first[d], 1);
  }
}

}  // namespace
}  // namespace obverse
