// The generated data sets: the same numbers from the same seed, and truth that is true.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <obverse/error.h>

#include "dataset/generated.h"

namespace obverse::test {
namespace {

TEST(MadelonLike, HasTheShapeOfTheChallenge) {
  const GeneratedData made = madelon_like();
  EXPECT_EQ(made.data.rows(), 4400U);
  EXPECT_EQ(made.data.features(), 500U);
  EXPECT_EQ(made.data.class_names(), (std::vector<std::string>{"-1", "1"}));
  EXPECT_EQ(made.data.target_name(), "class");
  EXPECT_EQ(made.data.feature_names().front(), "f1");
  EXPECT_EQ(made.data.feature_names().back(), "f500");
  EXPECT_TRUE(std::holds_alternative<DenseMatrix<float>>(made.data.storage()));
  ASSERT_EQ(made.true_features.size(), 20U);
  EXPECT_TRUE(std::is_sorted(made.true_features.begin(), made.true_features.end()));
  EXPECT_EQ(std::set(made.true_features.begin(), made.true_features.end()).size(), 20U);
  // Sixteen corners of the same weight in each class, then 1 % of the rows flipped.
  const std::vector<std::size_t> counts = made.data.class_counts();
  EXPECT_NEAR(static_cast<double>(counts[0]), 2200, 60);
}

TEST(MadelonLike, IsTheSameFromTheSameSeedAndDifferentFromAnother) {
  const MadelonOptions options{.rows = 64, .probes = 20, .seed = 3};
  const GeneratedData once = madelon_like(options);
  const GeneratedData again = madelon_like(options);
  const GeneratedData other = madelon_like({.rows = 64, .probes = 20, .seed = 4});
  EXPECT_EQ(values(once.data), values(again.data));
  EXPECT_EQ(once.data.labels(), again.data.labels());
  EXPECT_EQ(once.true_features, again.true_features);
  EXPECT_NE(values(once.data), values(other.data));
  EXPECT_NE(once.true_features, other.true_features);
}

TEST(MadelonLike, TrueFeaturesPredictTheClassTogether) {
  for (const std::uint64_t seed : {0U, 1U, 2U}) {
    const GeneratedData made = madelon_like({.seed = seed});
    EXPECT_GT(accuracy(made.data, made.true_features), 0.8) << "seed " << seed;
  }
}

TEST(MadelonLike, ProbesPredictNothing) {
  const GeneratedData made = madelon_like();
  std::vector<std::size_t> probes = other_features(made);
  probes.resize(20);
  EXPECT_NEAR(accuracy(made.data, probes), 0.5, 0.07);  // 3 deviations of 650 fair coins: 0.06
  // 480 correlations of 2600 rows, deviation 1/sqrt(2600) = 0.02: the largest is near 3.2 deviations.
  for (const double r : correlations_with_label(made.data, other_features(made))) EXPECT_LT(std::abs(r), 0.1);
}

TEST(MadelonLike, ProbesAreSpreadLikeTheTrueFeatures) {
  const GeneratedData made = madelon_like();
  const auto range = [&](const std::vector<std::size_t>& features) {
    std::vector<float> x = values(made.data, features);
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    return std::pair(*least, *most);
  };
  const auto [true_least, true_most] = range(made.true_features);
  const auto [probe_least, probe_most] = range(other_features(made));
  EXPECT_NEAR(true_least, probe_least, 100);
  EXPECT_NEAR(true_most, probe_most, 100);
}

TEST(MadelonLike, ValuesAreWholeNumbers) {
  for (const float value : values(madelon_like({.rows = 64}).data)) EXPECT_EQ(value, std::round(value));
}

TEST(MadelonLike, RefusesSizesThatCannotWork) {
  EXPECT_THROW(madelon_like({.informative = 0}), Error);
  EXPECT_THROW(madelon_like({.informative = 64}), Error);
  EXPECT_THROW(madelon_like({.rows = 31}), Error);
  EXPECT_EQ(madelon_like({.rows = 32, .combinations = 0, .probes = 0}).data.features(), 5U);
}

TEST(DrawnDigits, AreSmallPicturesOfBytes) {
  const GeneratedData made = drawn_digits();
  EXPECT_EQ(made.data.rows(), 2000U);
  EXPECT_EQ(made.data.features(), 64U);
  EXPECT_EQ(made.data.classes(), 10U);
  ASSERT_TRUE(made.data.image_shape().has_value());
  EXPECT_EQ(made.data.image_shape()->height, 8U);
  EXPECT_EQ(made.data.image_shape()->width, 8U);
  EXPECT_TRUE(std::holds_alternative<DenseMatrix<std::uint8_t>>(made.data.storage()));
  EXPECT_EQ(made.data.class_counts(), std::vector<std::size_t>(10, 200));
}

TEST(DrawnDigits, AreTheSameFromTheSameSeedAndDifferentFromAnother) {
  EXPECT_EQ(values(drawn_digits({.rows = 50, .seed = 1}).data), values(drawn_digits({.rows = 50, .seed = 1}).data));
  EXPECT_NE(values(drawn_digits({.rows = 50, .seed = 1}).data), values(drawn_digits({.rows = 50, .seed = 2}).data));
}

TEST(DrawnDigits, CanBeReadFromTheTruePixelsAndNotFromTheOthers) {
  const GeneratedData made = drawn_digits();
  EXPECT_GT(accuracy(made.data, made.true_features), 0.95);
  EXPECT_LT(accuracy(made.data, other_features(made)), 0.5);
}

TEST(DrawnDigits, TheLastColumnIsNeverInked) {
  const GeneratedData made = drawn_digits();
  for (std::size_t row = 0; row < 8; ++row) {
    const std::size_t pixel = row * 8 + 7;
    EXPECT_FALSE(std::binary_search(made.true_features.begin(), made.true_features.end(), pixel));
  }
}

TEST(DrawnDigits, MeansOfTrueFeaturesDifferBetweenDigits) {
  const GeneratedData made = drawn_digits();
  const std::vector<float> x = values(made.data);
  for (std::size_t pixel = 0; pixel < 64; ++pixel) {
    std::vector<double> means(10);
    for (std::size_t r = 0; r < made.data.rows(); ++r) {
      means[static_cast<std::size_t>(made.data.label(r))] += x[r * 64 + pixel] / 200;
    }
    const auto [least, most] = std::minmax_element(means.begin(), means.end());
    // Ink is 187 on average: a third of it is 62, and the noise of a mean of 200 drawings is near 5.
    if (std::binary_search(made.true_features.begin(), made.true_features.end(), pixel)) {
      EXPECT_GT(*most - *least, 40) << "pixel " << pixel;
    } else {
      EXPECT_LT(*most - *least, 62) << "pixel " << pixel;
    }
  }
}

TEST(DrawnDigits, RefusesFewerRowsThanDigits) { EXPECT_THROW(drawn_digits({.rows = 9}), Error); }

}  // namespace
}  // namespace obverse::test
