#include "study/answer.h"

#include <gtest/gtest.h>

#include "study/sample.h"

namespace obverse {
namespace {

// Model 0 is the best on the validation rows, and the selection has chosen model 1.
std::vector<ModelMerit> two_models() {
  return {{.model = 0, .k = 3, .accuracy = 0.8}, {.model = 1, .k = 3, .accuracy = 0.7, .chosen = true}};
}

// By hand: half of its own and a quarter of either neighbour; three quarters of its own at the ends.
TEST(ValidationMerits, AreSmoothedOverNeighbouringSizes) {
  const std::vector<ModelMerit> run{{.model = 0, .k = 2, .accuracy = 0.4},
                                    {.model = 0, .k = 5, .accuracy = 0.8},
                                    {.model = 0, .k = 9, .accuracy = 0.6}};
  EXPECT_NEAR(validation_merits(run, 2)[0], 0.75 * 0.4 + 0.25 * 0.8, 1e-12);
  EXPECT_NEAR(validation_merits(run, 5)[0], 0.5 * 0.8 + 0.25 * (0.4 + 0.6), 1e-12);
  EXPECT_NEAR(validation_merits(run, 9)[0], 0.75 * 0.6 + 0.25 * 0.8, 1e-12);
  EXPECT_THROW(validation_merits(run, 3), Error);
}

TEST(AnsweringModel, IsTheBestOnTheValidationRowsOfItsRunWhenGammaIsPicked) {
  EXPECT_EQ(answering_model(Pick::gamma, two_models(), 3), 0U);
}

TEST(AnsweringModel, IsTheOneThatTheSelectionHasChosenWhenModelsArePicked) {
  EXPECT_EQ(answering_model(Pick::model, two_models(), 3), 1U);
  EXPECT_THROW(answering_model(Pick::model, two_models(), 4), Error);
}

CellFinding cell(std::size_t method, std::size_t size, std::vector<double> accuracy) {
  CellFinding made{.method = method, .size = size, .k = 1, .runs = {}, .accuracy = std::move(accuracy)};
  for (std::size_t run = 0; run < made.accuracy.size(); ++run) made.runs.push_back(static_cast<int>(run));
  summarise(made);
  return made;
}

TEST(Comparison, CountsWinsTiesLossesAndSteadiness) {
  const Plan plan = parse_plan({"small", "small.toml", std::string(study_test::kPlan)});
  // cfm is method 0 and fm method 1. Won and steadier, tied, lost and rougher; the last has no partner.
  const std::vector<CellFinding> cells{cell(0, 1, {0.8, 0.8}), cell(1, 1, {0.5, 0.7}), cell(0, 2, {0.6, 0.8}),
                                       cell(1, 2, {0.8, 0.6}), cell(0, 3, {0.4, 0.6}), cell(1, 3, {0.9, 0.9}),
                                       cell(0, 4, {0.1, 0.1})};
  const std::vector<ComparisonFinding> found = compare(plan, {{.answers = 10}}, cells);
  ASSERT_EQ(found.size(), 1U);
  const ComparisonFinding& comparison = found[0];
  EXPECT_EQ(comparison.won, 1U);
  EXPECT_EQ(comparison.tied, 1U);
  EXPECT_EQ(comparison.lost, 1U);
  EXPECT_EQ(comparison.steadier, 1U);
  EXPECT_EQ(comparison.rougher, 1U);
  EXPECT_NEAR(comparison.first_mean, (0.8 + 0.7 + 0.5) / 3, 1e-12);
  EXPECT_NEAR(comparison.second_mean, (0.6 + 0.7 + 0.9) / 3, 1e-12);
  EXPECT_NEAR(comparison.cells[0].difference, 0.2, 1e-12);
}

std::vector<ComparedCell> compared(const CellFinding& first, const CellFinding& second, const ComparedSet& set) {
  const Plan plan = parse_plan({"small", "small.toml", std::string(study_test::kPlan)});
  return compare(plan, {set}, {first, second})[0].cells;
}

// Run 2 is missing of the first and run 0 of the second: only 1 and 3 are pairs, by 0.1 and 0.3.
TEST(Comparison, PairsRunsByTheirNumber) {
  CellFinding first = cell(0, 1, {0.9, 0.5, 0.8});
  first.runs = {0, 1, 3};
  CellFinding second = cell(1, 1, {0.4, 0.1, 0.5});
  second.runs = {1, 2, 3};
  const std::vector<ComparedCell> cells = compared(first, second, {.answers = 10});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_NEAR(cells[0].difference, 0.2, 1e-12);
  EXPECT_LT(cells[0].low, 0.2);
  EXPECT_GT(cells[0].high, 0.2);
}

// 0.1 + 0.2 is not 0.3 in floats, but three of ten answers are three.
TEST(Comparison, TiesWhereBothGaveAsManyRightAnswers) {
  const std::vector<ComparedCell> cells = compared(cell(0, 1, {0.1, 0.2}), cell(1, 1, {0.3, 0.0}), {.answers = 10});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].outcome, Outcome::tied);
  EXPECT_EQ(cells[0].p, 1);
}

TEST(Comparison, IsLessSureWhereRunsShareRowsAndWhereThereAreMoreCells) {
  const CellFinding first = cell(0, 1, {0.9, 0.8, 0.9});
  const CellFinding second = cell(1, 1, {0.5, 0.6, 0.4});
  const ComparedCell apart = compared(first, second, {.answers = 10})[0];
  const ComparedCell shared = compared(first, second, {.answers = 10, .overlap = 0.25})[0];
  EXPECT_LT(apart.p, shared.p);
  EXPECT_EQ(apart.sure_p, apart.p);
  const Plan plan = parse_plan({"small", "small.toml", std::string(study_test::kPlan)});
  CellFinding third = first;
  third.size = 2;
  CellFinding fourth = second;
  fourth.size = 2;
  const auto both = compare(plan, {{.answers = 10}}, {first, second, third, fourth})[0].cells;
  EXPECT_NEAR(both[0].sure_p, 2 * apart.p, 1e-12);
}

}  // namespace
}  // namespace obverse
