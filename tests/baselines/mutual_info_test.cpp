#include <gtest/gtest.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

TEST(MutualInfo, AgreesWithScikitLearnOnTheBins) {
  const test::Reference reference("baselines");
  for (const std::string name : {"mixed", "small_bytes", "long"}) {
    const auto scores = test::scores_of(mutual_info_scores, test::dense<float>(test::numbers_of(reference, name)));
    const std::vector<double>& expected = reference[name + ".mutual_info"];
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t d = 0; d < scores.size(); ++d) EXPECT_NEAR(scores[d], expected[d], 1e-9) << name << " " << d;
  }
}

}  // namespace
}  // namespace obverse
