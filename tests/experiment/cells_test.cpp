#include "experiment/cells.h"

#include <gtest/gtest.h>

#include <cmath>

#include "experiment/statistics.h"

namespace obverse {
namespace {

const std::vector<MethodPair> kPair{{"first against second", 0, 1}};

TEST(ResultCells, KeepsRunsInTheirOrderAndCellsInThatOfTheClassifiers) {
  ResultCells table({"rf", "knn"});
  const CellFinding knn{.size = 1, .k = 5, .classifier = "knn"};
  table.add(knn, 2, 0.5);
  table.add(knn, 0, 0.7);
  table.add({.size = 1, .k = 5, .classifier = "rf"}, 0, 0.9);
  const std::vector<CellFinding> cells = table.cells();
  ASSERT_EQ(cells.size(), 2U);
  EXPECT_EQ(cells[0].classifier, "rf");
  EXPECT_EQ(cells[0].deviation, 0);
  EXPECT_EQ(cells[1].runs, (std::vector{0, 2}));
  EXPECT_EQ(cells[1].accuracy, (std::vector{0.7, 0.5}));
  EXPECT_NEAR(cells[1].mean, 0.6, 1e-12);
  EXPECT_NEAR(cells[1].deviation, 0.1 * std::sqrt(2), 1e-12);
}

CellFinding cell(std::size_t method, std::size_t size, std::vector<double> accuracy) {
  CellFinding made{.method = method, .size = size, .k = 1, .runs = {}, .accuracy = std::move(accuracy)};
  for (std::size_t run = 0; run < made.accuracy.size(); ++run) made.runs.push_back(static_cast<int>(run));
  const Spread spread = spread_of(made.accuracy);
  made.mean = spread.mean;
  made.deviation = spread.deviation;
  return made;
}

TEST(CompareMethods, CountsWinsTiesLossesAndSteadiness) {
  // Won and steadier, tied, lost and rougher; the last has no partner.
  const std::vector<CellFinding> cells{cell(0, 1, {0.8, 0.8}), cell(1, 1, {0.5, 0.7}), cell(0, 2, {0.6, 0.8}),
                                       cell(1, 2, {0.8, 0.6}), cell(0, 3, {0.4, 0.6}), cell(1, 3, {0.9, 0.9}),
                                       cell(0, 4, {0.1, 0.1})};
  const std::vector<ComparisonFinding> found = compare_methods(kPair, {{.answers = 10}}, cells);
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
  return compare_methods(kPair, {set}, {first, second})[0].cells;
}

// Run 2 is missing of the first and run 0 of the second: only 1 and 3 are pairs, by 0.1 and 0.3.
TEST(CompareMethods, PairsRunsByTheirNumber) {
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
TEST(CompareMethods, TiesWhereBothGaveAsManyRightAnswers) {
  const std::vector<ComparedCell> cells = compared(cell(0, 1, {0.1, 0.2}), cell(1, 1, {0.3, 0.0}), {.answers = 10});
  ASSERT_EQ(cells.size(), 1U);
  EXPECT_EQ(cells[0].outcome, Outcome::tied);
  EXPECT_EQ(cells[0].p, 1);
}

TEST(CompareMethods, IsLessSureWhereRunsShareRowsAndWhereThereAreMoreCells) {
  const CellFinding first = cell(0, 1, {0.9, 0.8, 0.9});
  const CellFinding second = cell(1, 1, {0.5, 0.6, 0.4});
  const ComparedCell apart = compared(first, second, {.answers = 10})[0];
  const ComparedCell shared = compared(first, second, {.answers = 10, .overlap = 0.25})[0];
  EXPECT_LT(apart.p, shared.p);
  EXPECT_EQ(apart.sure_p, apart.p);
  CellFinding third = first;
  third.size = 2;
  CellFinding fourth = second;
  fourth.size = 2;
  const auto both = compare_methods(kPair, {{.answers = 10}}, {first, second, third, fourth})[0].cells;
  EXPECT_NEAR(both[0].sure_p, 2 * apart.p, 1e-12);
}

}  // namespace
}  // namespace obverse
