#include "resampling/resamples.h"

#include <gtest/gtest.h>

#include <set>

#include <obverse/error.h>

#include "dataset/splits.h"

namespace obverse {
namespace {

/// One feature, classes by their counts, in order.
Dataset of_classes(const std::vector<std::size_t>& counts) {
  DatasetParts parts;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    names.push_back(cat("c", c));
    parts.labels.insert(parts.labels.end(), counts[c], static_cast<std::int32_t>(c));
  }
  const std::size_t rows = parts.labels.size();
  auto values = std::make_shared<float[]>(rows);
  for (std::size_t r = 0; r < rows; ++r) values[r] = static_cast<float>(r);
  parts.storage = DenseMatrix<float>{values, rows, 1};
  parts.feature_names = FeatureNames({"x"});
  parts.class_names = names;
  parts.target_name = std::string("y");  // GCC 12 warns of an overlap in the assignment of a literal
  return Dataset(parts);
}

TEST(Halves, AreDisjointAndEvenInEveryClass) {
  const Dataset data = of_classes({10, 20});
  const auto [first, second] = halves(data, 3);
  std::set<std::uint32_t> rows(first.storage_rows().begin(), first.storage_rows().end());
  rows.insert(second.storage_rows().begin(), second.storage_rows().end());
  EXPECT_EQ(rows.size(), 30U);
  EXPECT_EQ(first.class_counts(), (std::vector<std::size_t>{5, 10}));
  EXPECT_EQ(second.class_counts(), (std::vector<std::size_t>{5, 10}));
  const auto other = halves(data, 4).first.storage_rows();
  EXPECT_FALSE(std::equal(first.storage_rows().begin(), first.storage_rows().end(), other.begin(), other.end()));
}

TEST(Resamples, AreFiveFoldsAndTwoPairsOfHalvesOfSmallData) {
  const Resamples found = resamples_of(of_classes({30, 30}), 0);
  EXPECT_EQ(found.folds.size(), 5U);
  EXPECT_EQ(found.halves.size(), 2U);
  EXPECT_TRUE(found.notes.empty());
}

TEST(Resamples, AreFewerFoldsWhereAClassIsSmallAndSaySo) {
  const Resamples found = resamples_of(of_classes({30, 3}), 0);
  EXPECT_EQ(found.folds.size(), 3U);
  for (const TrainTest& fold : found.folds) EXPECT_GE(fold.train.class_counts()[1], 2U);
  EXPECT_TRUE(found.halves.empty()) << "a half of three rows is one";
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_NE(found.notes[0].find("3 folds instead of 5"), std::string::npos) << found.notes[0];
  EXPECT_NE(found.notes[1].find("how stable"), std::string::npos) << found.notes[1];
}

TEST(Resamples, AreNoneWhereNoRowOfAClassCanBeSpared) {
  const Resamples found = resamples_of(of_classes({30, 2}), 0);
  EXPECT_TRUE(found.folds.empty());
  EXPECT_TRUE(found.halves.empty());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("too few"), std::string::npos) << found.notes[0];
}

TEST(Resamples, AreOneHeldOutPartOfManyRows) {
  const Resamples found = resamples_of(of_classes({10000, 10000}), 0, resample_counts(20000, false));
  ASSERT_EQ(found.folds.size(), 1U);
  EXPECT_EQ(found.folds[0].test.rows(), 4000U);
  EXPECT_EQ(found.halves.size(), 1U);
}

TEST(Resamples, AreFewerOfMoreRows) {
  EXPECT_EQ(resample_counts(999, false).pairs, 2U);
  EXPECT_EQ(resample_counts(1000, false).pairs, 1U);
  EXPECT_EQ(resample_counts(4999, false).held_out, 5U);
  EXPECT_EQ(resample_counts(5000, false).held_out, 3U);
  EXPECT_EQ(resample_counts(100, true).folds, 3U);
}

TEST(Resamples, AreTheLastFoldsOfWhichEachLearnsFromFourFifthsOfTheRows) {
  const Dataset data = of_classes({50, 50});
  const Resamples some = resamples_of(data, 0, {.held_out = 3});
  const Resamples all = resamples_of(data, 0);
  ASSERT_EQ(some.folds.size(), 3U);
  EXPECT_TRUE(some.notes.empty());
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_EQ(some.folds[f].train.rows(), 80U);
    const auto rows = some.folds[f].test.storage_rows();
    const auto same = all.folds[2 + f].test.storage_rows();
    EXPECT_TRUE(std::equal(rows.begin(), rows.end(), same.begin(), same.end()));
  }
}

std::string fault_of(const Dataset& data, const std::vector<RowSplit>& splits) {
  std::vector<std::string> notes;
  try {
    folds_from(data, data, splits, notes);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(GivenFolds, AreTheRowsThatWereAskedFor) {
  const Dataset data = of_classes({4, 4});
  std::vector<std::string> notes;
  const auto folds =
      folds_from(data, data, std::vector<RowSplit>{{{0, 1, 4, 5}, {2, 6}}, {{2, 3, 6, 7}, {0, 4}}}, notes);
  ASSERT_EQ(folds.size(), 2U);
  EXPECT_EQ(folds[0].test.storage_rows()[1], 6U);
  EXPECT_EQ(folds[1].train.rows(), 4U);
  EXPECT_TRUE(notes.empty());
  const Resamples found = resamples_of(data, 0, {}, folds);
  EXPECT_EQ(found.folds.size(), 2U);
  EXPECT_EQ(found.halves.size(), 2U);
}

TEST(GivenFolds, TestARowOnce) {
  const Dataset data = of_classes({4, 4});
  std::vector<std::string> notes;
  const RowSplit split{{0, 1, 4, 5}, {2, 6}};
  const auto folds = folds_from(data, data, std::vector<RowSplit>{split, {{0, 1, 4, 5}, {2, 7}}, split}, notes);
  ASSERT_EQ(folds.size(), 2U);
  EXPECT_EQ(folds[1].test.rows(), 1U);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("3 repetitions do not, and 2 of 3 splits are left"), std::string::npos) << notes[0];
}

TEST(GivenFolds, LeaveRowsOutThatDoNotCount) {
  const Dataset all = of_classes({4, 4}).weighted(std::vector<float>{0, 1, 1, 1, 1, 1, 1, 1});
  const Dataset data = all.of_positive_weight();
  std::vector<std::string> notes;
  const auto folds = folds_from(all, data, std::vector<RowSplit>{{{0, 1, 2, 4, 5}, {3, 7}}}, notes);
  EXPECT_EQ(folds[0].train.rows(), 4U);
  EXPECT_EQ(folds[0].test.storage_rows()[0], 3U);
}

TEST(GivenFolds, AreRefusedWhereTheyCannotBeUsed) {
  const Dataset data = of_classes({4, 4});
  EXPECT_NE(fault_of(data, {{{0, 1, 4, 5}, {}}}).find("split 1 has no rows to test on"), std::string::npos);
  EXPECT_NE(fault_of(data, {{{}, {2}}}).find("split 1 has no rows to learn from"), std::string::npos);
  EXPECT_NE(fault_of(data, {{{0, 1, 4, 5}, {8}}}).find("row 8, but rows go from 0 to 7"), std::string::npos);
  EXPECT_NE(fault_of(data, {{{0, 1, 4, 5}, {5}}}).find("both learns from row 5"), std::string::npos);
  EXPECT_NE(fault_of(data, {{{0, 1, 4}, {5}}}).find("leaves 1 row of class 'c1'"), std::string::npos);
}

}  // namespace
}  // namespace obverse
