// Gradients: the definition against central differences in double, the engine against the definition, and both against
// PyTorch autograd.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "backend/cpu/products.h"
#include "network/fixture.h"
#include "reference/reference.h"

namespace obverse::test {
namespace {

template <class T>
std::vector<T> random_values(std::uint64_t index, std::size_t count, double reach) {
  RandomStream stream(77, Purpose::generation, index);
  std::vector<T> values(count);
  for (T& v : values) v = static_cast<T>(static_cast<float>(stream.uniform(-reach, reach)));
  return values;
}

// With `features` where several columns share an entry of the mask.
template <class T>
Tensors<T> random_parameters(const Sizes& n, bool complement, std::optional<std::size_t> features = {}) {
  const std::size_t E = features.value_or(n.D);
  Tensors<T> p{{"W1", random_values<T>(1, n.D * n.H, 0.5)},   {"b1", random_values<T>(2, n.H, 0.3)},
               {"W2", random_values<T>(3, n.H * E, 0.8)},     {"b2", random_values<T>(4, E, 0.3)},
               {"V1", random_values<T>(5, n.D * n.F1, 0.9)},  {"c1", random_values<T>(6, n.F1, 0.2)},
               {"V2", random_values<T>(7, n.F1 * n.F2, 0.6)}, {"c2", random_values<T>(8, n.F2, 0.2)},
               {"Um", random_values<T>(9, n.F2 * n.C, 0.9)},  {"um", random_values<T>(10, n.C, 0.2)}};
  if (complement) {
    p["Uc"] = random_values<T>(11, n.F2 * n.C, 0.9);
    p["uc"] = random_values<T>(12, n.C, 0.2);
  }
  return p;
}

template <class T>
Case<T> random_case(const Sizes& n, T gamma, double scale_power, double dropout) {
  Case<T> c;
  c.n = n;
  c.gamma = gamma;
  c.leak = T(0.02);
  c.complement = gamma > 0;
  c.scale = static_cast<T>(static_cast<float>(std::pow(static_cast<double>(n.D), scale_power)));
  c.X = random_values<T>(20, n.B * n.D, 1.5);
  RandomStream stream(5, Purpose::generation, 21);
  for (std::size_t b = 0; b < n.B; ++b) {
    c.y.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(n.C))));
    c.r.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(n.C))));
  }
  // The engine's own stream for seed 3, step 1: eight 16-bit numbers in a block, rows hold their paths side by side.
  const std::size_t paths = c.complement ? 2 : 1;
  const auto threshold = static_cast<std::uint32_t>(std::lround(dropout * 65536));
  for (auto& keep : c.keep) keep.assign(n.B * n.F2, T(1));
  for (std::size_t i = 0; dropout > 0 && i < n.B * paths * n.F2; ++i) {
    const auto block =
        philox({static_cast<std::uint32_t>(i / 8), 1, static_cast<std::uint32_t>(Purpose::dropout), 0}, 3, 0);
    const std::uint32_t word = block[i % 8 / 2];
    const std::uint32_t drawn = i % 2 == 0 ? word & 0xFFFFU : word >> 16;
    const std::size_t row = i / (paths * n.F2);
    const std::size_t path = i / n.F2 % paths;
    c.keep[path][row * n.F2 + i % n.F2] = drawn >= threshold ? T(1) / T(1 - dropout) : T(0);
  }
  return c;
}

// The first columns of features that have one, two, three, four columns, one, two, ... of D.
std::vector<std::size_t> uneven_features(std::size_t D) {
  std::vector<std::size_t> begin{0};
  while (begin.back() < D) begin.push_back(std::min(D, begin.back() + 1 + (begin.size() - 1) % 4));
  return begin;
}

// Gives the mask of a case an entry for each feature that begins there and is not kept.
template <class T>
void share_entries(Case<T>& c, double scale_power, std::vector<std::size_t> begin, std::vector<std::size_t> kept = {}) {
  c.begin = std::move(begin);
  c.kept = std::move(kept);
  c.scale = static_cast<T>(static_cast<float>(std::pow(static_cast<double>(c.features()), scale_power)));
}

// Every third feature, from the second on; some feature is left.
std::vector<std::size_t> every_third(std::size_t features) {
  std::vector<std::size_t> kept;
  for (std::size_t f = 1; f < features; f += 3) kept.push_back(f);
  return kept;
}

void expect_central_differences(bool shared, bool kept = false) {
  const Sizes n{6, 7, 3, 5, 4, 3};
  for (const auto& [gamma, remainder] : {std::pair(0.0, false), std::pair(0.7, false), std::pair(0.7, true)}) {
    for (const double power : {0.0, 0.5}) {
      auto c = random_case<double>(n, gamma, power, 0.3);
      c.remainder = remainder;
      if (shared) share_entries(c, power, uneven_features(n.D));
      if (kept) share_entries(c, power, c.begin, every_third(c.features()));
      auto p = random_parameters<double>(n, c.complement, c.features());
      const auto answer = define(c, p);
      for (auto& [name, values] : p) {
        std::vector<double> numeric(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          const double step = 1e-5;
          const double kept = values[i];
          values[i] = kept + step;
          const double above = define(c, p).total(gamma);
          values[i] = kept - step;
          const double below = define(c, p).total(gamma);
          values[i] = kept;
          numeric[i] = (above - below) / (2 * step);
        }
        EXPECT_LT(relative_difference(numeric, answer.gradients.at(name)), 1e-6)
            << name << ", gamma " << gamma << ", power " << power << ", remainder " << remainder;
      }
    }
  }
}

TEST(Definition, AgreesWithCentralDifferencesInDoubleForEveryParameter) { expect_central_differences(false); }

TEST(Definition, AgreesWithThemWhereColumnsShareAnEntryOfTheMask) { expect_central_differences(true); }

TEST(Definition, AgreesWithThemWhereFeaturesAreKept) { expect_central_differences(true, true); }

struct Shapes {
  Sizes n;
  double gamma;
  double power;
  double dropout;
  bool remainder = false;
};

TrainOptions options_of(const Sizes& n, double power) {
  TrainOptions options;
  options.mask_hidden = static_cast<int>(n.H);
  options.mask_scale_power = power;
  return options;
}

struct Tolerance {
  double loss;
  double gradient;
};

// With an offset the batch is sparse: two of three values are the offset of their column. With `begin` columns share
// entries of the mask, and those of `kept` features have none.
void expect_engine_agrees(const Shapes& s, Precision precision, const Tolerance& tolerance, std::size_t threads,
                          std::optional<float> offset = {}, const std::vector<std::size_t>& begin = {},
                          const std::vector<std::size_t>& kept = {}) {
  auto c = random_case<double>(s.n, s.gamma, s.power, s.dropout);
  c.remainder = s.remainder;
  share_entries(c, s.power, begin, kept);
  Affine scaling = identity(s.n.D);
  for (std::size_t d = 0; d < s.n.D && offset; ++d) {
    scaling.scale[d] = 0.5F;
    scaling.offset[d] = *offset * static_cast<float>(d % 5);
    for (std::size_t r = 0; r < s.n.B; ++r) {
      if ((r + d) % 3 != 0) c.X[r * s.n.D + d] = static_cast<double>(scaling.offset[d]);
    }
  }
  const auto p = random_parameters<double>(s.n, c.complement, c.features());
  const auto wanted = define(c, p);
  TrainOptions options = options_of(s.n, s.power);
  options.precision = precision;
  Engine engine(s.n, options, {static_cast<float>(s.gamma)}, threads, {.remainder = s.remainder}, OutputLoss::softmax,
                offset.has_value(), begin, kept);
  for (const auto& [name, values] : p) engine.set(name, values);
  const std::vector<float> X(c.X.begin(), c.X.end());
  const Dataset data = offset ? sparse_of(X, s.n.B, scaling, c.y, s.n.C) : dataset_of(X, s.n.B, s.n.D, c.y, s.n.C);
  std::vector<std::uint32_t> rows(s.n.B);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  engine.ops().gather(data, scaling, rows);
  engine.draw_dropout(3, 1, s.dropout);
  const Losses losses = engine.step({{c.y}, {c.r}}, 0);
  EXPECT_NEAR(losses.main[0], wanted.loss_main, tolerance.loss * (1 + wanted.loss_main));
  EXPECT_NEAR(losses.complement[0], wanted.loss_complement, tolerance.loss * (1 + wanted.loss_complement));
  for (const auto& name : engine.names()) {
    EXPECT_LT(relative_difference(engine.get(name, 0, true), wanted.gradients.at(name)), tolerance.gradient)
        << name << ", B " << s.n.B << ", D " << s.n.D << ", gamma " << s.gamma << ", remainder " << s.remainder;
  }
}

const std::vector<Shapes>& shapes() {
  static const std::vector<Shapes> all = {
      {{12, 10, 3, 7, 5, 4}, 0.0, 0.5, 0.0},        {{12, 10, 3, 7, 5, 4}, 0.5, 0.5, 0.3},
      {{1, 5, 2, 3, 2, 2}, 1.0, 0.0, 0.0},          {{150, 1, 4, 16, 8, 2}, 1.0, 0.0, 0.3},
      {{150, 600, 8, 16, 8, 3}, 1.0, 0.5, 0.3},     {{65, 37, 128, 128, 64, 26}, 10, 0, 0.3},
      {{64, 530, 8, 128, 64, 10}, 0.0, 1.0, 0.5},   {{12, 10, 3, 7, 5, 4}, 0.5, 0.5, 0.3, true},
      {{150, 1, 4, 16, 8, 2}, 1.0, 0.0, 0.3, true}, {{150, 600, 8, 16, 8, 3}, 10.0, 1.0, 0.3, true}};
  return all;
}

TEST(FusedStep, AgreesWithTheDefinition) {
  for (const Shapes& s : shapes()) expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 1);
}

TEST(FusedStep, AgreesWithTheDefinitionWhenThreadsShareAModel) {
  for (const Shapes& s : shapes()) expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 3);
}

TEST(FusedStep, OfASparseBatchAgreesWithTheDefinition) {
  for (const Shapes& s : shapes()) {
    for (const float offset : {0.0F, -0.1F}) {
      for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
        expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, threads, offset);
        if (cpu::has_bf16()) expect_engine_agrees(s, Precision::bf16, {1e-2, 0.15}, threads, offset);
      }
    }
  }
}

TEST(FusedStep, AgreesWithTheDefinitionWhereColumnsShareAnEntryOfTheMask) {
  for (const Shapes& s : shapes()) {
    const std::vector<std::size_t> uneven = uneven_features(s.n.D);
    expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 1, {}, uneven);
    expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 3, -0.1F, uneven);
    expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 3, {}, {0, s.n.D});
  }
}

TEST(FusedStep, AgreesWithTheDefinitionWhereFeaturesAreKept) {
  for (const Shapes& s : shapes()) {
    std::vector<std::size_t> single(s.n.D + 1);
    std::iota(single.begin(), single.end(), std::size_t{0});
    for (const std::vector<std::size_t>& begin : {single, uneven_features(s.n.D)}) {
      const std::vector<std::size_t> kept = every_third(begin.size() - 1);
      expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 1, {}, begin, kept);
      expect_engine_agrees(s, Precision::f32, {1e-5, 2e-5}, 3, -0.1F, begin, kept);
    }
  }
}

TEST(FusedStep, OfFeaturesOfOneColumnEachHasTheBitsOfAStepWithoutAMap) {
  const Sizes n{40, 600, 4, 16, 8, 3};
  const auto c = random_case<double>(n, 1.0, 0.5, 0.3);
  const Dataset data = dataset_of({c.X.begin(), c.X.end()}, n.B, n.D, c.y, n.C);
  std::vector<std::uint32_t> rows(n.B);
  std::iota(rows.begin(), rows.end(), 0U);
  std::vector<std::size_t> begin(n.D + 1);
  std::iota(begin.begin(), begin.end(), std::size_t{0});
  for (const char* method : {"fm", "afs", "dfs", "stg"}) {
    const auto trained = [&](const std::vector<std::size_t>& map) {
      auto engine = std::make_unique<Engine>(n, options_of(n, 0.5), std::vector<float>{0.1F, 1.0F}, 2,
                                             MaskSpec{.method = method}, OutputLoss::softmax, false, map);
      engine->initialise(3);
      for (std::uint64_t step = 1; step <= 5; ++step) {
        engine->ops().gather(data, identity(n.D), rows);
        engine->draw_dropout(3, step, 0.3);
        engine->step({{c.y}, {c.r}}, step);
      }
      return engine;
    };
    const auto plain = trained({});
    const auto mapped = trained(begin);
    EXPECT_EQ(mapped->network().family().values(), plain->network().family().values()) << method;
    for (const char* name : {"V1", "c1", "V2", "Um", "Uc"}) EXPECT_EQ(mapped->get(name), plain->get(name)) << method;
  }
}

TEST(FusedStep, InBf16StaysNearTheDefinition) {
  if (!cpu::has_bf16()) GTEST_SKIP() << "this processor has no bf16";
  // Eight bits of mantissa in every factor; gradients of the mask are small differences of large sums.
  for (const Shapes& s : shapes()) expect_engine_agrees(s, Precision::bf16, {1e-2, 0.15}, 1);
}

TEST(FusedStep, AgreesWithPyTorchAutograd) {
  for (const std::string size : {"small", "wide"}) {
    for (const std::string power : {"0", "0.5"}) {
      for (const auto& [kind, tail] : std::vector<std::pair<std::string, std::string>>{
               {"fm", ""}, {"cfm", "_g0.5"}, {"cfm", "_g10"}, {"remainder", "_g10"}}) {
        const std::string name = cat(kind, '_', size, "_p", power, tail);
        const Reference ref(name);
        const Sizes n{ref["y"].size(),  ref["b2"].size(), ref["b1"].size(),
                      ref["c1"].size(), ref["c2"].size(), ref["um"].size()};
        TrainOptions options = options_of(n, ref.number("scale_power"));
        options.leak = ref.number("leak");
        const auto gamma = tail.empty() ? 0.0F : static_cast<float>(ref.number("gamma"));
        Engine engine(n, options, {gamma}, 1, {.remainder = kind == "remainder"});
        for (const auto& tensor : engine.names()) engine.set(tensor, ref.floats(tensor));
        const auto y = ref.integers<std::int32_t>("y");
        const auto r = tail.empty() ? y : ref.integers<std::int32_t>("r");
        std::vector<std::uint32_t> rows(n.B);
        for (std::size_t i = 0; i < n.B; ++i) rows[i] = static_cast<std::uint32_t>(i);
        engine.ops().gather(dataset_of(ref.floats("X"), n.B, n.D, y, n.C), identity(n.D), rows);
        const Losses losses = engine.step({{y}, {r}}, 0);
        EXPECT_NEAR(losses.main[0], ref.number("loss_main"), 1e-5) << name;
        EXPECT_NEAR(losses.complement[0], tail.empty() ? 0.0 : ref.number("loss_complement"), 1e-5) << name;
        for (const auto& tensor : engine.names()) {
          EXPECT_LT(relative_difference(engine.get(tensor, 0, true), ref["d" + tensor]), 1e-4) << name << ' ' << tensor;
        }
      }
    }
  }
}

TEST(ScoreMasks, GiveTheOppositeOrOnlyTheRemainder) {
  // Scores log 1, log 2, log 5: softmax 1/8, 2/8, 5/8, and of the negatives 10/17, 5/17, 2/17.
  const std::vector<float> scores{0.0F, std::log(2.0F), std::log(5.0F)};
  Team team(1);
  const auto ops =
      processor().make_ops({.rows = 1, .columns = 3, .width1 = 2, .width2 = 2, .outputs = 2, .paths = 2}, team);
  std::vector<float> masks(6);
  const auto expect_masks = [&](const MaskForm& form, const std::vector<float>& wanted) {
    ops->score_masks(scores.data(), form, masks.data());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(masks[i], wanted[i], 1e-6) << i;
  };
  expect_masks({.scale = 1.0F}, {1 / 8.0F, 2 / 8.0F, 5 / 8.0F, 10 / 17.0F, 5 / 17.0F, 2 / 17.0F});
  expect_masks({.scale = 1.0F, .remainder = true}, {1 / 8.0F, 2 / 8.0F, 5 / 8.0F, 7 / 24.0F, 6 / 24.0F, 3 / 24.0F});
  expect_masks({.scale = 3.0F, .remainder = true}, {3 / 8.0F, 6 / 8.0F, 15 / 8.0F, 7 / 8.0F, 6 / 8.0F, 3 / 8.0F});
  expect_masks({.sigmoid = true}, {1 / 2.0F, 2 / 3.0F, 5 / 6.0F, 1 / 2.0F, 1 / 3.0F, 1 / 6.0F});
}

TEST(FusedStep, TracksPyTorchForTwoHundredStepsOfAdam) {
  for (const std::string name : {"train_fm", "train_cfm"}) {
    const Reference ref(name);
    const bool complement = ref.has("Uc");
    const std::size_t batch = ref["batches"].size() / ref["loss"].size();
    const Sizes n{batch, ref["b2"].size(), ref["b1"].size(), ref["c1"].size(), ref["c2"].size(), ref["um"].size()};
    TrainOptions options = options_of(n, ref.number("scale_power"));
    options.leak = ref.number("leak");
    options.learning_rate = ref.number("learning_rate");
    options.mask_learning_rate = ref.number("mask_learning_rate");
    const double gamma = complement ? ref.number("gamma") : 0.0;
    Engine engine(n, options, {static_cast<float>(gamma)});
    for (const auto& tensor : engine.names()) engine.set(tensor, ref.floats(tensor));
    const auto y = ref.integers<std::int32_t>("y");
    const Dataset data = dataset_of(ref.floats("X"), y.size(), n.D, y, n.C);
    const auto batches = ref.integers<std::uint32_t>("batches");
    const auto random = complement ? ref.integers<std::int32_t>("random_labels") : std::vector<std::int32_t>();
    for (std::size_t step = 0; step < ref["loss"].size(); ++step) {
      const auto rows = std::span(batches).subspan(step * batch, batch);
      std::vector<std::int32_t> labels;
      for (const std::uint32_t row : rows) labels.push_back(y[row]);
      engine.ops().gather(data, identity(n.D), rows);
      const auto r = complement ? std::span(random).subspan(step * batch, batch) : std::span<const std::int32_t>();
      const Losses losses = engine.step({{labels}, {r}}, step + 1);
      ASSERT_NEAR(losses.main[0] + gamma * losses.complement[0], ref["loss"][step], 1e-3) << name << ' ' << step;
    }
    for (const auto& tensor : engine.names()) {
      EXPECT_LT(relative_difference(engine.get(tensor), ref["final_" + tensor]), 1e-3) << name << ' ' << tensor;
    }
  }
}

TEST(FusedStep, GivesEveryModelOfAGroupWhatItGivesOneAlone) {
  const Sizes n{40, 30, 4, 16, 8, 3};
  const auto c = random_case<double>(n, 1.0, 0.5, 0.3);
  const auto p = random_parameters<double>(n, true);
  const Dataset data = dataset_of({c.X.begin(), c.X.end()}, n.B, n.D, c.y, n.C);
  std::vector<std::uint32_t> rows(n.B);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint32_t>(i);
  const std::vector<float> gammas{0.1F, 1.0F, 10.0F};
  const auto trained = [&](std::vector<float> group) {
    auto engine = std::make_unique<Engine>(n, options_of(n, 0.5), std::move(group));
    for (const auto& [name, values] : p) engine->set(name, values);
    for (std::uint64_t step = 1; step <= 5; ++step) {
      engine->ops().gather(data, identity(n.D), rows);
      engine->draw_dropout(3, step, 0.3);
      engine->step({{c.y}, {c.r}}, step);
    }
    return engine;
  };
  const auto together = trained(gammas);
  for (std::size_t m = 0; m < gammas.size(); ++m) {
    const auto alone = trained({gammas[m]});
    for (const auto& name : alone->names()) {
      EXPECT_EQ(alone->get(name), together->get(name, m)) << name << " of model " << m;
    }
  }
}

}  // namespace
}  // namespace obverse::test
