// Selected features that give way to others.
#include "selection/exchange.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

using Numbers = std::vector<std::size_t>;

constexpr std::size_t kFeatures = 10;

/// Features 0 and 1 tell the target together, 9 equals 0, the others are noise.
Dataset puzzle(std::size_t rows, Task task = Task::classification) {
  RandomStream stream(3, Purpose::generation);
  const auto values = std::make_shared<float[]>(rows * kFeatures);
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = values.get() + r * kFeatures;
    for (std::size_t f = 0; f + 1 < kFeatures; ++f) row[f] = static_cast<float>(stream.normal());
    row[kFeatures - 1] = row[0];
    const float told = row[0] - row[1];
    if (task == Task::classification) {
      parts.labels.push_back(told > 0 ? 1 : 0);
    } else {
      parts.outputs.push_back(told);
    }
  }
  parts.storage = DenseMatrix<float>{values, rows, kFeatures};
  if (task == Task::classification) parts.class_names = {"no", "yes"};
  if (task == Task::regression) parts.output_names = {"told"};
  parts.target_name = "told";
  for (std::size_t f = 0; f < kFeatures; ++f) parts.feature_names.push_back("x" + std::to_string(f));
  return Dataset(std::move(parts));
}

/// What a training leaves: candidates with these orders.
TrainedSelection trained_on(const Dataset& data, const std::vector<Numbers>& orders) {
  TrainedSelection trained{.ranked = {}, .fit = data, .read = data, .held = data.subset({})};
  trained.ranked.options.threads = 1;
  trained.ranked.options.choice = Choice::knn;
  trained.equal = {{0, 9}};
  for (const Numbers& order : orders) {
    trained.ranked.models.push_back(std::make_shared<const Model>(Model{.method = "rf", .order = order}));
  }
  return trained;
}

const Numbers kLate{0, 2, 3, 1, 4, 5, 6, 7, 8, 9};  // the second true feature comes fourth

TEST(Exchange, ReplacesAFeatureThatAddsLittleByOneThatAddsMore) {
  for (const Task task : {Task::classification, Task::regression}) {
    const Exchange found = exchanged(trained_on(puzzle(300, task), {kLate}), 0, 2, {});
    EXPECT_EQ(found.order, (Numbers{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}));
    EXPECT_EQ(found.exchanged, 1U);
    EXPECT_FALSE(found.is_cut_short);
  }
}

TEST(Exchange, LeavesAGoodSelectionAsItIs) {
  const Numbers good{1, 0, 2, 3, 4, 5, 6, 7, 8, 9};
  const Exchange found = exchanged(trained_on(puzzle(300), {good}), 0, 2, {});
  EXPECT_EQ(found.order, good);
  EXPECT_EQ(found.exchanged, 0U);
}

TEST(Exchange, TakesWhatAnotherCandidateRanksFirst) {
  const Numbers last{2, 3, 4, 5, 6, 7, 8, 0, 1, 9};  // beyond four times k
  const TrainedSelection alone = trained_on(puzzle(300), {last});
  EXPECT_EQ(exchanged(alone, 0, 1, {}).exchanged, 0U);
  const TrainedSelection both = trained_on(puzzle(300), {last, kLate});
  EXPECT_EQ(exchanged(both, 0, 1, {}).order, (Numbers{0, 2, 3, 4, 5, 6, 7, 8, 1, 9}));
}

TEST(Exchange, LetsKeptFeaturesStay) {
  TrainedSelection trained = trained_on(puzzle(300), {{2, 0, 3, 1, 4, 5, 6, 7, 8, 9}});
  trained.kept = {2};
  const Exchange found = exchanged(trained, 0, 3, {});
  EXPECT_EQ(Numbers(found.order.begin(), found.order.begin() + 3), (Numbers{2, 0, 1}));
}

TEST(Exchange, LeavesOutWhatRepeatsAnotherFeature) {
  const Numbers order{1, 2, 9, 3, 0, 4, 5, 6, 7, 8};
  TrainedSelection trained = trained_on(puzzle(300), {order});
  const Exchange found = exchanged(trained, 0, 2, {});
  EXPECT_EQ(Numbers(found.order.begin(), found.order.begin() + 2), (Numbers{1, 0}));
  trained.ranked.options.redundancy = Redundancy::keep;
  const Exchange kept = exchanged(trained, 0, 2, {});
  EXPECT_EQ(Numbers(kept.order.begin(), kept.order.begin() + 2), (Numbers{1, 9}));
}

TEST(Exchange, DoesNotDependOnTheNumberOfThreads) {
  TrainedSelection trained = trained_on(puzzle(700), {{4, 2, 3, 1, 5, 0, 6, 7, 8, 9}});
  const Exchange one = exchanged(trained, 0, 3, {});
  trained.ranked.options.threads = 3;
  EXPECT_EQ(exchanged(trained, 0, 3, {}).order, one.order);
  EXPECT_EQ(one.exchanged, 2U);
}

TEST(Exchange, LooksAtARandomPartOfManyRows) {
  TrainedSelection trained = trained_on(puzzle(2000), {kLate});
  trained.budget.exchange_rows = 200;
  EXPECT_EQ(exchanged(trained, 0, 2, {}).exchanged, 1U);
}

TEST(Exchange, EndsWithTheTime) {
  TrainedSelection trained = trained_on(puzzle(300), {kLate});
  trained.deadline = Deadline::after(Clock::now(), 0);
  const Exchange found = exchanged(trained, 0, 2, {});
  EXPECT_TRUE(found.is_cut_short);
  EXPECT_EQ(found.order, kLate);
}

TEST(Exchange, StopsWhenAsked) {
  const TrainedSelection trained = trained_on(puzzle(300), {kLate});
  try {
    exchanged(trained, 0, 2, [](const Progress&) { return false; });
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::stopped);
  }
}

TEST(Exchange, WantsRowsThatMayJudgeAndFeaturesToChooseFrom) {
  EXPECT_TRUE(can_exchange(trained_on(puzzle(50), {kLate}), 2));
  EXPECT_FALSE(can_exchange(trained_on(puzzle(49), {kLate}), 2));
  TrainedSelection trained = trained_on(puzzle(300), {kLate});
  EXPECT_FALSE(can_exchange(trained, kFeatures));
  trained.kept = {3, 4};
  EXPECT_FALSE(can_exchange(trained, 2));
  EXPECT_TRUE(can_exchange(trained, 3));
  trained.ranked.options.choice = Choice::validation;
  EXPECT_FALSE(can_exchange(trained, 3));
  trained.ranked.options.choice = Choice::ert;
  EXPECT_TRUE(can_exchange(trained, 3));
  trained.ranked.options.redundancy = Redundancy::drop;
  EXPECT_FALSE(can_exchange(trained, 3));
  trained.ranked.options.redundancy = Redundancy::equal;
  trained.ranked.options.method = "cfm";
  EXPECT_FALSE(can_exchange(trained, 3));
}

}  // namespace
}  // namespace obverse
