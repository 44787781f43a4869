#include "loss/losses.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "reference/reference.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::string_view kLosses[] = {"uniform", "entropy", "distance", "negative"};

struct Paths {
  std::size_t rows;
  std::size_t outputs;
  std::vector<float> main;
  std::vector<float> complement;
  std::vector<std::int32_t> labels;
};

struct Result {
  double loss;
  std::vector<float> main_gradient;
  std::vector<float> complement_gradient;
};

Result result_of(std::string_view loss, const Paths& paths) {
  Result result{0, std::vector<float>(paths.main.size()), std::vector<float>(paths.main.size())};
  result.loss = complement_loss_named(loss).make()->add({.rows = paths.rows,
                                                         .outputs = paths.outputs,
                                                         .stride = paths.outputs,
                                                         .main = paths.main.data(),
                                                         .complement = paths.complement.data(),
                                                         .labels = paths.labels,
                                                         .random_labels = paths.labels,
                                                         .main_gradient = result.main_gradient.data(),
                                                         .complement_gradient = result.complement_gradient.data()});
  return result;
}

TEST(ComplementaryLoss, OfRandomLabelsIsTheMainLossAgain) {
  EXPECT_EQ(complement_loss_named("random").make(), nullptr);
}

TEST(ComplementaryLoss, AgreesWithPyTorchAutograd) {
  const test::Reference reference("losses");
  const Paths paths{reference["labels"].size(), reference["main"].size() / reference["labels"].size(),
                    reference.floats("main"), reference.floats("complement"),
                    reference.integers<std::int32_t>("labels")};
  for (const std::string_view loss : kLosses) {
    const std::string name = std::string(loss);
    const Result found = result_of(loss, paths);
    EXPECT_NEAR(found.loss, reference.number(name + ".loss"), 1e-12 * std::abs(found.loss)) << name;
    for (std::size_t i = 0; i < paths.main.size(); ++i) {
      EXPECT_NEAR(found.main_gradient[i], reference[name + ".main_gradient"][i], 1e-7) << name << ' ' << i;
      EXPECT_NEAR(found.complement_gradient[i], reference[name + ".complement_gradient"][i], 1e-7) << name << ' ' << i;
    }
  }
}

TEST(ComplementaryLoss, HasTheGradientOfDifferences) {
  RandomStream stream(2, Purpose::generation);
  Paths paths{3, 4, std::vector<float>(12), std::vector<float>(12), {0, 3, 1}};
  for (float& x : paths.main) x = static_cast<float>(stream.uniform(-2, 2));
  for (float& x : paths.complement) x = static_cast<float>(stream.uniform(-2, 2));
  for (const std::string_view loss : kLosses) {
    const Result found = result_of(loss, paths);
    const auto expect_slope = [&](float& output, float slope) {
      const float kept = output;
      output = kept + 0x1p-10F;  // a step that float holds exactly; all sums are double
      const double above = result_of(loss, paths).loss;
      output = kept - 0x1p-10F;
      const double below = result_of(loss, paths).loss;
      const double width = 2 * 0x1p-10;
      output = kept;
      EXPECT_NEAR((above - below) / width, slope, 1e-5) << std::string(loss);
    };
    for (std::size_t i = 0; i < paths.main.size(); ++i) {
      expect_slope(paths.main[i], found.main_gradient[i]);
      expect_slope(paths.complement[i], found.complement_gradient[i]);
    }
  }
}

TEST(ComplementaryLoss, IsLeastWhereItsNameSays) {
  const Paths flat{1, 3, {5, 0, 0}, {1, 1, 1}, {0}};
  const Paths sure{1, 3, {5, 0, 0}, {9, 0, 0}, {0}};
  const Paths wrong{1, 3, {5, 0, 0}, {0, 9, 0}, {0}};
  const auto loss = [](std::string_view kind, const Paths& paths) { return result_of(kind, paths).loss; };
  EXPECT_NEAR(loss("uniform", flat), std::log(3.0), 1e-12);
  EXPECT_GT(loss("uniform", sure), std::log(3.0));
  EXPECT_NEAR(loss("entropy", flat), 0, 1e-12);
  EXPECT_NEAR(loss("entropy", sure), std::log(3.0), 1e-2);
  EXPECT_NEAR(loss("entropy", sure), loss("entropy", wrong), 1e-9);
  EXPECT_LT(loss("distance", flat), loss("distance", sure));
  // Both of these are the warning: a network that is sure of a wrong class pleases them most.
  EXPECT_LT(loss("distance", wrong), loss("distance", flat));
  EXPECT_LT(loss("negative", wrong), loss("negative", flat));
  EXPECT_NEAR(loss("negative", flat), -std::log(3.0), 1e-12);
}

TEST(ComplementaryLoss, StaysFiniteForOutputsFarApart) {
  const Paths far{1, 2, {200, -200}, {-500, 500}, {0}};
  for (const std::string_view loss : kLosses) {
    const Result found = result_of(loss, far);
    EXPECT_TRUE(std::isfinite(found.loss)) << std::string(loss);
    for (const float slope : found.complement_gradient) EXPECT_TRUE(std::isfinite(slope)) << std::string(loss);
  }
}

}  // namespace
}  // namespace obverse
