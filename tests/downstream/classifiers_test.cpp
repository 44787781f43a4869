#include "downstream/classifiers.h"

#include <gtest/gtest.h>

#include <obverse/generate.h>

#include "dataset/scaling.h"

namespace obverse {
namespace {

TEST(Classifiers, LeaveOutRowsOfWeightZeroAndTakeEveryUnit) {
  const auto [train, test] =
      split(madelon_like({.rows = 300, .informative = 3, .combinations = 2, .probes = 5}).data, {.test_fraction = 0.3});
  std::vector<float> weights(train.rows()), tripled(train.rows());
  std::vector<std::uint32_t> positive;
  for (std::uint32_t r = 0; r < train.rows(); ++r) {
    weights[r] = r % 4 == 0 ? 0.0F : 1.0F;
    tripled[r] = 3;
    if (weights[r] > 0) positive.push_back(r);
  }
  const Affine scaling = fit_scaling(train, Scaling::automatic);
  const std::vector<std::size_t> features = all_features(train);
  Team team(2);
  for (const Classifier& classifier : classifiers()) {
    const auto answer = [&](const Dataset& data) {
      const std::vector<Target> learned = targets_of(data);
      return classifier.predict({data, test, features, scaling, learned, {.trees = 20}, 3}, team).front().values;
    };
    const std::vector<float> kept = answer(train.subset(positive)), found = answer(train.weighted(weights));
    for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_NEAR(found[i], kept[i], 1e-4F) << classifier.name;
    if (classifier.name == "linear") continue;  // its penalty is measured in rows
    EXPECT_EQ(answer(train.weighted(tripled)), answer(train)) << classifier.name;
  }
}

}  // namespace
}  // namespace obverse
