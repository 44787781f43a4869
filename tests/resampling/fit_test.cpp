#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/selector.h>

#include "support/clock.h"
#include "support/random.h"

namespace obverse {
namespace {

SelectOptions quick() {
  SelectOptions options = options_for(Effort::quick);
  options.recipes.front().train.epochs = 20;
  options.recipes.front().train.precision = Precision::f32;
  return options;
}

Dataset noise(std::size_t rows, std::size_t features, std::uint64_t seed) {
  DatasetParts parts;
  RandomStream random(seed, Purpose::generation);
  auto values = std::make_shared<float[]>(rows * features);
  for (std::size_t i = 0; i < rows * features; ++i) values[i] = static_cast<float>(random.normal());
  for (std::size_t r = 0; r < rows; ++r) parts.labels.push_back(static_cast<std::int32_t>(random.below(2)));
  std::vector<std::string> names(features);
  for (std::size_t f = 0; f < features; ++f) names[f] = std::string("f").append(std::to_string(f));
  parts.storage = DenseMatrix<float>{values, rows, features};
  parts.feature_names = FeatureNames(names);
  parts.class_names = {"a", "b"};
  parts.target_name = "y";
  return Dataset(parts);
}

Dataset puzzle() { return madelon_like({.rows = 400, .informative = 3, .combinations = 2, .probes = 15}).data; }

TEST(Resampling, FindsHowManyFeaturesAreEnough) {
  const Dataset data = puzzle();
  SelectOptions options = quick();
  options.method = "cfm";
  options.gamma = {0.1, 1, 10};
  const Selection found = Selector(options).fit(data);
  ASSERT_TRUE(found.evidence);
  const Evidence& evidence = *found.evidence;
  EXPECT_TRUE(evidence.verdict.signal);
  EXPECT_EQ(evidence.curve.metric, "accuracy");
  EXPECT_EQ(evidence.curve.folds, 5U);
  EXPECT_EQ(evidence.curve.rows, 400U);
  EXPECT_EQ(evidence.curve.points.back().k, 20U);
  EXPECT_GE(found.k, 2U);
  EXPECT_LE(found.k, 13U);
  EXPECT_EQ(found.options.k, static_cast<int>(found.k));
  EXPECT_FALSE(evidence.size_reason.empty());
  EXPECT_LE(evidence.verdict.low, evidence.verdict.score);
  EXPECT_GE(evidence.verdict.high, evidence.verdict.score);
  EXPECT_NEAR(evidence.verdict.base_rate, 0.5, 0.05);
  ASSERT_TRUE(evidence.stability);
  EXPECT_GT(evidence.stability->value, 0.2);
  EXPECT_EQ(evidence.resamples, 9U);
  EXPECT_EQ(evidence.frequency.size(), 20U);
}

TEST(Resampling, MeasuresSizesJustBelowTheOneThatIsEnough) {
  SelectOptions options = quick();
  options.k_rule = "tolerance=0";
  const Dataset data = madelon_like({.rows = 600, .informative = 8, .combinations = 12, .probes = 20}).data;
  const Selection found = Selector(options).fit(data);
  const std::vector<CurvePoint>& points = found.evidence->curve.points;
  std::size_t below = 0;
  for (std::size_t p = 0; p < points.size(); ++p) {
    if (p > 0) {
      EXPECT_GT(points[p].k, points[p - 1].k);
    }
    if (points[p].k < found.k) below = points[p].k;
  }
  ASSERT_GT(found.k, 5U) << "the sizes 1, 2, 3, 5 leave no gap to narrow";
  EXPECT_LE(found.k - below, std::max<std::size_t>(1, found.k / 8));
}

TEST(Resampling, FindsTheSignalOfARareClass) {
  constexpr std::size_t kRows = 800;
  constexpr std::size_t kFeatures = 6;
  DatasetParts parts;
  RandomStream random(3, Purpose::generation);
  auto values = std::make_shared<float[]>(kRows * kFeatures);
  for (std::size_t r = 0; r < kRows; ++r) {
    const bool rare = r % 33 == 0;
    parts.labels.push_back(rare ? 1 : 0);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      values[r * kFeatures + f] = static_cast<float>(random.normal()) + (rare && f == 4 ? 1.5F : 0.0F);
    }
  }
  parts.storage = DenseMatrix<float>{values, kRows, kFeatures};
  parts.feature_names = FeatureNames({"a", "b", "c", "d", "e", "f"});
  parts.class_names = {"usual", "rare"};
  parts.target_name = "y";
  const Selection found = Selector(quick()).fit(Dataset(parts));
  EXPECT_EQ(found.ranking.top(1).front(), 4U);
  EXPECT_EQ(found.evidence->curve.metric, "balanced_accuracy");
  EXPECT_GT(found.evidence->verdict.score, 0.65) << "leaves of one row never predict a class of 3 % of the rows";
  EXPECT_LT(found.evidence->verdict.p_value, 0.01);
  const bool noted = std::any_of(found.notes.begin(), found.notes.end(), [](const std::string& note) {
    return note.find("balanced accuracy, because class 'rare' has only 25 of 800 rows") != std::string::npos;
  });
  EXPECT_TRUE(noted);
}

TEST(Resampling, TakesFewerPartsForASmallSweep) {
  const Selection found = Selector(quick()).fit(puzzle());
  ASSERT_TRUE(found.evidence);
  EXPECT_EQ(found.evidence->curve.folds, 3U);
  EXPECT_EQ(found.evidence->curve.rows, 400U);
  EXPECT_EQ(found.evidence->resamples, 5U);
  EXPECT_EQ(found.evidence->stability->pairs, 1U);
}

TEST(Resampling, LeavesTheAnswerForKAsItIs) {
  const Dataset data = puzzle();
  SelectOptions options = quick();
  options.k = 5;
  const Selection found = Selector(options).fit(data);
  options.resample = Resample::off;
  const Selection plain = Selector(options).fit(data);
  EXPECT_EQ(found.ranking.order, plain.ranking.order);
  EXPECT_EQ(found.k, 5U);
  EXPECT_FALSE(plain.evidence);
  ASSERT_TRUE(found.evidence);
  EXPECT_EQ(found.evidence->curve.points.back().k, 5U);
  EXPECT_TRUE(found.evidence->size_reason.empty());
}

TEST(Resampling, IsTheSameForEveryNumberOfThreads) {
  const Dataset data = puzzle();
  SelectOptions options = quick();
  options.threads = 1;
  const Selection one = Selector(options).fit(data);
  options.threads = 3;
  const Selection three = Selector(options).fit(data);
  EXPECT_EQ(one.k, three.k);
  EXPECT_EQ(one.evidence->verdict.score, three.evidence->verdict.score);
  EXPECT_EQ(one.evidence->verdict.p_value, three.evidence->verdict.p_value);
  EXPECT_EQ(one.evidence->stability->value, three.evidence->stability->value);
}

TEST(Resampling, SaysThatNoiseHasNoSignal) {
  int found = 0;
  double stability = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    SelectOptions options = quick();
    options.k = 5;
    const Selection selection = Selector(options).fit(noise(120, 30, seed));
    found += selection.evidence->verdict.signal ? 1 : 0;
    stability += selection.evidence->stability->value / 5;
  }
  EXPECT_LE(found, 1);
  EXPECT_NEAR(stability, 0, 0.15);
}

TEST(Resampling, MeasuresBaselinesTooAndEveryTask) {
  SelectOptions options;
  options.resample = Resample::on;
  options.method = "anova";
  const Selection found = Selector(options).fit(puzzle());
  ASSERT_TRUE(found.evidence);
  EXPECT_GE(found.k, 1U);
  SelectOptions features = quick();
  features.task = Task::reconstruction;
  features.k = 3;
  const Selection without = Selector(features).fit(puzzle());
  ASSERT_TRUE(without.evidence);
  EXPECT_EQ(without.evidence->curve.metric, "r2");
  EXPECT_EQ(without.evidence->curve.classifier, "knn");
}

TEST(Resampling, JudgesRareClassesByBalancedAccuracy) {
  const Dataset all = puzzle();
  std::vector<std::uint32_t> rows;
  std::size_t rare = 0;
  for (std::uint32_t r = 0; r < all.rows(); ++r) {
    if (all.label(r) == 0 || rare++ < 12) rows.push_back(r);
  }
  SelectOptions options = quick();
  options.k = 5;
  const Selection found = Selector(options).fit(all.subset(rows));
  EXPECT_EQ(found.evidence->curve.metric, "balanced_accuracy");
  EXPECT_EQ(found.evidence->verdict.base_rate, 0.5);
  EXPECT_EQ(found.options.metric, "balanced-accuracy");
  EXPECT_EQ(found.options.class_weights, ClassWeights::balanced);
}

bool has_note(const Selection& selection, std::string_view words) {
  return std::any_of(selection.notes.begin(), selection.notes.end(),
                     [&](const std::string& note) { return note.find(words) != std::string::npos; });
}

TEST(TimeLimit, ThatIsEnoughChangesNothing) {
  SelectOptions options = quick();
  const Dataset data = puzzle();
  const Selection free = Selector(options).fit(data);
  options.time_limit = 3600;
  const Selection limited = Selector(options).fit(data);
  EXPECT_EQ(limited.ranking.scores, free.ranking.scores);
  EXPECT_EQ(limited.k, free.k);
  EXPECT_EQ(limited.notes, free.notes);
  ASSERT_TRUE(limited.evidence && free.evidence);
  EXPECT_EQ(limited.evidence->verdict.p_value, free.evidence->verdict.p_value);
  EXPECT_EQ(limited.evidence->stability->value, free.evidence->stability->value);
}

TEST(TimeLimit, IsKeptByLeavingOutAndCuttingShort) {
  for (const std::string method : {"auto", "cfm"}) {
    SelectOptions options;
    options.method = method;
    options.recipes.front().train.epochs = 100000;
    options.recipes.front().train.precision = Precision::f32;
    options.time_limit = 1;
    const Dataset data = noise(300, 40, 3);
    const auto start = Clock::now();
    const Selection selection = Selector(options).fit(data);
    EXPECT_LT(seconds_since(start), 20) << method;  // far less but under the sanitizers
    EXPECT_EQ(selection.ranking.order.size(), 40U);
    EXPECT_EQ(selection.k, 4U) << method;  // nothing measured how many are enough
    EXPECT_FALSE(selection.evidence);
    EXPECT_TRUE(has_note(selection, "the time limit ended the training of the masks after ")) << method;
    EXPECT_TRUE(has_note(selection, "the time limit left no time to repeat the selection")) << method;
  }
}

TEST(TimeLimit, HoldsWhereNothingIsRepeated) {
  SelectOptions options = not_repeated();
  options.k = 3;
  options.recipes.front().train.epochs = 100000;
  options.time_limit = 0.5;
  const auto start = Clock::now();
  const Selection selection = Selector(options).fit(noise(300, 40, 3));
  EXPECT_LT(seconds_since(start), 20);
  EXPECT_EQ(selection.k, 3U);
  EXPECT_EQ(selection.choice_folds, 0U);
  EXPECT_TRUE(has_note(selection, "no time to judge the candidates in 10 folds"));
}

TEST(TimeLimit, LeavesRankersOutByName) {
  SelectOptions options = not_repeated();
  options.k = 3;
  options.time_limit = 1e-9;
  const Selection selection = Selector(options).fit(noise(600, 40, 3));
  EXPECT_TRUE(has_note(selection, "the time limit left no time for rf, ert, mutual-info, mrmr, relieff, rfe"));
  for (const auto& model : selection.models) EXPECT_EQ(model->method, "cfm");
}

TEST(TimeLimit, IsRefusedBesideErrorControl) {
  SelectOptions options = quick();
  options.control = "pfer=1";
  options.time_limit = 60;
  try {
    Selector(options).fit(puzzle());
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_NE(std::string(error.what()).find("time limit"), std::string::npos) << error.what();
  }
}

TEST(Resampling, GoesOnWithoutMeasuringWhereRowsAreTooFew) {
  const Dataset all = puzzle();
  std::vector<std::uint32_t> rows;
  std::array<std::size_t, 2> taken{};
  for (std::uint32_t r = 0; r < all.rows(); ++r) {
    if (taken[static_cast<std::size_t>(all.label(r))]++ < 2) rows.push_back(r);
  }
  const Selection found = Selector(quick()).fit(all.subset(rows));
  EXPECT_FALSE(found.evidence);
  EXPECT_EQ(found.k, 2U) << "a tenth of 20";
  ASSERT_FALSE(found.notes.empty());
  EXPECT_NE(found.notes.back().find("too few"), std::string::npos) << found.notes.back();
}

}  // namespace
}  // namespace obverse
