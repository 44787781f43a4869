// The losses of labels, quantities and reconstructions: against PyTorch, against differences, and with weights.
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "backend/cpu/loops.h"
#include "backend/loop_tables.h"
#include "network/fixture.h"
#include "reference/reference.h"

namespace obverse::test {
namespace {

constexpr Sizes kSizes{.B = 24, .D = 6, .H = 4, .F1 = 8, .F2 = 5, .C = 3};

TEST(OutputLosses, AgreeWithPyTorchAutograd) {
  const Reference reference("tasks");
  const auto tables = available_tables<cpu::Loops>();
  constexpr std::size_t kRows = 5;
  constexpr std::size_t kOutputs = 7;
  constexpr std::size_t kStride = 16;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    for (const std::string name : {"sigmoid", "square"}) {
      std::vector<float> x(kRows * kStride, -1e30F);
      for (std::size_t i = 0; i < kRows * kOutputs; ++i) {
        x[i / kOutputs * kStride + i % kOutputs] = static_cast<float>(reference["outputs"][i]);
      }
      const auto error = name == "sigmoid" ? tables[t]->sigmoid_cross_entropy : tables[t]->square_error;
      const std::vector<float> y = reference.floats(name == "sigmoid" ? "labels" : "values");
      EXPECT_NEAR(error(x.data(), kStride, y.data(), kOutputs, 0.5F, kRows), reference.number(name + ".loss"), 1e-5)
          << name << ", " << name_of(static_cast<InstructionSet>(t));
      for (std::size_t i = 0; i < kRows * kStride; ++i) {
        const std::size_t column = i % kStride;
        const double wanted =
            column < kOutputs ? 0.5 * reference[name + ".gradient"][i / kStride * kOutputs + column] : 0.0;
        EXPECT_NEAR(static_cast<double>(x[i]), wanted, 1e-6) << name << ", " << name_of(static_cast<InstructionSet>(t));
      }
    }
  }
}

struct Batch {
  Dataset data;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> others;
  std::vector<float> values;
  std::vector<float> random_values;
};

Batch random_batch(OutputLoss loss) {
  RandomStream stream(3, Purpose::generation);
  std::vector<float> X(kSizes.B * kSizes.D);
  for (float& x : X) x = static_cast<float>(stream.uniform(-1, 1));
  Batch batch{dataset_of(X, kSizes.B, kSizes.D, std::vector<std::int32_t>(kSizes.B, 0), 3), {}, {}, {}, {}};
  for (std::size_t b = 0; b < kSizes.B; ++b) {
    batch.rows.push_back(static_cast<std::int32_t>(b));
    batch.others.push_back(static_cast<std::int32_t>(kSizes.B - 1 - b));
  }
  for (std::vector<float>* values : {&batch.values, &batch.random_values}) {
    for (std::size_t i = 0; i < kSizes.B * kSizes.C; ++i) {
      const double x = stream.uniform(-1, 1);
      values->push_back(loss == OutputLoss::sigmoid ? (x > 0 ? 1.0F : 0.0F) : static_cast<float>(x));
    }
  }
  return batch;
}

Sizes sizes_of(OutputLoss loss) {
  Sizes sizes = kSizes;
  if (loss == OutputLoss::reconstruction) sizes.C = sizes.D;
  return sizes;
}

StepTargets targets_of(const Batch& batch, OutputLoss loss) {
  if (loss == OutputLoss::reconstruction) return {{batch.rows}, {batch.others}};
  return {{{}, batch.values}, {{}, batch.random_values}};
}

void gather(Engine& engine, const Batch& batch) {
  std::vector<std::uint32_t> rows(batch.rows.begin(), batch.rows.end());
  engine.ops().gather(batch.data, identity(kSizes.D), rows);
  engine.draw_dropout(1, 1, 0);
}

constexpr OutputLoss kLosses[] = {OutputLoss::sigmoid, OutputLoss::square, OutputLoss::reconstruction};

TEST(OutputLosses, HaveTheGradientOfDifferencesInTheNetwork) {
  for (const OutputLoss kind : kLosses) {
    for (const float gamma : {0.0F, 2.0F}) {
      const Batch batch = random_batch(kind);
      TrainOptions options;
      options.mask_scale_power = 1;
      options.mask_penalty = 0;
      options.leak = 1;  // no kinks: steps that show in float are large
      Engine engine(sizes_of(kind), options, {gamma}, 1, {.method = "dfs"}, kind);
      engine.initialise(1);
      gather(engine, batch);
      const auto loss = [&] {
        const Losses losses = engine.step(targets_of(batch, kind), 0);
        return losses.main[0] + static_cast<double>(gamma) * losses.complement[0];
      };
      loss();
      MaskFamily& family = engine.network().family();
      const std::vector<double> found = family.gradients();
      const std::vector<double> numeric = numeric_gradient(family, loss, 2e-2);
      EXPECT_LT(relative_difference(numeric, found), 1e-2) << static_cast<int>(kind) << ", gamma " << gamma;
    }
  }
}

TEST(RowWeights, CountAsRepeatedRowsDo) {
  for (const OutputLoss kind : {OutputLoss::softmax, OutputLoss::sigmoid, OutputLoss::square}) {
    const Batch batch = random_batch(kind);
    const auto labels = std::vector<std::int32_t>{0, 1, 2, 1, 0, 2, 2, 1, 0, 1, 2, 0};
    // Twelve rows, the first of them three times as heavy, against fourteen with two copies of it.
    std::vector<float> weights(12, 1.0F);
    weights[0] = 3;
    std::vector<std::vector<float>> gradients;
    for (const bool repeated : {false, true}) {
      std::vector<std::uint32_t> rows(12);
      std::iota(rows.begin(), rows.end(), 0U);
      std::vector<std::int32_t> classes = labels;
      std::vector<float> values(batch.values.begin(), batch.values.begin() + 12 * 3);
      for (int copy = 0; repeated && copy < 2; ++copy) {
        rows.push_back(0);
        classes.push_back(labels[0]);
        values.insert(values.end(), batch.values.begin(), batch.values.begin() + 3);
      }
      TrainOptions options;
      Engine engine(kSizes, options, {1.0F}, 1, {.method = "dfs"}, kind);
      engine.initialise(1);
      engine.ops().gather(batch.data, identity(kSizes.D), rows);
      engine.draw_dropout(1, 1, 0);
      StepTargets targets{{classes, values}, {classes, values}};
      if (!repeated) targets.weights = weights;
      engine.step(targets, 0);
      gradients.push_back(engine.get("V1", 0, true));
    }
    // Means over twelve and over fourteen rows.
    for (float& value : gradients[1]) value *= 14.0F / 12.0F;
    EXPECT_LT(relative_difference(gradients[0], gradients[1]), 1e-5) << static_cast<int>(kind);
  }
}

}  // namespace
}  // namespace obverse::test
