#include <obverse/evaluation.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "evaluation/sample.h"
#include "metrics/metrics.h"

namespace obverse {
namespace {

/// Three informative features and two combinations of them among 15 probes.
GeneratedData puzzle(std::size_t rows = 300) {
  return madelon_like({.rows = rows, .informative = 3, .combinations = 2, .probes = 15});
}

/// Small forests, and features ranked by a baseline: these tests are about the evaluation.
EvaluateOptions quick(std::vector<int> k) {
  EvaluateOptions options;
  options.k = std::move(k);
  options.repeats = 2;
  options.trees = 15;
  options.select.method = "mutual-info";
  options.select.threads = 1;
  return options;
}

double accuracy_of(const Evaluation& evaluation, std::string_view classifier, FeatureSet features, std::size_t k = 0) {
  return evaluation.row(classifier, features, k).scores.front().mean;
}

std::vector<std::vector<double>> numbers(const Evaluation& evaluation) {
  std::vector<std::vector<double>> out;
  for (const EvaluationRow& row : evaluation.rows) {
    for (const Score& score : row.scores) {
      out.push_back(score.values);
      out.back().insert(out.back().end(), {score.mean, score.deviation, score.low, score.high});
    }
  }
  return out;
}

std::string fault_of(const EvaluationInput& input, const EvaluateOptions& options) {
  try {
    evaluate(input, options);
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

void expect_refused(const EvaluationInput& input, const EvaluateOptions& options, const std::string& word) {
  const std::string fault = fault_of(input, options);
  EXPECT_NE(fault.find(word), std::string::npos) << fault;
}

TEST(Evaluate, TakesEveryMetricByItsTypedName) {
  ASSERT_EQ(metric_words().size(), metrics().size() + 1);
  EXPECT_EQ(metric_words()[0], "auto");
  EXPECT_EQ(metric_words()[2], "balanced-accuracy");
  for (std::size_t m = 0; m < metrics().size(); ++m) EXPECT_EQ(metric_words()[m + 1], typed_name(metrics()[m].name));
}

TEST(Evaluate, ClassifiersLearnWithTheClassWeightsOfTheSelection) {
  const Dataset data = rare_class(3000, 50);
  EvaluateOptions options = quick({1});
  options.classifiers = {"knn"};
  const Evaluation even = evaluate({.data = data, .ranking = {0}}, options);
  EXPECT_EQ(even.options.metric, "balanced-accuracy");
  EXPECT_EQ(even.notes.front().find("the metric is balanced accuracy, because class 'ill' has only 60"), 0U);
  options.select.class_weights = ClassWeights::none;
  const Evaluation alike = evaluate({.data = data, .ranking = {0}}, options);
  const auto found = [](const Evaluation& e) { return e.row("knn", FeatureSet::selected, 1).scores[1].mean; };
  EXPECT_GT(found(even), found(alike) + 0.05);
}

TEST(Evaluate, TrueFeaturesBeatRandomOnes) {
  const GeneratedData made = puzzle(600);
  EvaluateOptions options = quick({5});
  options.classifiers = {"rf", "ert", "knn"};
  const Evaluation found = evaluate({.data = made.data, .ranking = made.true_features}, options);
  for (const std::string& classifier : options.classifiers) {
    const double selected = accuracy_of(found, classifier, FeatureSet::selected, 5);
    EXPECT_GT(selected, accuracy_of(found, classifier, FeatureSet::random, 5) + 0.1);
    EXPECT_GT(selected, accuracy_of(found, classifier, FeatureSet::all) - 0.02);
  }
  EXPECT_EQ(found.training_rows, 480U);
  EXPECT_EQ(found.test_rows, 120U);
}

TEST(Evaluate, RepeatsForestsAndDrawsButNotNeighbours) {
  const Evaluation found = evaluate({.data = puzzle(100).data}, quick({2, 4}));
  EXPECT_EQ(found.rows.size(), 15U);  // three classifiers: all, and two of each size
  const auto count = [&](std::string_view classifier, FeatureSet features) {
    return found.row(classifier, features, 2).scores.front().values.size();
  };
  EXPECT_EQ(count("rf", FeatureSet::all), 2U);
  EXPECT_EQ(count("rf", FeatureSet::selected), 2U);
  EXPECT_EQ(count("rf", FeatureSet::random), 5U);
  EXPECT_EQ(count("knn", FeatureSet::selected), 1U);
  EXPECT_EQ(count("knn", FeatureSet::random), 5U);
}

TEST(Evaluate, FoldsAreTheRepeatsOfACrossValidation) {
  EvaluateOptions options = quick({3});
  options.repeats = 2;
  options.cv = 3;
  options.refit = true;
  const Evaluation found = evaluate({.data = puzzle(90).data}, options);
  for (const EvaluationRow& row : found.rows) EXPECT_EQ(row.scores.front().values.size(), 6U);
  EXPECT_EQ(found.splits, 6U);
  EXPECT_EQ(found.results.selected.back().fold, 5);
  EXPECT_TRUE(found.warnings.empty());
}

TEST(Evaluate, NumbersDoNotDependOnThreads) {
  EvaluateOptions options = quick({2});
  options.classifiers = {"rf", "ert", "knn"};
  const EvaluationInput input{.data = puzzle(150).data};
  const auto alone = numbers(evaluate(input, options));
  options.select.threads = 3;
  EXPECT_EQ(numbers(evaluate(input, options)), alone);
  options.select.seed = 1;
  EXPECT_NE(numbers(evaluate(input, options)), alone);
}

// Labels that no feature knows of: whoever selects from all rows finds features that fit the test rows by chance.
TEST(Evaluate, SelectionThatHasSeenTheTestRowsLooksBetterThanItIs) {
  DatasetParts parts = parts_of({.rows = 60, .features = 400});
  auto values = std::make_shared<float[]>(60 * 400);
  std::uint32_t state = 1;
  for (std::size_t i = 0; i < 60 * 400; ++i) {
    state = state * 1664525U + 1013904223U;
    values[i] = static_cast<float>(state >> 16);
  }
  parts.storage = DenseMatrix<float>{values, 60, 400};
  const EvaluationInput input{.data = Dataset(std::move(parts))};
  EvaluateOptions options = quick({10});
  options.select.method = "anova";
  options.cv = 5;
  const Evaluation once = evaluate(input, options);
  options.refit = true;
  const Evaluation inside = evaluate(input, options);
  EXPECT_GT(accuracy_of(once, "rf", FeatureSet::selected, 10), 0.7);
  EXPECT_LT(accuracy_of(inside, "rf", FeatureSet::selected, 10), 0.65);
  ASSERT_EQ(once.warnings.size(), 1U);
  EXPECT_NE(once.warnings.front().find("refit"), std::string::npos);
  EXPECT_TRUE(inside.warnings.empty());
  EXPECT_EQ(accuracy_of(once, "knn", FeatureSet::all), accuracy_of(inside, "knn", FeatureSet::all));
}

TEST(Evaluate, RankingWithoutTestRowsOfTheirOwnIsWarnedOf) {
  const GeneratedData made = puzzle(80);
  EvaluateOptions options = quick({1});
  EXPECT_EQ(evaluate({.data = made.data, .ranking = made.true_features}, options).warnings.size(), 1U);
  const auto [train, test] = split(made.data);
  EXPECT_TRUE(evaluate({.data = train, .test = test, .ranking = made.true_features}, options).warnings.empty());
}

TEST(Evaluate, OneTrainingOfMasksAnswersForEveryK) {
  EvaluateOptions options = quick({2, 6});
  options.select.method = "cfm";
  options.select.gamma = {0, 1};
  options.select.recipes.front().train.epochs = 2;
  const Evaluation found = evaluate({.data = puzzle(100).data}, options);
  ASSERT_EQ(found.results.selected.size(), 2U);
  EXPECT_EQ(found.results.selected[0].features.size(), 2U);
  EXPECT_EQ(found.results.selected[1].features.size(), 6U);
}

TEST(Evaluate, SizesMayBeShares) {
  EvaluateOptions options = quick({});
  options.rho = {0.5, 0.1, 0.101};
  EXPECT_EQ(evaluate({.data = puzzle(60).data}, options).options.k, (std::vector{2, 10}));
  options.rho.clear();
  EXPECT_EQ(evaluate({.data = puzzle(60).data}, options).options.k, std::vector{2});
}

TEST(Evaluate, SingleConstantAndRepeatedDataWork) {
  EXPECT_EQ(accuracy_of(evaluate({.data = labelled({.features = 1})}, quick({1})), "rf", FeatureSet::random, 1), 1.0);
  DatasetParts constant = parts_of({.rows = 40, .features = 1});
  auto values = std::make_shared<float[]>(40);
  constant.storage = DenseMatrix<float>{values, 40, 1};
  const Evaluation flat = evaluate({.data = Dataset(std::move(constant))}, quick({1}));
  EXPECT_EQ(accuracy_of(flat, "rf", FeatureSet::all), 0.5);
  EXPECT_EQ(accuracy_of(flat, "knn", FeatureSet::all), 0.5);
  // Every row comes many times.
  EXPECT_EQ(accuracy_of(evaluate({.data = labelled({.rows = 200})}, quick({1})), "knn", FeatureSet::selected, 1), 1.0);
}

TEST(Evaluate, AreaUnderTheCurveIsNotDefinedWhereTheTestLacksAClass) {
  const Dataset data = labelled({.rows = 40});
  const std::vector<std::uint32_t> first_class{0, 2, 4};
  const Evaluation found = evaluate({.data = data, .test = data.subset(first_class)}, quick({1}));
  EXPECT_TRUE(std::isnan(found.rows.front().scores[4].mean));
  EXPECT_EQ(found.rows.front().scores[0].mean, 1.0);
}

TEST(Evaluate, RefusesWhatCannotWorkTogether) {
  const EvaluationInput input{.data = labelled({.rows = 40})};
  EvaluateOptions options = quick({1});
  options.cv = 3;
  options.test_fraction = 0.5;
  expect_refused(input, options, "one of --test, --test-fraction and --cv");
  options = quick({1});
  options.refit = true;
  expect_refused(input, options, "--cv");
  options.cv = 2;
  expect_refused({.data = input.data, .ranking = {0}}, options, "ranking");
  expect_refused(input, quick({4}), "at most 3");
  expect_refused({.data = input.data, .ranking = {0, 1}}, quick({3}), "at most 2");
  expect_refused({.data = input.data, .ranking = {0, 0}}, quick({1}), "once");
  options = quick({1});
  options.neighbours = 33;
  expect_refused(input, options, "at most 32, the training rows; found 33");
  options.classifiers = {"rf"};
  EXPECT_NO_THROW(evaluate(input, options));
  options.classifiers = {};
  expect_refused(input, options, "rf, ert, knn");
}

TEST(Evaluate, RefusesADeviceThatIsNotThere) {
  const EvaluationInput input{.data = labelled({.rows = 40})};
  EvaluateOptions options = quick({1});
  options.select.device = "gpu";
  expect_refused(input, options, "device: expected cpu, cuda, cuda:N or auto; found 'gpu'");
  options.select.device = "cuda:65535";
  expect_refused(input, options, "CUDA");
}

TEST(Evaluate, RefusesTestRowsThatDoNotFit) {
  const Dataset data = labelled({.rows = 40});
  expect_refused({.data = data, .test = labelled({.rows = 40, .features = 4})}, quick({1}), "expected 3 features");
  expect_refused({.data = data, .test = labelled({.rows = 40, .classes = 3})}, quick({1}), "class 3");
  const std::vector<std::uint32_t> first_class{0, 2, 4, 6, 8, 10};
  expect_refused({.data = data.subset(first_class), .test = data}, quick({1}), "no training row is of class 'class 2'");
}

TEST(Evaluate, StopsWhenAsked) {
  const auto never = [](const Progress& progress) { return progress.stage != "evaluating"; };
  EXPECT_THROW(evaluate({.data = labelled({.rows = 40})}, quick({1}), never), Error);
}

}  // namespace
}  // namespace obverse
