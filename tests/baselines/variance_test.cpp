#include <gtest/gtest.h>

#include "baselines/storages.h"

namespace obverse {
namespace {

TEST(Variance, AgreesWithScikitLearn) {
  const test::Reference reference("baselines");
  for (const std::string name : {"mixed", "small_bytes", "long"}) {
    const auto scores = test::scores_of(variance_scores, test::sparse(test::numbers_of(reference, name)));
    const std::vector<double>& expected = reference[name + ".variance"];
    ASSERT_EQ(scores.size(), expected.size());
    for (std::size_t d = 0; d < scores.size(); ++d) {
      EXPECT_NEAR(scores[d], expected[d], 1e-9 * (1 + expected[d])) << name << " " << d;
    }
  }
}

}  // namespace
}  // namespace obverse
