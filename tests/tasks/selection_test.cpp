// Every task from data to features and what they are worth.
#include <gtest/gtest.h>

#include <array>

#include <algorithm>
#include <set>

#include <obverse/error.h>
#include <obverse/evaluation.h>
#include <obverse/selector.h>

#include "tasks/tasks_data.h"
#include "trainer/targets.h"

namespace obverse {
namespace {

SelectOptions quick(int k) {
  SelectOptions options = not_repeated();
  options.k = k;
  options.gamma = {0, 1};
  options.recipes.front().train.epochs = 60;
  return options;
}

std::set<std::size_t> top(const Selection& selection) {
  const auto features = selection.ranking.top(selection.k);
  return {features.begin(), features.end()};
}

std::string fault_of(const Dataset& data, const SelectOptions& options) {
  try {
    Selector(options).fit(data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

/// The masks of cfm alone.
SelectOptions masks(int k) {
  SelectOptions options = quick(k);
  options.method = "cfm";
  return options;
}

void expect_fault(const Dataset& data, const SelectOptions& options, const std::string& words) {
  const std::string fault = fault_of(data, options);
  EXPECT_NE(fault.find(words), std::string::npos) << "expected '" << words << "' in: " << fault;
}

TEST(Tasks, AreToldByTheTarget) {
  EXPECT_EQ(test::quantities().task(), Task::regression);
  EXPECT_EQ(test::labels().task(), Task::multilabel);
  EXPECT_EQ(test::copies().task(), Task::reconstruction);
  EXPECT_EQ(test::labels().without_target().task(), Task::reconstruction);
}

TEST(Tasks, RegressionFindsWhatTheQuantityIsMadeOf) {
  const Selection selection = Selector(masks(2)).fit(test::quantities());
  EXPECT_EQ(top(selection), (std::set<std::size_t>{3, 7}));
  EXPECT_EQ(selection.options.task, Task::regression);
  EXPECT_GT(selection.merits[selection.chosen].accuracy, 0.8);
  EXPECT_GT(selection.models[selection.chosen]->network_accuracy, 0.8);
  EXPECT_NE(selection.reason.find("% of the variance of"), std::string::npos) << selection.reason;
}

TEST(Tasks, LabelsFindTheFeaturesOfEachLabel) {
  const Selection selection = Selector(masks(3)).fit(test::labels());
  EXPECT_EQ(top(selection), (std::set<std::size_t>{1, 2, 9}));
  EXPECT_GT(selection.merits[selection.chosen].accuracy, 0.85);
  EXPECT_GT(selection.models[selection.chosen]->network_accuracy, 0.85);
}

TEST(Tasks, ReconstructionNeedsNoTargetAndLeavesNoiseAside) {
  // Nothing but a feature itself tells noise: a mask alone falls for it, its complement finds that the others tell
  // more.
  SelectOptions options = quick(2);
  options.task = Task::reconstruction;
  options.gamma = {0, 1, 10, 100};
  const Selection selection = Selector(options).fit(test::copies());
  // One of each kind of copy: the twelve are two numbers behind some noise.
  std::set<std::size_t> kinds;
  for (const std::size_t feature : top(selection)) {
    EXPECT_LT(feature, 12U);
    kinds.insert(feature % 2);
  }
  EXPECT_EQ(kinds.size(), 2U);
}

TEST(Tasks, ReconstructionDoesNotLookAtTheTarget) {
  SelectOptions options = quick(3);
  options.task = Task::reconstruction;
  options.recipes.front().train.epochs = 3;
  const Dataset data = test::labels();
  EXPECT_EQ(Selector(options).fit(data).ranking.order, Selector(options).fit(data.without_target()).ranking.order);
}

TEST(Tasks, EveryFamilyAndEveryThreadCountTrainsThem) {
  for (const Dataset& data : {test::quantities(200), test::labels(200)}) {
    for (const std::string_view method : method_names()) {
      SelectOptions options = quick(3);
      options.method = method;
      options.recipes.front().train.epochs = 2;
      if (trains_networks(method)) options.complement = Complement::on;
      if (method == "mutual-info" || method == "mrmr" || method == "relieff") {
        expect_fault(data, options, "these rank for it: rf, ert, anova, rfe, variance, random");
        continue;
      }
      options.threads = 1;
      const Selection one = Selector(options).fit(data);
      options.threads = 3;
      EXPECT_EQ(one.ranking.order, Selector(options).fit(data).ranking.order) << method;
    }
  }
}

TEST(Tasks, BaselinesRankForQuantities) {
  for (const std::string method : {"rf", "ert", "anova", "rfe"}) {
    SelectOptions options = quick(1);
    options.method = method;
    EXPECT_EQ(Selector(options).fit(test::quantities()).ranking.order.front(), 3U) << method;
  }
}

TEST(Tasks, RefuseWhatMakesNoSense) {
  const Dataset labels = test::labels(100);
  SelectOptions negative = quick(3);
  negative.complement_loss = "negative";
  expect_fault(labels, negative, "complement_loss negative does not go with task multilabel");
  expect_fault(labels, negative, "expected random or uniform");
  SelectOptions uniform = quick(3);
  uniform.complement_loss = "uniform";
  EXPECT_EQ(fault_of(labels, uniform), "");
  uniform.task = Task::reconstruction;
  expect_fault(labels, uniform, "expected random");
  SelectOptions balanced = quick(3);
  balanced.class_weights = ClassWeights::balanced;
  expect_fault(labels, balanced, "class_weights balanced needs one class for each row");
  SelectOptions trees = quick(3);
  trees.task = Task::reconstruction;
  trees.choice = Choice::ert;
  expect_fault(labels, trees, "a forest for each feature");
  SelectOptions wrong = quick(3);
  wrong.task = Task::regression;
  expect_fault(labels, wrong, "task regression does not fit a target for multilabel");
  expect_fault(test::copies(100), quick(3), "say --task reconstruction");
  DatasetParts constant = test::noise(50, 5);
  constant.outputs.assign(50, 7.0F);
  constant.output_names = {"price"};
  expect_fault(Dataset(constant), quick(2), "target 'price' is 7 in every row");
}

TEST(Tasks, DatasetsRefuseOutputsThatDoNotFit) {
  const auto fault = [](const DatasetParts& parts) -> std::string {
    try {
      const Dataset data(parts);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  DatasetParts parts = test::noise(4, 2);
  parts.output_names = {"y"};
  parts.outputs = {1, 2, 3};
  EXPECT_NE(fault(parts).find("expected 1 outputs for each of the 4 rows, found 3"), std::string::npos);
  parts.outputs = {1, 2, 3, std::numeric_limits<float>::infinity()};
  EXPECT_NE(fault(parts).find("row 4, target 'y': expected a finite number"), std::string::npos);
  parts.outputs = {1, 0, 0.5F, 1};
  parts.multilabel = true;
  EXPECT_NE(fault(parts).find("row 3, target 'y': expected 0 or 1, found 0.5"), std::string::npos);
  parts = test::noise(3, 2);
  parts.weights = {1, -1, 1};
  EXPECT_NE(fault(parts).find("row 2: expected a weight of 0 or more, found -1"), std::string::npos);
  parts.weights = {0, 0, 0};
  EXPECT_NE(fault(parts).find("every row has a weight of 0"), std::string::npos);
}

TEST(Weights, LeaveOutRowsOfNoWeight) {
  // Two thirds of the rows say that f0 decides, the others f1: weights choose who is heard.
  DatasetParts parts = test::noise(900, 8);
  std::vector<float> weights;
  for (std::size_t r = 0; r < 900; ++r) {
    const auto x = test::row_of(parts, r);
    parts.labels.push_back(x[r % 3 == 0 ? 1 : 0] > 0 ? 1 : 0);
    weights.push_back(r % 3 == 0 ? 1.0F : 0.0F);
  }
  parts.class_names = {"no", "yes"};
  parts.target_name = "y";
  const Dataset data(parts);
  EXPECT_EQ(Selector(quick(1)).fit(data).ranking.order.front(), 0U);
  EXPECT_EQ(Selector(quick(1)).fit(data.weighted(weights)).ranking.order.front(), 1U);
}

TEST(Weights, OfClassesLetARareClassBeHeard) {
  // f0 tells the two common classes apart, f1 the rare one.
  DatasetParts parts = test::noise(1500, 10);
  for (std::size_t r = 0; r < 1500; ++r) {
    const auto x = test::row_of(parts, r);
    parts.labels.push_back(x[1] > 2.0F ? 2 : (x[0] > 0 ? 1 : 0));
  }
  parts.class_names = {"a", "b", "rare"};
  parts.target_name = "y";
  SelectOptions options = quick(2);
  options.class_weights = ClassWeights::balanced;
  EXPECT_EQ(top(Selector(options).fit(Dataset(parts))), (std::set<std::size_t>{0, 1}));
}

TEST(BatchTargets, StandardiseQuantitiesAndDrawThoseOfRandomRows) {
  const Dataset data = test::quantities(400);
  BatchTargets targets(data, false);
  std::vector<std::uint32_t> rows(400);
  for (std::uint32_t r = 0; r < 400; ++r) rows[r] = r;
  const StepTargets step = targets.of_step(rows, std::array{std::uint64_t{1}}, 1, true);
  double sum = 0;
  double squares = 0;
  for (const float value : step.main.values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  EXPECT_NEAR(sum / 400, 0, 1e-4);
  EXPECT_NEAR(squares / 400, 1, 1e-4);
  const std::vector<float> known(step.main.values.begin(), step.main.values.end());
  const std::vector<float> drawn(step.complement.values.begin(), step.complement.values.end());
  EXPECT_NE(known, drawn);
  for (const float value : drawn) EXPECT_NE(std::find(known.begin(), known.end(), value), known.end());
  const StepTargets next = targets.of_step(rows, std::array{std::uint64_t{1}}, 2, true);
  EXPECT_NE(drawn, (std::vector<float>(next.complement.values.begin(), next.complement.values.end())));
}

TEST(BatchTargets, OfTheMeanAreTheMean) {
  const Dataset prices = test::quantities(100);
  BatchTargets quantities(prices, true);
  const Dataset labels = test::labels(100);
  BatchTargets flags(labels, true);
  const std::vector<std::uint32_t> rows{3, 5};
  for (const float value : quantities.of_step(rows, std::array{std::uint64_t{1}}, 1, true).complement.values)
    EXPECT_EQ(value, 0);
  const StepTargets step = flags.of_step(rows, std::array{std::uint64_t{1}}, 1, true);
  float share = 0;
  for (std::size_t r = 0; r < 100; ++r) share += labels.outputs(r)[1] / 100;
  EXPECT_NEAR(step.complement.values[1], share, 1e-5F);
}

TEST(BatchTargets, OfAReconstructionShuffleTheRows) {
  const Dataset data = test::copies(50);
  BatchTargets targets(data, false);
  std::vector<std::uint32_t> rows(20);
  for (std::uint32_t r = 0; r < 20; ++r) rows[r] = 40 - r;
  const StepTargets step = targets.of_step(rows, std::array{std::uint64_t{1}}, 1, true);
  std::vector<std::int32_t> others(step.complement.labels.begin(), step.complement.labels.end());
  EXPECT_NE(others, (std::vector<std::int32_t>(step.main.labels.begin(), step.main.labels.end())));
  std::sort(others.begin(), others.end());
  EXPECT_EQ(others, (std::vector<std::int32_t>(step.main.labels.begin(), step.main.labels.end())));
}

EvaluateOptions quick_evaluation(int k) {
  EvaluateOptions options;
  options.k = {k};
  options.trees = 20;
  options.repeats = 1;
  return options;
}

TEST(EvaluationOfTasks, MeasuresQuantitiesByTheVarianceExplained) {
  const Evaluation found = evaluate({.data = test::quantities(), .ranking = {3, 7, 0}}, quick_evaluation(2));
  EXPECT_EQ(found.options.metric, "r2");
  for (const std::string& classifier : found.options.classifiers) {
    const EvaluationRow& row = found.row(classifier, FeatureSet::selected, 2);
    ASSERT_EQ(row.scores.size(), 2U);
    EXPECT_EQ(row.scores[0].metric, "r2");
    EXPECT_EQ(row.scores[1].metric, "mae");
    EXPECT_GT(row.scores[0].mean, 0.85);
    EXPECT_LT(found.row(classifier, FeatureSet::random, 2).scores[0].mean, 0.6);
  }
  EvaluateOptions wrong = quick_evaluation(2);
  wrong.metric = "accuracy";
  EXPECT_THROW(evaluate({.data = test::quantities(), .ranking = {3, 7}}, wrong), Error);
}

TEST(EvaluationOfTasks, MeasuresLabelsByTheMeanOverThem) {
  const Evaluation found = evaluate({.data = test::labels(), .ranking = {1, 2, 9}}, quick_evaluation(3));
  EXPECT_EQ(found.options.metric, "accuracy");
  for (const std::string& classifier : found.options.classifiers) {
    EXPECT_GT(found.row(classifier, FeatureSet::selected, 3).scores[0].mean, 0.9);
  }
}

TEST(EvaluationOfTasks, MeasuresDataWithoutATargetByNeighbours) {
  EvaluateOptions options = quick_evaluation(2);
  options.select.task = Task::reconstruction;
  const Evaluation found = evaluate({.data = test::copies(), .ranking = {0, 1, 15}}, options);
  EXPECT_EQ(found.options.classifiers, std::vector<std::string>{"knn"});
  ASSERT_FALSE(found.notes.empty());
  EXPECT_GT(found.row("knn", FeatureSet::selected, 2).scores[0].mean, 0.3);
  const Evaluation noise = evaluate({.data = test::copies(), .ranking = {15, 16}}, options);
  EXPECT_LT(noise.row("knn", FeatureSet::selected, 2).scores[0].mean, 0.05);
}

}  // namespace
}  // namespace obverse
