// Masks of trained numbers inside the network: gradients through trunk and losses, and masks of one's own.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "loss/losses.h"
#include "mask/families.h"
#include "network/fixture.h"

namespace obverse::test {
namespace {

constexpr Sizes kSizes{.B = 24, .D = 6, .H = 4, .F1 = 8, .F2 = 5, .C = 3};

struct Batch {
  Dataset data;
  std::vector<std::int32_t> labels;
  std::vector<std::int32_t> random_labels;
};

Batch random_batch() {
  RandomStream stream(3, Purpose::generation);
  std::vector<float> X(kSizes.B * kSizes.D);
  for (float& x : X) x = static_cast<float>(stream.uniform(-1, 1));
  std::vector<std::int32_t> labels[2];
  for (auto& some : labels) {
    for (std::size_t b = 0; b < kSizes.B; ++b) some.push_back(static_cast<std::int32_t>(stream.below(3)));
  }
  return {dataset_of(X, kSizes.B, kSizes.D, labels[0], 3), labels[0], labels[1]};
}

/// How far the gradient of the mask is from differences of the losses, over the size of these. The losses are float,
/// and steps large enough to see through that are not small: the trunk has no kinks here.
double error_of_gradient(const MaskSpec& plan, float gamma) {
  const Batch batch = random_batch();
  TrainOptions options;
  options.mask_hidden = static_cast<int>(kSizes.H);
  options.mask_scale_power = 1;
  options.leak = 1;
  options.mask_penalty = 0;  // it is not among the losses that are told
  Engine engine(kSizes, options, {gamma}, 1, plan);
  engine.initialise(1);
  std::vector<std::uint32_t> rows(kSizes.B);
  std::iota(rows.begin(), rows.end(), 0U);
  engine.ops().gather(batch.data, identity(kSizes.D), rows);
  engine.draw_dropout(1, 1, 0);
  const auto loss = [&] {
    const Losses losses = engine.step({{batch.labels}, {batch.random_labels}}, 0);
    return losses.main[0] + static_cast<double>(gamma) * losses.complement[0];
  };
  MaskFamily& family = engine.network().family();
  loss();
  const std::vector<double> found = family.gradients();
  return relative_difference(numeric_gradient(family, loss, 1e-2), found);
}

TEST(VectorMask, HasTheGradientOfTheLossesForEveryFamily) {
  for (const FamilyDescription& family : mask_families()) {
    // The weights of fae start close together: differences would change which of them are the largest.
    const std::size_t selected = family.name == "fae" ? kSizes.D : 2;
    for (const float gamma : {0.0F, 2.0F}) {
      EXPECT_LT(error_of_gradient({.method = std::string(family.name), .selected = selected}, gamma), 5e-3)
          << family.name << ", gamma " << gamma;
    }
  }
}

/// One batch that an engine sees in every step.
class OneBatch {
 public:
  OneBatch(const MaskSpec& plan, const TrainOptions& options) : engine_(kSizes, options, {0.0F}, 1, plan) {
    engine_.initialise(1);
    std::vector<std::uint32_t> rows(kSizes.B);
    std::iota(rows.begin(), rows.end(), 0U);
    engine_.ops().gather(batch_.data, identity(kSizes.D), rows);
    engine_.draw_dropout(1, 1, 0);
  }
  Engine& after(std::uint64_t number) {
    engine_.step({{batch_.labels}, {batch_.random_labels}}, number);
    return engine_;
  }

 private:
  Batch batch_ = random_batch();
  Engine engine_;
};

TEST(VectorMask, KeepsNumbersInTheRangeOfTheirFamily) {
  TrainOptions options;
  options.mask_learning_rate = 0.5;
  for (const auto& [method, most] : {std::pair{"bsf", 1.0}, {"fae", 1e9}}) {
    OneBatch batch({.method = method, .selected = 2}, options);
    for (std::uint64_t number = 1; number <= 50; ++number) {
      for (const double w : batch.after(number).network().family().values()) {
        ASSERT_GE(w, 0) << method;
        ASSERT_LE(w, most) << method;
      }
    }
  }
}

TEST(VectorMask, MayDecayTheFirstLayer) {
  TrainOptions options;
  options.mask_penalty = 0;
  const std::vector<float> without = OneBatch({.method = "aefs"}, options).after(0).get("V1", 0, true);
  options.mask_penalty = 60;  // of 0.005
  OneBatch batch({.method = "aefs"}, options);
  Engine& engine = batch.after(0);
  const std::vector<float> gradient = engine.get("V1", 0, true);
  const std::vector<float> values = engine.get("V1");
  for (std::size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(gradient[i] - without[i], 0.3F * values[i], 1e-6F);
}

TEST(VectorMask, OfAGroupLassoIsTheSizeOfTheRowsOfTheFirstLayer) {
  TrainOptions options;
  options.mask_penalty = 4;
  OneBatch batch({.method = "aefs"}, options);
  for (std::uint64_t number = 1; number < 20000; ++number) batch.after(number);
  Engine& engine = batch.after(0);
  const std::vector<double> weights = engine.network().family().values();
  const std::vector<float> rows = engine.get("V1");
  double largest = 0;
  for (std::size_t d = 0; d < kSizes.D; ++d) {
    double squares = 0;
    for (std::size_t j = 0; j < kSizes.F1; ++j) squares += std::pow(static_cast<double>(rows[d * kSizes.F1 + j]), 2);
    EXPECT_NEAR(std::abs(weights[d]), std::sqrt(squares), 0.02) << d;
    largest = std::max(largest, std::abs(weights[d]));
  }
  EXPECT_GT(largest, 0.1);
}

/// The square of a trained number, which is not among the families.
class SquareMask final : public Mask {
 public:
  void start(const MaskStep& /*step*/, std::span<double> weights) const override {
    std::fill(weights.begin(), weights.end(), 1);
  }
  void make(std::span<const double> weights, const MaskStep& /*step*/, std::span<double> mask,
            std::span<double> complement) override {
    for (std::size_t d = 0; d < mask.size(); ++d) mask[d] = weights[d] * weights[d];
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = 1 / (1 + mask[d]);
  }
  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> of_mask,
            std::span<const double> of_complement, std::span<double> gradient) override {
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double w = weights[d];
      const double slope = (1 + w * w) * (1 + w * w);
      gradient[d] += 2 * w * (of_mask[d] - (of_complement.empty() ? 0 : of_complement[d] / slope));
    }
  }
  void scores(std::span<const double> weights, std::span<double> scores) const override {
    for (std::size_t d = 0; d < scores.size(); ++d) scores[d] = weights[d] * weights[d];
  }
};

TEST(ComplementaryLossInTheNetwork, HasTheGradientOfTheLosses) {
  for (const std::string_view loss : {"uniform", "entropy", "distance", "negative"}) {
    EXPECT_LT(error_of_gradient({.method = "dfs", .loss = complement_loss_named(loss).make()}, 2.0F), 5e-3) << loss;
  }
}

TEST(VectorMask, MayBeOnesOwn) {
  const MaskSpec plan{.method = "square", .own = [] { return std::make_unique<SquareMask>(); }};
  for (const float gamma : {0.0F, 2.0F}) EXPECT_LT(error_of_gradient(plan, gamma), 5e-3) << gamma;
}

}  // namespace
}  // namespace obverse::test
