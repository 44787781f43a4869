// Pairs of features that tell nothing alone.
#include <gtest/gtest.h>

#include <cmath>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "dataset/generated.h"

namespace obverse::test {
namespace {

double share_inside(const Dataset& data) {
  return static_cast<double>(data.class_counts()[1]) / static_cast<double>(data.rows());
}

TEST(Shapes, HaveTheSharesOfTheirAreas) {
  constexpr double kRing = 3.14159265 * (0.45 * 0.45 - 0.3 * 0.3);
  constexpr double kSum = 0.6 * 0.6 / 2;
  const auto share = [](Shapes which) {
    return share_inside(shapes({.shapes = which, .rows = 40000, .probes = 3}).data);
  };
  EXPECT_NEAR(share(Shapes::only_xor), 0.5, 0.01);
  EXPECT_NEAR(share(Shapes::ring), kRing, 0.01);
  EXPECT_NEAR(share(Shapes::ring_xor), 1 - (1 - kRing) * 0.5, 0.01);
  EXPECT_NEAR(share(Shapes::ring_xor_sum), 1 - (1 - kRing) * 0.5 * (1 - kSum), 0.01);
}

TEST(Shapes, AreToldByTheTrueFeaturesAlone) {
  const GeneratedData made = shapes({.shapes = Shapes::only_xor, .rows = 500, .probes = 30, .seed = 4});
  ASSERT_EQ(made.true_features.size(), 2U);
  EXPECT_EQ(made.data.features(), 32U);
  const std::vector<float> pairs = values(made.data, made.true_features);
  for (std::size_t r = 0; r < 500; ++r) {
    EXPECT_EQ(made.data.label(r), (pairs[2 * r] > 0.5F) != (pairs[2 * r + 1] > 0.5F) ? 1 : 0);
  }
}

TEST(Shapes, DependOnTheSeedAlone) {
  const auto fingerprint_of = [](std::uint64_t seed) { return fingerprint(shapes({.seed = seed}).data); };
  EXPECT_EQ(fingerprint_of(1), fingerprint_of(1));
  EXPECT_NE(fingerprint_of(1), fingerprint_of(2));
  EXPECT_NE(shapes({.seed = 1}).true_features, shapes({.seed = 2}).true_features);
}

}  // namespace
}  // namespace obverse::test
