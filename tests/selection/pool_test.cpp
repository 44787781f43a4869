// Masks and rankers that compete: method auto.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <set>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/selector.h>

#include "support/random.h"

namespace obverse {
namespace {

using Numbers = std::vector<std::size_t>;

constexpr std::size_t kFeatures = 8;

/// The first two features tell the target, six are noise.
Dataset puzzle(std::size_t rows, Task task, bool weighted = false) {
  RandomStream stream(7, Purpose::generation);
  const auto values = std::make_shared<float[]>(rows * kFeatures);
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = values.get() + r * kFeatures;
    for (std::size_t f = 0; f < kFeatures; ++f) row[f] = static_cast<float>(stream.normal());
    const float told = row[0] - row[1];
    if (task == Task::classification) parts.labels.push_back(told > 0 ? 1 : 0);
    if (task == Task::regression) parts.outputs.push_back(told);
    if (weighted) parts.weights.push_back(1 + static_cast<float>(r % 2));
  }
  parts.storage = DenseMatrix<float>{values, rows, kFeatures};
  if (task == Task::classification) parts.class_names = {"no", "yes"};
  if (task == Task::regression) parts.output_names = {"told"};
  parts.target_name = "told";
  parts.feature_names = std::vector<std::string>{"a", "b", "n1", "n2", "n3", "n4", "n5", "n6"};
  return Dataset(std::move(parts));
}

SelectOptions defaults(int k = 2) {
  SelectOptions options = not_repeated();
  options.k = k;
  options.threads = 1;
  return options;
}

std::multiset<std::string> methods_of(const Selection& selection) {
  std::multiset<std::string> methods;
  for (const auto& model : selection.models) methods.insert(model->method);
  return methods;
}

Numbers first_two(const Selection& selection) {
  const Numbers& order = selection.ranking.order;
  return {std::min(order[0], order[1]), std::max(order[0], order[1])};
}

TEST(Pool, IsTheDefault) { EXPECT_EQ(SelectOptions{}.method, "auto"); }

TEST(Pool, HasEveryMaskTwiceAndTheRankersOnce) {
  const Selection selection = Selector(defaults()).fit(puzzle(600, Task::classification));
  EXPECT_EQ(methods_of(selection), (std::multiset<std::string>{"cfm", "cfm", "cfm", "cfm", "cfm", "cfm", "rf", "ert",
                                                               "mutual-info", "mrmr", "relieff", "rfe"}));
  for (std::size_t m = 0; m < 6; m += 2) {
    const Model& half = *selection.models[m];
    const Model& whole = *selection.models[m + 1];
    EXPECT_EQ(half.gamma, whole.gamma);
    EXPECT_EQ(half.epochs, whole.epochs / 2);
    EXPECT_NE(half.scores, whole.scores);
    EXPECT_TRUE(whole.snapshots.empty());
  }
  EXPECT_EQ(first_two(selection), (Numbers{0, 1}));
}

TEST(Pool, ScoresOfARankerAreThoseOfItsMethod) {
  SelectOptions options = defaults();
  const Dataset data = puzzle(600, Task::classification);
  const Selection pool = Selector(options).fit(data);
  for (const std::string method : {"mutual-info", "mrmr", "relieff", "rfe"}) {
    options.method = method;
    const Selection alone = Selector(options).fit(data);
    const auto found = std::find_if(pool.models.begin(), pool.models.end(),
                                    [&](const auto& model) { return model->method == method; });
    ASSERT_NE(found, pool.models.end()) << method;
    EXPECT_EQ((*found)->scores, alone.models.front()->scores) << method;
    EXPECT_EQ((*found)->order, alone.ranking.order) << method;
  }
}

TEST(Pool, SaysWhoWonAndWhoCameNext) {
  const Selection selection = Selector(defaults()).fit(puzzle(600, Task::classification));
  const Model& chosen = *selection.models[selection.chosen];
  EXPECT_NE(selection.reason.find(chosen.method), std::string::npos) << selection.reason;
  EXPECT_NE(selection.reason.find("best of 12 candidates"), std::string::npos) << selection.reason;
  EXPECT_NE(selection.reason.find("; next comes "), std::string::npos) << selection.reason;
  EXPECT_EQ(selection.validation_rows, 0U);
  EXPECT_EQ(selection.training_rows, 600U);
}

TEST(Pool, OfFewRowsIsJudgedByFiveFoldsTwice) {
  EXPECT_EQ(Selector(defaults()).fit(puzzle(100, Task::classification)).choice_folds, 10U);
  EXPECT_EQ(Selector(defaults()).fit(puzzle(500, Task::classification)).choice_folds, 0U);
}

TEST(Pool, TrainsTheBestThirdOfTheMasksAgainInTheFolds) {
  SelectOptions options = defaults();
  const Dataset data = puzzle(120, Task::classification);
  const Selection short_list = Selector(options).fit(data);
  EXPECT_EQ(methods_of(short_list).count("cfm"), 2U);
  EXPECT_EQ(short_list.models[0]->gamma, short_list.models[1]->gamma);
  EXPECT_EQ(short_list.models[0]->epochs, short_list.models[1]->epochs / 2);
  EXPECT_NE(short_list.reason.find("best of 8 finalists among 12 candidates"), std::string::npos) << short_list.reason;
  options.gamma = {0, 0.1, 1, 10};
  const Selection longer = Selector(options).fit(data);
  EXPECT_EQ(methods_of(longer).count("cfm"), 4U);
  EXPECT_NE(longer.models[0]->gamma, longer.models[2]->gamma);
  // A mask that is trained alone is the same as beside the others.
  options.gamma = {short_list.models[0]->gamma};
  const Selection alone = Selector(options).fit(data);
  EXPECT_EQ(alone.models[1]->scores, short_list.models[1]->scores);
  EXPECT_EQ(alone.merits[1].merit, short_list.merits[1].merit);
}

TEST(Pool, TrainsTheBestThirdOfManyMasksToTheEnd) {
  SelectOptions options = defaults();
  options.seeds = 5;
  const Dataset data = puzzle(600, Task::classification);
  const Selection selection = Selector(options).fit(data);
  EXPECT_EQ(methods_of(selection).count("cfm"), 10U);  // five of fifteen, each at two lengths
  EXPECT_NE(selection.reason.find("best of 16 finalists among 36 candidates"), std::string::npos) << selection.reason;
  EXPECT_EQ(first_two(selection), (Numbers{0, 1}));
  // A mask that is trained alone is the same as one that was trained twice.
  const Model& mask = *selection.models[1];
  options.seeds = 1;
  options.seed = mask.seed;
  options.gamma = {mask.gamma};
  EXPECT_EQ(Selector(options).fit(data).models[1]->scores, mask.scores);
}

TEST(Pool, HasTheRankersOfTheTask) {
  const Selection quantity = Selector(defaults()).fit(puzzle(120, Task::regression));
  EXPECT_EQ(methods_of(quantity), (std::multiset<std::string>{"cfm", "cfm", "rf", "ert", "rfe"}));
  EXPECT_EQ(first_two(quantity), (Numbers{0, 1}));
  SelectOptions options = defaults();
  options.task = Task::reconstruction;
  EXPECT_EQ(methods_of(Selector(options).fit(puzzle(120, Task::classification))).count("cfm"), 6U);
}

TEST(Pool, LeavesOutRankersThatDoNotCountWeights) {
  const auto methods = methods_of(Selector(defaults()).fit(puzzle(120, Task::classification, true)));
  EXPECT_EQ(methods.count("relieff"), 0U);
  EXPECT_EQ(methods.count("rf"), 1U);
}

TEST(Pool, KeepsTheMasksThatWereAskedFor) {
  SelectOptions options = defaults();
  options.recipes.front().train.epochs = 10;
  options.mask_epochs = {3, 5};
  const Selection selection = Selector(options).fit(puzzle(120, Task::classification));
  const Model& whole = *selection.models[1];
  ASSERT_EQ(whole.snapshots.size(), 2U);
  EXPECT_EQ(whole.snapshots[1].epoch, 5);
  EXPECT_EQ(selection.models[0]->scores, whole.snapshots[1].scores);
  EXPECT_EQ(whole.epochs, 10);
}

TEST(Pool, DoesNotDependOnTheNumberOfThreads) {
  SelectOptions options = defaults(3);
  const Dataset data = puzzle(150, Task::classification);
  const Selection one = Selector(options).fit(data);
  options.threads = 3;
  const Selection three = Selector(options).fit(data);
  EXPECT_EQ(one.chosen, three.chosen);
  EXPECT_EQ(one.ranking.scores, three.ranking.scores);
  for (std::size_t m = 0; m < one.merits.size(); ++m) EXPECT_EQ(one.merits[m].merit, three.merits[m].merit) << m;
}

TEST(Pool, AnswersForEverySizeFromOneTraining) {
  const Dataset data = puzzle(300, Task::classification);
  const std::vector<std::size_t> sizes{1, 2, 5};
  const std::vector<Selection> answers = Selector(defaults(0)).fit_each(data, sizes);
  for (std::size_t s = 0; s < sizes.size(); ++s) {
    const Selection alone = Selector(defaults(static_cast<int>(sizes[s]))).fit(data);
    EXPECT_EQ(answers[s].k, sizes[s]);
    EXPECT_EQ(answers[s].models.front(), answers.front().models.front());  // shared
    EXPECT_EQ(answers[s].models[answers[s].chosen]->method.empty(), false);
    EXPECT_EQ(answers[s].merits.size(), alone.merits.size());
  }
}

TEST(Pool, RefusesAJudgeThatRankersDoNotHave) {
  SelectOptions options = defaults();
  options.choice = Choice::network;
  try {
    Selector(options).fit(puzzle(100, Task::classification));
    FAIL() << "nothing was refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    EXPECT_NE(std::string(error.what()).find("method cfm"), std::string::npos) << error.what();
  }
}

TEST(Pool, FindsBothXorAndRing) {
  for (const Shapes shape : {Shapes::only_xor, Shapes::ring}) {
    const GeneratedData puzzle = shapes({.shapes = shape, .rows = 3000});
    const Selection selection = Selector(defaults()).fit(puzzle.data);
    EXPECT_EQ(first_two(selection), puzzle.true_features);
  }
}

}  // namespace
}  // namespace obverse
