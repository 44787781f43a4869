// The operations on a CUDA device against those on the processor.
#include <gtest/gtest.h>

#include <cmath>

#include <obverse/error.h>

#include "network/definition.h"
#include "network/fixture.h"
#include "support/random.h"

namespace obverse {
namespace {

using test::dataset_of;

std::unique_ptr<Ops> device_ops(const GroupShape& shape) {
  try {
    return cuda_ops(shape, 0);
  } catch (const Error& error) {
    return nullptr;
  }
}

struct Case {
  std::size_t B, D, H, F1, F2, C;
  OutputLoss loss = OutputLoss::softmax;
  bool complement = true;
  double dropout = 0;
  bool sigmoid = false;
  bool weighted = false;
};

struct Data {
  Dataset rows;
  Affine scaling;
  std::vector<float> values;
};

Data random_data(const Case& c, std::size_t rows) {
  RandomStream stream(5, Purpose::generation);
  std::vector<float> X(rows * c.D);
  for (float& x : X) x = static_cast<float>(stream.normal());
  std::vector<std::int32_t> labels(rows);
  for (auto& label : labels) label = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(c.C)));
  Affine scaling{std::vector<float>(c.D), std::vector<float>(c.D)};
  for (float& s : scaling.scale) s = static_cast<float>(stream.uniform(0.5, 1.5));
  for (float& o : scaling.offset) o = static_cast<float>(stream.uniform(-0.5, 0.5));
  return {dataset_of(X, rows, c.D, labels, c.C), scaling, X};
}

/// Everything that a step leaves behind.
struct Left {
  std::vector<float> trunk;
  std::vector<double> mask;
  std::vector<double> losses;
  std::vector<float> scores;
};

constexpr std::size_t kRows = 300;

Left run(Ops& ops, const GroupShape& shape, const Case& c, std::span<const std::uint64_t> seeds,
         std::vector<float> gammas, std::uint64_t steps, bool gradients) {
  TrainOptions options;
  options.mask_hidden = static_cast<int>(c.H);
  options.mask_scale_power = 0.5;
  options.mask_learning_rate = 1e-3;
  const Data data = random_data(c, kRows);
  Network network(ops, shape, options, {.method = c.sigmoid ? "afs" : "fm"}, std::move(gammas));
  network.initialise(seeds);
  Left left;
  for (std::uint64_t step = 1; step <= steps; ++step) {
    std::vector<std::uint32_t> rows;
    std::vector<std::int32_t> labels[2];
    std::vector<float> values[2];
    std::vector<float> weights;
    for (const std::uint64_t seed : seeds) {
      RandomStream stream(seed, Purpose::batches, step);
      for (std::size_t b = 0; b < c.B; ++b) {
        rows.push_back(stream.below(kRows));
        for (std::size_t q = 0; q < 2; ++q) {
          const bool recon = c.loss == OutputLoss::reconstruction;
          labels[q].push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(recon ? c.B : c.C))));
          for (std::size_t i = 0; i < c.C && c.loss != OutputLoss::softmax && !recon; ++i) {
            values[q].push_back(c.loss == OutputLoss::sigmoid ? static_cast<float>(stream.below(2))
                                                              : static_cast<float>(stream.normal()));
          }
        }
        if (c.weighted) weights.push_back(static_cast<float>(stream.uniform(0, 2)));
      }
    }
    ops.gather(data.rows, data.scaling, rows);
    ops.draw_dropout(seeds, step, c.dropout);
    network.step({{labels[0], values[0]}, {labels[1], values[1]}, weights}, gradients ? 0 : step);
  }
  const ParameterView view = network.trunk().view();
  left.trunk.resize(shape.models * view.stride);
  ops.download(gradients ? view.gradients : view.values, left.trunk);
  left.mask = gradients ? network.family().gradients() : network.family().values();
  left.losses = ops.take_totals().losses;
  return left;
}

template <class T>
double difference(std::span<const T> a, std::span<const T> b) {
  double worst = 0;
  double size = 1e-12;
  for (std::size_t i = 0; i < a.size(); ++i) {
    worst = std::max(worst, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return worst / size;
}

void expect_alike(const Case& c, Precision precision, std::uint64_t steps, bool gradients, double tolerance) {
  const std::vector<std::uint64_t> seeds{3, 8, 21};
  const std::vector<float> gammas = c.complement ? std::vector<float>{0.5F, 10.0F} : std::vector<float>{0.0F, 0.0F};
  GroupShape shape{.models = 6,
                   .batches = 3,
                   .rows = c.B,
                   .features = c.D,
                   .width1 = c.F1,
                   .width2 = c.F2,
                   .outputs = c.C,
                   .paths = c.complement ? std::size_t{2} : std::size_t{1},
                   .precision = precision,
                   .loss = c.loss};
  const auto device = device_ops(shape);
  if (device == nullptr) GTEST_SKIP() << "no CUDA device here";
  std::vector<float> all;
  for (std::size_t s = 0; s < seeds.size(); ++s) all.insert(all.end(), gammas.begin(), gammas.end());
  const Left found = run(*device, shape, c, seeds, all, steps, gradients);
  GroupShape one = shape;
  one.models = 2;
  one.batches = 1;
  one.precision = Precision::f32;
  Team team(2);
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const auto ops = cpu_ops(one, team);
    const Left wanted = run(*ops, one, c, std::span(seeds).subspan(s, 1), gammas, steps, gradients);
    const auto part = [s](const auto& values, std::size_t size) { return std::span(values).subspan(s * size, size); };
    EXPECT_LT(difference<float>(part(found.trunk, wanted.trunk.size()), wanted.trunk), tolerance);
    EXPECT_LT(difference<double>(part(found.mask, wanted.mask.size()), wanted.mask), tolerance);
    EXPECT_LT(difference<double>(part(found.losses, wanted.losses.size()), wanted.losses), tolerance);
  }
}

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {{12, 10, 3, 7, 5, 4},
                                        {12, 10, 3, 7, 5, 4, OutputLoss::softmax, false, 0.3},
                                        {150, 600, 8, 16, 8, 3, OutputLoss::softmax, true, 0.3},
                                        {65, 37, 128, 128, 64, 26, OutputLoss::softmax, true, 0.3, false, true},
                                        {64, 530, 40, 128, 64, 10, OutputLoss::softmax, true, 0.5, true},
                                        {33, 50, 8, 32, 16, 5, OutputLoss::sigmoid, true, 0.3, false, true},
                                        {33, 50, 8, 32, 16, 2, OutputLoss::square, true, 0.3},
                                        {33, 50, 8, 32, 16, 50, OutputLoss::reconstruction, true, 0.3}};
  return all;
}

TEST(Cuda, GivesTheGradientsOfTheProcessor) {
  for (const Case& c : cases()) expect_alike(c, Precision::f32, 1, true, 2e-5);
}

TEST(Cuda, InBf16StaysNearTheGradientsOfTheProcessor) {
  for (const Case& c : cases()) expect_alike(c, Precision::bf16, 1, true, 0.25);
}

TEST(Cuda, TracksTheProcessorForFiftySteps) {
  for (const Case& c : cases()) expect_alike(c, Precision::f32, 50, false, 2e-2);
}

}  // namespace
}  // namespace obverse
