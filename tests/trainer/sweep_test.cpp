#include "trainer/sweep.h"
#include "mask/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/options.h>

#include "backend/cpu/products.h"
#include "support/random.h"

namespace obverse {
namespace {

Dataset small_set() { return madelon_like({.rows = 300, .informative = 3, .combinations = 4, .probes = 30}).data; }

TrainOptions quick_options() {
  TrainOptions options = recipe("paper").train;
  options.precision = Precision::f32;
  options.epochs = 3;
  options.batch_size = 64;
  return options;
}

std::vector<ModelSpec> sweep_of(const TrainOptions& options, int seeds, const std::vector<double>& gammas,
                                const MaskSpec& mask = {}) {
  std::vector<ModelSpec> specs;
  for (int seed = 0; seed < seeds; ++seed) {
    for (const double gamma : gammas) {
      specs.push_back({options, static_cast<std::uint64_t>(seed), gamma, mask});
    }
  }
  return specs;
}

std::vector<ModelSpec> keeping(std::vector<ModelSpec> specs, const std::vector<int>& epochs) {
  for (ModelSpec& spec : specs) spec.keep = {.curve = true, .epochs = epochs};
  return specs;
}

void expect_same(const std::vector<Model>& a, const std::vector<Model>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t m = 0; m < a.size(); ++m) {
    EXPECT_EQ(a[m].scores, b[m].scores) << "model " << m;
    EXPECT_EQ(a[m].initial_scores, b[m].initial_scores) << "model " << m;
    EXPECT_EQ(a[m].loss, b[m].loss) << "model " << m;
    EXPECT_EQ(a[m].epochs, b[m].epochs) << "model " << m;
  }
}

TEST(Sweep, TrainsPartsBesideEachOtherAsAlone) {
  const Dataset data = small_set();
  const auto [first, second] = split(data, {0.4, 1});
  const auto specs = sweep_of(quick_options(), 1, {0, 1});
  std::vector<SweepPart> parts{
      {first, second, specs}, {second, {}, sweep_of(quick_options(), 1, {10})}, {data, {}, {}}};
  for (const std::size_t threads : {1, 3}) {
    const auto together = train_sweeps(parts, threads);
    ASSERT_EQ(together.size(), 3U);
    expect_same(together[0], train_sweep(first, &second, specs, 1));
    expect_same(together[1], train_sweep(second, nullptr, parts[1].models, 1));
    EXPECT_TRUE(together[2].empty());
    EXPECT_EQ(together[1][0].gamma, 10);
  }
}

TEST(Sweep, GivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = small_set();
  for (const Precision precision : {Precision::f32, Precision::bf16}) {
    if (precision == Precision::bf16 && !cpu::has_bf16()) continue;
    TrainOptions options = quick_options();
    options.precision = precision;
    const auto specs = sweep_of(options, 2, {0, 0.1, 1, 10});
    const auto one = train_sweep(data, nullptr, specs, 1);
    expect_same(one, train_sweep(data, nullptr, specs, 2));
    expect_same(one, train_sweep(data, nullptr, specs, 5));
  }
}

TEST(Sweep, OfEveryFamilyGivesTheSameBitsForAnyNumberOfThreads) {
  const Dataset data = small_set();
  for (const FamilyDescription& family : mask_families()) {
    const MaskSpec mask{.method = std::string(family.name), .selected = 5};
    const auto specs = sweep_of(quick_options(), 2, {0, 0.1, 1}, mask);
    const auto one = train_sweep(data, nullptr, specs, 1);
    expect_same(one, train_sweep(data, nullptr, specs, 2));
    expect_same(one, train_sweep(data, nullptr, specs, 5));
    EXPECT_NE(one[0].scores, one[1].scores) << family.name << ": the complement has no effect";
    EXPECT_NE(one[0].scores, one[0].initial_scores) << family.name << ": nothing was learnt";
  }
}

TEST(Sweep, ThatStopsEarlyGivesTheModelOfTheBestEpoch) {
  const auto [train, validation] = split(small_set(), {0.3, 1});
  for (const char* method : {"fm", "afs", "dfs"}) {
    TrainOptions options = quick_options();
    options.epochs = 60;
    options.patience = 4;
    const MaskSpec mask{.method = method};
    const auto stopped = train_sweep(train, &validation, sweep_of(options, 1, {0.1}, mask), 1);
    ASSERT_LT(stopped[0].epochs, options.epochs - options.patience) << method;
    options.epochs = stopped[0].epochs;
    options.patience = 0;
    const auto straight = train_sweep(train, &validation, sweep_of(options, 1, {0.1}, mask), 1);
    expect_same(stopped, straight);
    EXPECT_EQ(stopped[0].network_accuracy, straight[0].network_accuracy) << method;
  }
}

TEST(Sweep, ThatStopsEarlyKnowsNoFeatureThatWasFixedLater) {
  const auto [train, validation] = split(small_set(), {0.3, 1});
  TrainOptions options = quick_options();
  options.epochs = 60;
  options.patience = 59;
  constexpr std::size_t kSelected = 6;
  const MaskSpec mask{.method = "sequential", .selected = kSelected};
  const Model model = train_sweep(train, &validation, sweep_of(options, 1, {0.1}, mask), 1).front();
  ASSERT_LT(model.epochs, 50);
  // Those that are fixed have a score of 2 and more.
  const auto fixed = std::count_if(model.scores.begin(), model.scores.end(), [](float score) { return score >= 2; });
  EXPECT_EQ(fixed, static_cast<int>(kSelected) * model.epochs / options.epochs);
}

TEST(Sweep, SharesOneModelAmongThreadsWithoutChangingABit) {
  const Dataset data = small_set();
  const auto specs = sweep_of(quick_options(), 1, {1});
  expect_same(train_sweep(data, nullptr, specs, 1), train_sweep(data, nullptr, specs, 4));
}

TEST(Sweep, TrainsAModelTheSameAloneAndAmongOthers) {
  const Dataset data = small_set();
  const auto together = train_sweep(data, nullptr, sweep_of(quick_options(), 1, {0, 0.1, 1}), 1);
  expect_same({together[2]}, train_sweep(data, nullptr, sweep_of(quick_options(), 1, {1}), 1));
  expect_same({together[0]}, train_sweep(data, nullptr, sweep_of(quick_options(), 1, {0}), 1));
}

TEST(Sweep, DependsOnSeedAndGamma) {
  const Dataset data = small_set();
  const auto models = train_sweep(data, nullptr, sweep_of(quick_options(), 2, {0.1, 10}), 2);
  EXPECT_NE(models[0].scores, models[1].scores);
  EXPECT_NE(models[0].scores, models[2].scores);
}

TEST(Sweep, DependsOnTheComplementOnlyWhereThereIsOne) {
  const Dataset data = small_set();
  const auto opposite = train_sweep(data, nullptr, sweep_of(quick_options(), 1, {0, 1}), 1);
  const auto other = train_sweep(data, nullptr, sweep_of(quick_options(), 1, {0, 1}, {.remainder = true}), 1);
  expect_same({opposite[0]}, {other[0]});
  EXPECT_NE(opposite[1].scores, other[1].scores);
  EXPECT_EQ(opposite[1].initial_scores, other[1].initial_scores);
}

TEST(Sweep, TellsTheScoresBeforeTheFirstStep) {
  const Dataset data = small_set();
  TrainOptions still = quick_options();
  still.mask_learning_rate = 1e-30;  // so small that the mask does not move
  const auto unmoved = train_sweep(data, nullptr, sweep_of(still, 1, {1}), 1);
  EXPECT_EQ(unmoved[0].initial_scores, unmoved[0].scores);
  const auto moved = train_sweep(data, nullptr, sweep_of(quick_options(), 2, {0, 1}), 2);
  EXPECT_EQ(moved[0].initial_scores, unmoved[0].initial_scores);
  EXPECT_EQ(moved[1].initial_scores, unmoved[0].initial_scores);
  EXPECT_NE(moved[2].initial_scores, unmoved[0].initial_scores);  // another seed
  EXPECT_NE(moved[1].scores, unmoved[0].scores);
}

TEST(Sweep, ReadsTheScoresBeforeTheFirstStepFromRowsSpreadOverManyRows) {
  // Each row twice, one after the other: 4,096 of 8,192 rows, spread evenly, are every row once.
  const Dataset once = madelon_like({.rows = 4096, .informative = 2, .combinations = 1, .probes = 3}).data;
  std::vector<std::uint32_t> rows(8192);
  for (std::size_t r = 0; r < rows.size(); ++r) rows[r] = static_cast<std::uint32_t>(r / 2);
  TrainOptions options = quick_options();
  options.epochs = 1;
  options.batch_size = 1024;
  options.scaling = Scaling::none;
  const auto specs = sweep_of(options, 1, {0});
  EXPECT_EQ(train_sweep(once.subset(rows), nullptr, specs, 1)[0].initial_scores,
            train_sweep(once, nullptr, specs, 1)[0].initial_scores);
}

/// The same values twice, dense and sparse: one of `rarity` is not zero.
std::pair<Dataset, Dataset> dense_and_sparse(std::size_t rows, std::size_t cols, std::uint32_t rarity) {
  RandomStream stream(3, Purpose::generation);
  auto values = std::make_shared<float[]>(rows * cols);
  SparseMatrix sparse;
  sparse.cols = cols;
  sparse.row_begin.push_back(0);
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t d = 0; d < cols; ++d) {
      const auto value = stream.below(rarity) == 0 ? static_cast<float>(1 + stream.below(9)) : 0.0F;
      values[r * cols + d] = value;
      if (value != 0) {
        sparse.columns.push_back(static_cast<std::uint32_t>(d));
        sparse.values.push_back(value);
      }
    }
    sparse.row_begin.push_back(sparse.columns.size());
    parts.labels.push_back(values[r * cols] > values[r * cols + 1] || r % 5 == 0 ? 1 : 0);
  }
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  parts.class_names = {"a", "b"};
  parts.storage = DenseMatrix<float>{values, rows, cols};
  DatasetParts sparse_parts = parts;
  sparse_parts.storage = sparse;
  return {Dataset(std::move(parts)), Dataset(std::move(sparse_parts))};
}

TEST(Sweep, GivesTheSameScoresForDenseAndSparseStorageOfTheSameValues) {
  // Gathered into full rows, and by entries.
  for (const auto& [cols, rarity] : {std::pair<std::size_t, std::uint32_t>{20, 3}, {300, 40}}) {
    const auto [dense, sparse] = dense_and_sparse(120, cols, rarity);
    for (const Scaling scaling : {Scaling::standardise, Scaling::none}) {
      TrainOptions options = quick_options();
      options.scaling = scaling;
      const auto specs = sweep_of(options, 1, {1});
      const auto dense_model = train_sweep(dense, nullptr, specs, 1);
      const auto sparse_model = train_sweep(sparse, nullptr, specs, 1);
      for (std::size_t d = 0; d < cols; ++d) EXPECT_NEAR(dense_model[0].scores[d], sparse_model[0].scores[d], 1e-4);
      const auto shared = train_sweep(sparse, nullptr, specs, 3);
      EXPECT_EQ(shared[0].scores, sparse_model[0].scores);
    }
  }
}

/// Noise numbers and between them a category of five levels, one-hot, of which two are one class and three the other.
Dataset category_among_noise(bool target) {
  constexpr std::size_t kRows = 300, kBefore = 4, kLevels = 5, kCols = 15;
  RandomStream stream(8, Purpose::generation);
  auto values = std::make_shared<float[]>(kRows * kCols);
  DatasetParts parts;
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t d = 0; d < kCols; ++d) values[r * kCols + d] = static_cast<float>(stream.normal());
    const std::uint32_t level = stream.below(kLevels);
    for (std::size_t l = 0; l < kLevels; ++l) values[r * kCols + kBefore + l] = l == level ? 1.0F : 0.0F;
    if (target) parts.labels.push_back(level < 2 ? 1 : 0);
  }
  parts.storage = DenseMatrix<float>{values, kRows, kCols};
  parts.layout.begin = {0, 1, 2, 3, 4, 9, 10, 11, 12, 13, 14, 15};
  for (std::size_t f = 0; f + 1 < parts.layout.begin.size(); ++f) parts.feature_names.push_back(cat("f", f));
  if (target) parts.class_names = {"a", "b"};
  return Dataset(std::move(parts));
}

TEST(Sweep, GivesACategoryOfSeveralColumnsOneScoreAndRanksItFirst) {
  const Dataset data = category_among_noise(true);
  ASSERT_EQ(data.features(), 11U);
  TrainOptions options = quick_options();
  options.epochs = 60;
  for (const FamilyDescription& family : mask_families()) {
    const auto specs = sweep_of(options, 1, {0, 1}, {.method = std::string(family.name), .selected = 1});
    const auto models = train_sweep(data, nullptr, specs, 1);
    expect_same(models, train_sweep(data, nullptr, specs, 3));
    for (const Model& model : models) {
      ASSERT_EQ(model.scores.size(), 11U) << family.name;
      ASSERT_EQ(model.initial_scores.size(), 11U) << family.name;
      const auto best = std::max_element(model.scores.begin(), model.scores.end());
      EXPECT_EQ(best - model.scores.begin(), 4) << family.name << ", gamma " << model.gamma;
    }
  }
}

TEST(Sweep, WithoutATargetReconstructsEveryColumn) {
  const Dataset data = category_among_noise(false);
  TrainOptions options = quick_options();
  options.epochs = 20;
  const auto models = train_sweep(data, &data, keeping(sweep_of(options, 1, {0, 1}), {}), 2);
  for (const Model& model : models) {
    EXPECT_EQ(model.scores.size(), 11U);
    EXPECT_LT(model.curve.loss.back(), 0.95 * model.curve.loss.front());
    EXPECT_GT(model.network_accuracy, 0);
    EXPECT_LT(model.network_accuracy, 1);
  }
}

TEST(Sweep, GivesTheSameBitsWhetherFeaturesOfOneColumnSaySoOrNot) {
  const Dataset plain = small_set();
  DatasetParts parts;
  parts.storage = plain.storage();
  parts.feature_names = plain.feature_names();
  parts.labels = plain.labels();
  parts.class_names = plain.class_names();
  for (std::size_t d = 0; d <= plain.columns(); ++d) parts.layout.begin.push_back(d);
  const Dataset said(std::move(parts));
  for (const char* method : {"fm", "afs", "dfs"}) {
    const auto specs = sweep_of(quick_options(), 1, {0, 1}, {.method = method, .selected = 5});
    expect_same(train_sweep(said, nullptr, specs, 2), train_sweep(plain, nullptr, specs, 2));
  }
}

TEST(Sweep, StopsWhenTheCallerSaysSo) {
  const Dataset data = small_set();
  TrainOptions options = quick_options();
  options.epochs = 1000000;
  try {
    train_sweep(data, nullptr, sweep_of(options, 1, {1}), 1, [](double, double) { return false; });
    FAIL() << "it did not stop";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::stopped);
  }
}

TEST(Sweep, EndsAtTheDeadlineWithWhatItHasLearned) {
  const Dataset data = small_set();
  TrainOptions options = quick_options();
  options.epochs = 1000000;
  const SweepPart part{data, {}, sweep_of(options, 2, {1, 10})};
  for (const std::size_t threads : {1, 2}) {
    const auto models =
        train_sweeps(std::span(&part, 1), threads, {}, processor(), Deadline::after(Clock::now(), 0.2)).front();
    ASSERT_EQ(models.size(), 4U);
    for (const Model& model : models) {
      EXPECT_LT(model.epochs, options.epochs);
      EXPECT_TRUE(std::isfinite(model.loss));
      EXPECT_EQ(model.scores.size(), data.features());
      EXPECT_NE(model.scores, model.initial_scores);  // one step at least
    }
    EXPECT_GT(models.front().epochs, 0);
  }
}

TEST(Sweep, IsTheSameWithADeadlineThatItMeets) {
  const Dataset data = small_set();
  const SweepPart part{data, {}, sweep_of(quick_options(), 2, {0, 1})};
  const auto models =
      train_sweeps(std::span(&part, 1), 1, {}, processor(), Deadline::after(Clock::now(), 1e300)).front();
  expect_same(models, train_sweep(data, nullptr, part.models, 1));
}

TEST(Sweep, PassesOnWhatTheCallbackThrows) {
  const Dataset data = small_set();
  TrainOptions options = quick_options();
  options.epochs = 1000000;
  EXPECT_THROW(train_sweep(data, nullptr, sweep_of(options, 1, {1}), 2,
                           [](double, double) -> bool { throw std::runtime_error("from outside"); }),
               std::runtime_error);
}

TEST(Sweep, SaysSoWhenTrainingDiverges) {
  const Dataset data = small_set();
  TrainOptions options = quick_options();
  options.learning_rate = 1e30;
  try {
    train_sweep(data, nullptr, sweep_of(options, 1, {1}), 1);
    FAIL() << "it did not notice";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("learning_rate"), std::string::npos) << error.what();
  }
}

TEST(Sweep, ValidatesARowOfWeightTwoAsTwoRows) {
  const auto [train, held] = split(small_set(), {.test_fraction = 0.3});
  std::vector<float> weights(held.rows());
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < held.rows(); ++r) {
    weights[r] = static_cast<float>(r % 3);
    rows.insert(rows.end(), r % 3, r);
  }
  const Dataset weighted = held.weighted(weights), repeated = held.subset(rows);
  TrainOptions options = quick_options();
  options.epochs = 40;
  for (const int patience : {0, 3}) {
    options.patience = patience;
    const auto expected = train_sweep(train, &repeated, sweep_of(options, 1, {0.1}), 1);
    const auto found = train_sweep(train, &weighted, sweep_of(options, 1, {0.1}), 1);
    EXPECT_NEAR(found[0].network_accuracy, expected[0].network_accuracy, 1e-12);
    EXPECT_EQ(found[0].epochs, expected[0].epochs);
    EXPECT_EQ(found[0].scores, expected[0].scores);
  }
}

TEST(Sweep, LosesPatienceOnValidationRowsThatDoNotImprove) {
  const Dataset data = small_set();
  const auto [train, held] = split(data, {.test_fraction = 0.3});
  TrainOptions options = quick_options();
  options.epochs = 200;
  options.patience = 5;
  const auto models = train_sweep(train, &held, sweep_of(options, 1, {0, 1}), 1);
  for (const auto& model : models) {
    EXPECT_GE(model.epochs, 6);
    EXPECT_LT(model.epochs, 200);
  }
  EXPECT_THROW(train_sweep(train, nullptr, sweep_of(options, 1, {1}), 1), Error);
}

TEST(Sweep, TakesFewerRowsThanABatchAndALastBatchOfOneRow) {
  const Dataset data = small_set();
  TrainOptions options = quick_options();
  options.batch_size = 5000;
  EXPECT_TRUE(std::isfinite(train_sweep(data, nullptr, sweep_of(options, 1, {1}), 2)[0].loss));
  options.batch_size = 299;
  EXPECT_TRUE(std::isfinite(train_sweep(data, nullptr, sweep_of(options, 1, {1}), 2)[0].loss));
}

TEST(SweepThatKeepsItsWay, ChangesNothingElse) {
  const Dataset data = small_set();
  for (const std::string method : {"fm", "dfs", "sequential", "stg"}) {
    const auto specs = sweep_of(quick_options(), 2, {0, 1}, {.method = method, .selected = 5});
    const auto plain = train_sweep(data, nullptr, specs, 2);
    const auto kept = train_sweep(data, nullptr, keeping(specs, {1, 2, 3}), 2);
    expect_same(plain, kept);
    for (const Model& model : plain) EXPECT_TRUE(model.curve.loss.empty() && model.snapshots.empty());
    for (const Model& model : kept) {
      ASSERT_EQ(model.snapshots.size(), 3U) << method;
      EXPECT_NE(model.snapshots[0].scores, model.snapshots[1].scores) << method;
      EXPECT_EQ(model.snapshots[2].epoch, 3);
      EXPECT_EQ(model.snapshots[2].scores, model.scores) << method;
    }
  }
}

TEST(SweepThatKeepsItsWay, HasALossForEachEpochThatFalls) {
  TrainOptions options = quick_options();
  options.epochs = 30;
  const auto models = train_sweep(small_set(), nullptr, keeping(sweep_of(options, 1, {0, 1}), {}), 1);
  for (const Model& model : models) {
    ASSERT_EQ(model.curve.loss.size(), 30U);
    ASSERT_EQ(model.curve.complement_loss.size(), 30U);
    EXPECT_EQ(model.curve.loss.back(), model.loss);
    EXPECT_EQ(model.curve.complement_loss.back(), model.complement_loss);
    EXPECT_LT(model.curve.loss.back(), 0.9 * model.curve.loss.front());
    EXPECT_TRUE(model.snapshots.empty());
  }
  EXPECT_EQ(models[0].curve.complement_loss.front(), 0);
  EXPECT_GT(models[1].curve.complement_loss.front(), 0);
}

TEST(SweepThatKeepsItsWay, EndsWithTheBestEpochOfEarlyStopping) {
  const auto [train, validation] = split(small_set(), {.test_fraction = 0.3});
  TrainOptions options = quick_options();
  options.epochs = 40;
  options.patience = 2;
  const auto model = train_sweep(train, &validation, keeping(sweep_of(options, 1, {1}), {1, 40}), 1).front();
  EXPECT_EQ(model.curve.loss.size(), static_cast<std::size_t>(model.epochs));
  EXPECT_EQ(model.snapshots.front().epoch, 1);
}

TEST(FillAutomatic, SetsEpochsAndBatchBySizeAndLeavesWhatIsGiven) {
  const TrainOptions small = fill_automatic({}, 1000);
  const TrainOptions large = fill_automatic({}, 60000);
  EXPECT_EQ(small.batch_size, 64);
  EXPECT_EQ(large.batch_size, 256);
  EXPECT_GT(small.epochs, large.epochs);
  EXPECT_GE(large.epochs, 1);
  TrainOptions given;
  given.epochs = 7;
  given.batch_size = 9;
  EXPECT_EQ(fill_automatic(given, 1000).epochs, 7);
  EXPECT_EQ(fill_automatic(given, 1000).batch_size, 9);
}

}  // namespace
}  // namespace obverse
