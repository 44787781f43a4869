// The operations on a CUDA device against those on the processor. Tolerances are shares of the largest number that is
// compared.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <obverse/error.h>

#include "backend/cuda_fixture.h"
#include "loss/losses.h"
#include "network/fixture.h"
#include "support/random.h"

namespace obverse {
namespace {

using test::dataset_of;

class Cuda : public testing::Test {
 protected:
  void SetUp() override { test::need_cuda(); }
};

template <class T>
double difference(std::span<const T> a, std::span<const T> b) {
  if (a.size() != b.size()) return 1e9;
  double worst = 0;
  double size = 1e-12;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double gap = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    worst = std::max(worst, std::isfinite(gap) ? gap : 1e9);
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return worst / size;
}

// By the root of the sum of squares.
template <class T>
double distance(std::span<const T> a, std::span<const T> b) {
  double gap = 0;
  double size = 1e-24;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto [x, y] = std::pair(static_cast<double>(a[i]), static_cast<double>(b[i]));
    gap += (x - y) * (x - y);
    size += y * y;
  }
  return std::sqrt(gap / size);
}

// One step of a network

struct Case {
  std::size_t B, D, H, F1, F2, C;
  OutputLoss loss = OutputLoss::softmax;
  bool complement = true;
  double dropout = 0;
  std::string method = "fm";
  bool weighted = false;
  bool remainder = false;
  double leak = 0.02;
  std::shared_ptr<const ComplementaryLoss> own_loss = {};
  std::vector<std::size_t> begin = {};  // first columns of features that have several
  std::vector<std::size_t> kept = {};   // features without an entry in the mask
};

constexpr std::size_t kRows = 300;

std::vector<float> random_values(std::size_t count, std::uint64_t seed = 5) {
  RandomStream stream(seed, Purpose::generation);
  std::vector<float> values(count);
  for (float& x : values) x = static_cast<float>(stream.normal());
  return values;
}

struct Data {
  Dataset rows;
  Affine scaling;
};

Data random_data(const Case& c) {
  RandomStream stream(7, Purpose::generation);
  std::vector<std::int32_t> labels(kRows);
  for (auto& label : labels) label = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(c.C)));
  Affine scaling{std::vector<float>(c.D), std::vector<float>(c.D)};
  for (float& s : scaling.scale) s = static_cast<float>(stream.uniform(0.5, 1.5));
  for (float& o : scaling.offset) o = static_cast<float>(stream.uniform(-0.5, 0.5));
  return {dataset_of(random_values(kRows * c.D), kRows, c.D, labels, c.C), scaling};
}

GroupShape shape_of(const Case& c, Precision precision = Precision::f32, std::size_t models = 2,
                    std::size_t batches = 1) {
  return {.models = models,
          .batches = batches,
          .rows = c.B,
          .columns = c.D,
          .width1 = c.F1,
          .width2 = c.F2,
          .outputs = c.C,
          .paths = c.complement ? std::size_t{2} : std::size_t{1},
          .precision = precision,
          .loss = c.loss,
          .begin = c.begin,
          .kept = c.kept};
}

// The rows of a step and what comes with them, drawn by seed and step.
struct StepInputs {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> labels[2];
  std::vector<float> values[2];
  std::vector<float> weights;

  StepTargets targets() const { return {{labels[0], values[0]}, {labels[1], values[1]}, weights}; }
};

StepInputs step_inputs(const Case& c, std::span<const std::uint64_t> seeds, std::uint64_t step) {
  StepInputs inputs;
  const bool shown = c.loss == OutputLoss::reconstruction;
  const bool valued = c.loss == OutputLoss::sigmoid || c.loss == OutputLoss::square;
  for (const std::uint64_t seed : seeds) {
    RandomStream stream(seed, Purpose::batches, step);
    for (std::size_t b = 0; b < c.B; ++b) {
      inputs.rows.push_back(stream.below(kRows));
      for (std::size_t q = 0; q < 2; ++q) {
        inputs.labels[q].push_back(
            static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(shown ? c.B : c.C))));
        for (std::size_t i = 0; valued && i < c.C; ++i) {
          inputs.values[q].push_back(c.loss == OutputLoss::sigmoid ? static_cast<float>(stream.below(2))
                                                                   : static_cast<float>(stream.normal()));
        }
      }
      if (c.weighted) inputs.weights.push_back(static_cast<float>(stream.uniform(0, 2)));
    }
  }
  return inputs;
}

// Everything that steps leave behind.
struct Left {
  std::vector<float> trunk;
  std::vector<double> mask;
  std::vector<double> losses;
};

enum class Leave { gradients, values };

Left run(Ops& ops, const GroupShape& shape, const Case& c, std::span<const std::uint64_t> seeds,
         std::vector<float> gammas, std::uint64_t steps, Leave leave, bool as_steps = false) {
  TrainOptions options;
  options.mask_hidden = static_cast<int>(c.H);
  options.mask_scale_power = 0.5;
  options.mask_learning_rate = 1e-3;
  options.leak = c.leak;
  const Data data = random_data(c);
  const MaskSpec plan{.method = c.method, .remainder = c.remainder, .steps = steps, .loss = c.own_loss};
  Network network(ops, shape, options, plan, std::move(gammas));
  network.initialise(seeds);
  for (std::uint64_t step = 1; step <= steps; ++step) {
    const StepInputs inputs = step_inputs(c, seeds, step);
    if (as_steps && network.on_device()) ops.begin_step();
    ops.gather(data.rows, data.scaling, inputs.rows);
    ops.draw_dropout(seeds, step, c.dropout);
    network.step(inputs.targets(), leave == Leave::gradients ? 0 : step);
    if (as_steps && network.on_device()) ops.end_step();
  }
  const ParameterView view = network.trunk().view();
  Left left;
  left.trunk.resize(shape.models * view.stride);
  ops.download(leave == Leave::gradients ? view.gradients : view.values, left.trunk);
  left.mask = leave == Leave::gradients ? network.family().gradients() : network.family().values();
  left.losses = ops.take_totals().losses;
  return left;
}

struct Tolerance {
  double largest;     ///< `difference`
  double norm = 1e9;  ///< `distance`
};

// Three seeds side by side on the device against one after the other on the processor, which computes in float.
void expect_alike(const Case& c, Precision precision, std::uint64_t steps, Leave leave, const Tolerance& tolerance) {
  const std::vector<std::uint64_t> seeds{3, 8, 21};
  const std::vector<float> gammas = c.complement ? std::vector<float>{0.5F, 10.0F} : std::vector<float>{0.0F, 0.0F};
  const GroupShape shape = shape_of(c, precision, 6, 3);
  std::vector<float> all;
  for (std::size_t s = 0; s < seeds.size(); ++s) all.insert(all.end(), gammas.begin(), gammas.end());
  Team team(2);
  const auto device = device_named("cuda").make_ops(shape, team);
  const Left found = run(*device, shape, c, seeds, all, steps, leave, true);
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    const GroupShape one = shape_of(c);
    const auto ops = processor().make_ops(one, team);
    const Left wanted = run(*ops, one, c, std::span(seeds).subspan(s, 1), gammas, steps, leave);
    const auto part = [s](const auto& values, std::size_t size) { return std::span(values).subspan(s * size, size); };
    const std::string where = cat("D ", c.D, " F1 ", c.F1, " C ", c.C, ' ', c.method, " loss ",
                                  static_cast<int>(c.loss), " features ", shape.features());
    const auto compare = [&](const char* what, auto a, auto b) {
      EXPECT_LT(difference(a, b), tolerance.largest) << where << ' ' << what;
      EXPECT_LT(distance(a, b), tolerance.norm) << where << ' ' << what;
    };
    compare("trunk", part(found.trunk, wanted.trunk.size()), std::span<const float>(wanted.trunk));
    compare("mask", part(found.mask, wanted.mask.size()), std::span<const double>(wanted.mask));
    compare("losses", part(found.losses, wanted.losses.size()), std::span<const double>(wanted.losses));
  }
}

// Shapes of all kinds; those with widths of 128 and 64 go through the fused kernels in bf16.
std::vector<Case> cases() {
  std::vector<Case> all = {{12, 10, 3, 7, 5, 4},
                           {12, 10, 3, 7, 5, 4, OutputLoss::softmax, false, 0.3},
                           {150, 600, 8, 16, 16, 3, OutputLoss::softmax, true, 0.3},
                           {65, 37, 128, 128, 64, 26, OutputLoss::softmax, true, 0.3, "fm", true},
                           {65, 37, 16, 128, 64, 10, OutputLoss::softmax, false, 0.3, "fm", true},
                           {64, 530, 40, 128, 64, 10, OutputLoss::softmax, true, 0.5, "afs"},
                           {64, 53, 4, 48, 32, 2, OutputLoss::softmax, true, 0, "fm", false, true, 0.0},
                           {33, 50, 8, 32, 16, 5, OutputLoss::sigmoid, true, 0.3, "fm", true},
                           {33, 50, 8, 128, 64, 32, OutputLoss::sigmoid, true, 0.3, "fm", true},
                           {33, 50, 8, 128, 64, 1, OutputLoss::square, false, 0.3},
                           {33, 50, 8, 32, 16, 2, OutputLoss::square, true, 0.3},
                           {33, 50, 8, 32, 16, 50, OutputLoss::reconstruction, true, 0.3},
                           {40, 30, 8, 32, 16, 3, OutputLoss::softmax, true, 0.3, "dfs"},
                           {256, 784, 8, 128, 64, 10, OutputLoss::softmax, true, 0.3}};
  for (const std::string_view loss : {"uniform", "entropy", "distance", "negative"}) {
    Case c{40, 30, 8, 32, 16, 3, OutputLoss::softmax, true, 0.3, "fm", loss == "distance"};
    c.own_loss = complement_loss_named(loss).make();
    all.push_back(c);
  }
  return all;
}

// First columns of features that have one, several, or most of them.
std::vector<std::size_t> uneven_features(std::size_t D) {
  std::vector<std::size_t> begin{0, 1, 2};
  while (begin.back() + 3 < D / 2) begin.push_back(begin.back() + begin.size() % 3 + 1);
  begin.push_back(D);
  return begin;
}

// Two columns each, the last feature perhaps one more.
std::vector<std::size_t> pairs_of_columns(std::size_t D) {
  std::vector<std::size_t> begin;
  for (std::size_t d = 0; d + 1 < D; d += 2) begin.push_back(d);
  begin.push_back(D);
  return begin;
}

std::vector<Case> cases_of_several_columns(std::vector<std::size_t> (*features)(std::size_t D)) {
  std::vector<Case> all = cases();
  for (Case& c : all) c.begin = features(c.D);
  return all;
}

TEST_F(Cuda, GivesTheGradientsOfTheProcessor) {
  for (const Case& c : cases()) expect_alike(c, Precision::f32, 1, Leave::gradients, {2e-5});
}

TEST_F(Cuda, InTf32StaysNearThem) {
  for (const Case& c : cases()) expect_alike(c, Precision::tf32, 1, Leave::gradients, {0.15, 0.08});
}

TEST_F(Cuda, InBf16StaysNearThem) {
  for (const Case& c : cases()) expect_alike(c, Precision::bf16, 1, Leave::gradients, {0.25, 0.15});
}

TEST_F(Cuda, TracksTheProcessorForFiftySteps) {
  for (const Case& c : cases()) expect_alike(c, Precision::f32, 50, Leave::values, {2e-2});
}

TEST_F(Cuda, GivesTheGradientsOfTheProcessorWhereFeaturesHaveSeveralColumns) {
  for (const Case& c : cases_of_several_columns(uneven_features)) {
    expect_alike(c, Precision::f32, 1, Leave::gradients, {2e-5});
  }
  // Sums over most of the columns cancel, and would show little but the rounding of short numbers.
  for (const Case& c : cases_of_several_columns(pairs_of_columns)) {
    expect_alike(c, Precision::tf32, 1, Leave::gradients, {0.15, 0.08});
    expect_alike(c, Precision::bf16, 1, Leave::gradients, {0.4, 0.2});
  }
}

TEST_F(Cuda, TracksTheProcessorForFiftyStepsWhereFeaturesHaveSeveralColumns) {
  for (const Case& c : cases_of_several_columns(uneven_features)) {
    expect_alike(c, Precision::f32, 50, Leave::values, {4e-2});
  }
}

// Features of one column or several, of which every third is kept.
std::vector<Case> cases_with_kept_features(std::vector<std::size_t> (*features)(std::size_t D)) {
  std::vector<Case> all = cases_of_several_columns(features);
  for (Case& c : all) {
    for (std::size_t f = 1; f + 1 < c.begin.size(); f += 3) c.kept.push_back(f);
  }
  return all;
}

TEST_F(Cuda, GivesTheGradientsOfTheProcessorWhereFeaturesAreKept) {
  for (const Case& c : cases_with_kept_features(uneven_features)) {
    expect_alike(c, Precision::f32, 1, Leave::gradients, {2e-5});
  }
  // Without the kept features the outputs behind the complement are nearly even: what losses that want them so leave of
  // a gradient is small, and rounding a large part of it.
  for (const Case& c : cases_with_kept_features(pairs_of_columns)) {
    expect_alike(c, Precision::tf32, 1, Leave::gradients, {0.4, 0.2});
    expect_alike(c, Precision::bf16, 1, Leave::gradients, {0.5, 0.3});
  }
}

TEST_F(Cuda, TracksTheProcessorForFiftyStepsWhereFeaturesAreKept) {
  for (const Case& c : cases_with_kept_features(uneven_features)) {
    expect_alike(c, Precision::f32, 50, Leave::values, {4e-2});
  }
}

// As a graph, with the last batch of an epoch shorter than the others, and twice.
TEST_F(Cuda, GivesTheSameBitsStepByStepAndAsAGraph) {
  for (const auto& [precision, several] : {std::pair(Precision::f32, false), std::pair(Precision::bf16, false),
                                           std::pair(Precision::f32, true), std::pair(Precision::bf16, true)}) {
    Case c{65, 37, 16, 128, 64, 26, OutputLoss::softmax, true, 0.3};
    if (several) c.begin = uneven_features(c.D);
    const std::vector<std::uint64_t> seeds{3, 8};
    const GroupShape shape = shape_of(c, precision, 4, 2);
    Team team(1);
    const auto left = [&](bool as_steps) {
      const auto ops = device_named("cuda").make_ops(shape, team);
      return run(*ops, shape, c, seeds, {0.5F, 10.0F, 0.5F, 10.0F}, 20, Leave::values, as_steps);
    };
    const Left graph = left(true);
    for (const Left& other : {left(false), left(true)}) {
      EXPECT_EQ(graph.trunk, other.trunk);
      EXPECT_EQ(graph.mask, other.mask);
      EXPECT_EQ(graph.losses, other.losses);
    }
  }
}

// Operations by themselves

// The same numbers on the processor and on a device.
struct Both {
  explicit Both(const GroupShape& shape)
      : team(2), cpu(processor().make_ops(shape, team)), cuda(device_named("cuda").make_ops(shape, team)) {}

  // Runs on both with memory of their own that begins with the same numbers; what the memory holds after it.
  template <class Body>
  std::pair<std::vector<float>, std::vector<float>> run(std::span<const float> start, Body&& body) {
    std::vector<float> results[2];
    Ops* all[2] = {cpu.get(), cuda.get()};
    for (std::size_t i = 0; i < 2; ++i) {
      const Buffer memory = all[i]->allocate(start.size());
      all[i]->upload(start, memory.get());
      body(*all[i], memory.get());
      results[i].resize(start.size());
      all[i]->download(memory.get(), results[i]);
    }
    return {results[0], results[1]};
  }

  Team team;
  std::unique_ptr<Ops> cpu;
  std::unique_ptr<Ops> cuda;
};

TEST_F(Cuda, AttentionAndItsWayBackAreThoseOfTheProcessor) {
  const Case c{50, 77, 9, 16, 16, 3};
  const GroupShape shape = shape_of(c);
  Both both(shape);
  const Data data = random_data(c);
  const std::vector<std::uint64_t> seeds{4};
  const StepInputs inputs = step_inputs(c, seeds, 1);
  const std::size_t size = 2 * AttentionLayout(shape, c.H).size;
  const std::size_t kept = 2 * (c.B * c.H + c.H + c.D);
  std::vector<float> start = random_values(4 * size + kept);
  for (std::size_t i = size; i < 4 * size; ++i) start[i] = std::abs(start[i]) * 1e-3F;  // gradients and moments
  for (const bool step : {false, true}) {
    const auto [wanted, found] = both.run(start, [&](Ops& ops, float* memory) {
      float* rest = memory + 4 * size;
      const AttentionArgs args{{memory, memory + size, memory + 2 * size, memory + 3 * size, size / 2},
                               c.H,
                               rest,
                               rest + 2 * c.B * c.H,
                               rest + 2 * c.B * c.H + 2 * c.H};
      ops.gather(data.rows, data.scaling, inputs.rows);
      ops.attention(args);
      ops.attention_back(args, step ? Update(adam_factors(1e-3, 3)) : Update());
    });
    const auto part = [&](const std::vector<float>& all, std::size_t begin, std::size_t count) {
      return std::span<const float>(all).subspan(begin, count);
    };
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_LT(difference(part(found, i * size, size), part(wanted, i * size, size)), 2e-5);
    const std::size_t means = 4 * size + 2 * c.B * c.H;
    EXPECT_LT(difference(part(found, means, 2 * c.H), part(wanted, means, 2 * c.H)), 1e-5);
    EXPECT_LT(difference(part(found, means + 2 * c.H, 2 * c.D), part(wanted, means + 2 * c.H, 2 * c.D)), 1e-5);
  }
}

TEST_F(Cuda, MasksAndTheirWayBackAreThoseOfTheProcessor) {
  for (const bool complement : {false, true}) {
    for (const MaskForm& form :
         {MaskForm{.scale = 3}, MaskForm{.scale = 1, .sigmoid = true}, MaskForm{.scale = 2, .remainder = true}}) {
      Case c{8, 1500, 4, 16, 16, 3};
      c.complement = complement;
      const GroupShape shape = shape_of(c);
      Both both(shape);
      const std::size_t masks = 2 * shape.paths * c.D;
      const auto [wanted, found] = both.run(random_values(2 * c.D + 2 * masks), [&](Ops& ops, float* memory) {
        float* mask = memory + 2 * c.D;
        ops.score_masks(memory, form, mask);
        ops.score_masks_back(mask, mask + masks, form, memory);
      });
      const auto scores = [&](const std::vector<float>& all) { return std::span<const float>(all).first(2 * c.D); };
      const auto made = [&](const std::vector<float>& all) {
        return std::span<const float>(all).subspan(2 * c.D, masks);
      };
      EXPECT_LT(difference(made(found), made(wanted)), 1e-5);
      EXPECT_LT(difference(scores(found), scores(wanted)), 1e-5);
    }
  }
}

TEST_F(Cuda, SpreadsMasksAndAddsUpTheirGradientsAsTheProcessorDoes) {
  for (const bool complement : {false, true}) {
    for (const auto& begin : {std::vector<std::size_t>{0, 1, 2, 34, 35, 1035, 1500}, std::vector<std::size_t>{0, 1500},
                              uneven_features(1500)}) {
      Case c{8, 1500, 4, 16, 16, 3};
      c.complement = complement;
      c.begin = begin;
      if (begin.size() > 3) c.kept = {1, 3};  // whose columns stay as they are
      const GroupShape shape = shape_of(c);
      Both both(shape);
      const std::size_t entries = 2 * shape.paths * shape.features();
      const std::size_t columns = 2 * shape.paths * c.D;
      // Entries, their columns, gradients of columns, and of entries.
      const auto [wanted, found] = both.run(random_values(2 * entries + 2 * columns), [&](Ops& ops, float* memory) {
        ops.spread_masks(memory, memory + entries);
        ops.spread_masks_back(memory + entries + columns, memory + entries + 2 * columns);
      });
      EXPECT_TRUE(std::equal(found.begin(), found.end() - static_cast<std::ptrdiff_t>(entries), wanted.begin()));
      EXPECT_LT(difference(std::span<const float>(found).last(entries), std::span<const float>(wanted).last(entries)),
                1e-5);
    }
  }
}

// A feature of one column is that column, to the bit.
TEST_F(Cuda, GivesFeaturesOfOneColumnEachTheBitsOfAStepWithoutAMap) {
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    Case c{65, 37, 16, 128, 64, 26, OutputLoss::softmax, true, 0.3};
    const std::vector<std::uint64_t> seeds{3, 8};
    Team team(1);
    const auto left = [&] {
      const GroupShape shape = shape_of(c, precision, 4, 2);
      const auto ops = device_named("cuda").make_ops(shape, team);
      return run(*ops, shape, c, seeds, {0.5F, 10.0F, 0.5F, 10.0F}, 20, Leave::values, true);
    };
    const Left plain = left();
    for (std::size_t d = 0; d <= c.D; ++d) c.begin.push_back(d);
    const Left mapped = left();
    EXPECT_EQ(mapped.trunk, plain.trunk);
    EXPECT_EQ(mapped.mask, plain.mask);
    EXPECT_EQ(mapped.losses, plain.losses);
  }
}

TEST_F(Cuda, CountsLossesAndHitsForwardAsTheProcessorDoes) {
  for (const Case& c : cases()) {
    for (const Precision precision : {Precision::f32, Precision::bf16}) {
      const GroupShape shape = shape_of(c, precision);
      const GroupShape plain = shape_of(c);
      const Data data = random_data(c);
      const std::vector<std::uint64_t> seeds{4};
      const StepInputs inputs = step_inputs(c, seeds, 1);
      TrainOptions options;
      options.mask_hidden = static_cast<int>(c.H);
      Team team(2);
      Totals totals[2];
      for (std::size_t i = 0; i < 2; ++i) {
        const auto ops = i == 0 ? processor().make_ops(plain, team) : device_named("cuda").make_ops(shape, team);
        Network network(*ops, i == 0 ? plain : shape, options, {.method = c.method}, {1.0F, 2.0F});
        network.initialise(seeds);
        ops->gather(data.rows, data.scaling, inputs.rows);
        ops->draw_dropout(seeds, 1, 0);
        network.evaluate(inputs.targets().main, inputs.targets().weights);
        totals[i] = ops->take_totals();
      }
      const bool narrow = precision == Precision::bf16;
      for (std::size_t m = 0; m < 2; ++m) {
        const double wanted = totals[0].losses[m * shape.paths];
        EXPECT_NEAR(totals[1].losses[m * shape.paths], wanted, (narrow ? 2e-2 : 1e-5) * std::abs(wanted) + 1e-6);
        const double answers = static_cast<double>(c.B * (c.loss == OutputLoss::sigmoid ? c.C : 1));
        EXPECT_NEAR(static_cast<double>(totals[1].hits[m]), static_cast<double>(totals[0].hits[m]),
                    narrow ? 0.1 * answers + 1 : 0.5);
      }
    }
  }
}

TEST_F(Cuda, SaysWhichDevicesThereAre) {
  try {
    device_named("cuda:99");
    FAIL() << "there is no such device";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::device);
    EXPECT_NE(std::string(error.what()).find("no CUDA device 99"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace obverse
