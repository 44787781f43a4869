#include "study/answer.h"

#include <gtest/gtest.h>

#include "study/sample.h"

namespace obverse {
namespace {

using Runs = std::vector<std::vector<ModelMerit>>;

// Two models, two runs, one k. Model 0 is the best of run 0, model 1 that of run 1 and on the mean: 0.65 against 0.7.
Runs two_runs() {
  return {{{.model = 0, .k = 3, .accuracy = 0.8, .chosen = true}, {.model = 1, .k = 3, .accuracy = 0.7}},
          {{.model = 0, .k = 3, .accuracy = 0.5}, {.model = 1, .k = 3, .accuracy = 0.7, .chosen = true}}};
}

// By hand: half of its own and a quarter of either neighbour; three quarters of its own at the ends.
TEST(ValidationMerits, AreSmoothedOverNeighbouringSizes) {
  const Runs runs{{{.model = 0, .k = 2, .accuracy = 0.4},
                   {.model = 0, .k = 5, .accuracy = 0.8},
                   {.model = 0, .k = 9, .accuracy = 0.6}}};
  EXPECT_NEAR(validation_merits(runs, 2)[0], 0.75 * 0.4 + 0.25 * 0.8, 1e-12);
  EXPECT_NEAR(validation_merits(runs, 5)[0], 0.5 * 0.8 + 0.25 * (0.4 + 0.6), 1e-12);
  EXPECT_NEAR(validation_merits(runs, 9)[0], 0.75 * 0.6 + 0.25 * 0.8, 1e-12);
  EXPECT_THROW(validation_merits(runs, 3), Error);
}

TEST(AnsweringModel, IsOneForAllRunsWhenGammaIsPicked) {
  const Runs runs = two_runs();
  EXPECT_NEAR(validation_merits(runs, 3)[0], 0.65, 1e-12);
  EXPECT_NEAR(validation_merits(runs, 3)[1], 0.7, 1e-12);
  EXPECT_EQ(answering_model(Pick::gamma, runs, 0, 3), 1U);
  EXPECT_EQ(answering_model(Pick::gamma, runs, 1, 3), 1U);
}

TEST(AnsweringModel, IsEachRunsOwnWhenModelsArePicked) {
  const Runs runs = two_runs();
  EXPECT_EQ(answering_model(Pick::model, runs, 0, 3), 0U);
  EXPECT_EQ(answering_model(Pick::model, runs, 1, 3), 1U);
  EXPECT_THROW(answering_model(Pick::model, runs, 0, 4), Error);
}

CellFinding cell(std::size_t method, std::size_t size, std::vector<double> accuracy) {
  CellFinding made{.method = method, .size = size, .k = 1, .accuracy = std::move(accuracy)};
  summarise(made);
  return made;
}

TEST(Comparison, CountsWinsTiesLossesAndSteadiness) {
  const Plan plan = parse_plan({"small", "small.toml", std::string(study_test::kPlan)});
  // cfm is method 0 and fm method 1. Won and steadier, tied, lost and rougher; the last has no partner.
  const std::vector<CellFinding> cells{cell(0, 1, {0.8, 0.8}), cell(1, 1, {0.5, 0.7}), cell(0, 2, {0.6, 0.8}),
                                       cell(1, 2, {0.8, 0.6}), cell(0, 3, {0.4, 0.6}), cell(1, 3, {0.9, 0.9}),
                                       cell(0, 4, {0.1, 0.1})};
  const std::vector<ComparisonFinding> found = compare(plan, cells);
  ASSERT_EQ(found.size(), 1U);
  const ComparisonFinding& comparison = found[0];
  EXPECT_EQ(comparison.won, 1U);
  EXPECT_EQ(comparison.tied, 1U);
  EXPECT_EQ(comparison.lost, 1U);
  EXPECT_EQ(comparison.steadier, 1U);
  EXPECT_EQ(comparison.rougher, 1U);
  EXPECT_EQ(comparison.planned, 3U * 2 * 2);  // sets, sizes, classifiers
  EXPECT_NEAR(comparison.first_mean, (0.8 + 0.7 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(comparison.second_mean, (0.6 + 0.7 + 0.9) / 3, 1e-12);
  EXPECT_NEAR(comparison.cells[0].difference, 0.2, 1e-12);
}

}  // namespace
}  // namespace obverse
