#include "metrics/base_rate.h"

#include <gtest/gtest.h>

#include <obverse/generate.h>

namespace obverse {
namespace {

TEST(BaseRate, IsTheMajorityOfTheTrainingRowsAmongTheTestRows) {
  const GeneratedData made = madelon_like({.rows = 400});
  std::vector<std::uint32_t> train;  // more of class 0
  std::vector<std::uint32_t> test;   // three of class 0, one of class 1
  std::vector<std::size_t> counts(2);
  for (std::uint32_t row = 0; row < made.data.rows(); ++row) {
    const auto label = static_cast<std::size_t>(made.data.label(row));
    const std::size_t place = counts[label]++;
    if (place < (label == 0 ? 3U : 1U)) {
      test.push_back(row);
    } else if (place < (label == 0 ? 20U : 10U)) {
      train.push_back(row);
    }
  }
  const Dataset learned = made.data.subset(train);
  const Dataset asked = made.data.subset(test);
  EXPECT_DOUBLE_EQ(base_rate(metrics_of(Task::classification).front(), learned, asked), 0.75);
  // The means of the features, which tell nothing of their variance.
  EXPECT_NEAR(base_rate(metrics_of(Task::reconstruction).front(), learned.without_target(), learned.without_target()),
              0, 1e-5);
}

}  // namespace
}  // namespace obverse
