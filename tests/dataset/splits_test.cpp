#include "dataset/splits.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include <obverse/error.h>

namespace obverse {
namespace {

/// One column; `counts` rows of each class, one class after another.
DatasetParts parts_of(const std::vector<std::size_t>& counts) {
  DatasetParts parts;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    parts.labels.insert(parts.labels.end(), counts[c], static_cast<std::int32_t>(c));
    parts.class_names.push_back(cat("class ", c));
  }
  const std::size_t rows = parts.labels.size();
  auto values = std::make_shared<float[]>(rows);
  for (std::size_t r = 0; r < rows; ++r) values[r] = static_cast<float>(r);
  parts.storage = DenseMatrix<float>{std::move(values), rows, 1};
  parts.feature_names = {"x"};
  return parts;
}

Dataset classes_of(const std::vector<std::size_t>& counts) { return Dataset(parts_of(counts)); }

/// Row r is of group r modulo `groups`.
Dataset grouped(const std::vector<std::size_t>& counts, std::size_t groups) {
  DatasetParts parts = parts_of(counts);
  for (std::size_t g = 0; g < groups; ++g) parts.row_group_names.push_back(cat("patient ", g));
  for (std::size_t r = 0; r < parts.labels.size(); ++r) {
    parts.row_groups.push_back(static_cast<std::uint32_t>(r % groups));
  }
  return Dataset(std::move(parts));
}

/// The last row is the earliest, and `each` rows share a time.
Dataset timed(std::size_t rows, std::size_t each) {
  DatasetParts parts = parts_of({rows});
  for (std::size_t r = 0; r < rows; ++r) parts.times.push_back(-static_cast<double>(r / each));
  return Dataset(std::move(parts));
}

std::vector<std::uint32_t> rows_of(const Dataset& data) {
  return {data.storage_rows().begin(), data.storage_rows().end()};
}

std::set<std::uint32_t> groups_in(const Dataset& data) {
  std::set<std::uint32_t> groups;
  for (std::size_t r = 0; r < data.rows(); ++r) groups.insert(data.row_group(r));
  return groups;
}

std::string message_of(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  return "nothing was refused";
}

TEST(Split, GivesEachClassItsShare) {
  const auto [train, test] = split(classes_of({100, 50, 7, 2}), {.test_fraction = 0.2, .seed = 3});
  EXPECT_EQ(test.class_counts(), (std::vector<std::size_t>{20, 10, 1, 1}));
  EXPECT_EQ(train.class_counts(), (std::vector<std::size_t>{80, 40, 6, 1}));
}

TEST(Split, LeavesARowInEachPart) {
  const auto [train, test] = split(classes_of({3, 3}), {.test_fraction = 0.99});
  EXPECT_EQ(train.class_counts(), (std::vector<std::size_t>{1, 1}));
  const auto [most, least] = split(classes_of({3, 3}), {.test_fraction = 0.01});
  EXPECT_EQ(least.class_counts(), (std::vector<std::size_t>{1, 1}));
}

TEST(Split, IsAPartitionInAscendingOrder) {
  const auto [train, test] = split(classes_of({40, 60}), {.seed = 5});
  std::vector<std::uint32_t> all(train.storage_rows().begin(), train.storage_rows().end());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_TRUE(std::is_sorted(test.storage_rows().begin(), test.storage_rows().end()));
  all.insert(all.end(), test.storage_rows().begin(), test.storage_rows().end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t r = 0; r < 100; ++r) EXPECT_EQ(all[r], r);
}

TEST(Split, DependsOnTheSeedAndNothingElse) {
  const Dataset data = classes_of({40, 60});
  const auto rows = [&](std::uint64_t seed) {
    const auto test = split(data, {.seed = seed}).second;
    return std::vector<std::uint32_t>(test.storage_rows().begin(), test.storage_rows().end());
  };
  EXPECT_EQ(rows(1), rows(1));
  EXPECT_NE(rows(1), rows(2));
}

TEST(Split, OfASubsetStaysInIt) {
  std::vector<std::uint32_t> even;
  for (std::uint32_t r = 0; r < 100; r += 2) even.push_back(r);
  const auto [train, test] = split(classes_of({50, 50}).subset(even));
  EXPECT_EQ(train.rows() + test.rows(), 50U);
  for (const std::uint32_t row : test.storage_rows()) EXPECT_EQ(row % 2, 0U);
}

TEST(Split, NamesAClassWithASingleRow) {
  try {
    split(classes_of({5, 1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_NE(std::string(error.what()).find("class 'class 1' has a single row (row 6)"), std::string::npos);
  }
}

TEST(Split, KeepsGroupsWholeAndClassesNearTheirShare) {
  // 60 rows of one class and 40 of the other in 20 groups of 5.
  const Dataset data = grouped({60, 40}, 20);
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto [train, test] = split(data, {.test_fraction = 0.2, .seed = seed});
    EXPECT_EQ(train.rows() + test.rows(), 100U);
    EXPECT_EQ(test.class_counts(), (std::vector<std::size_t>{12, 8}));
    const std::set<std::uint32_t> learned = groups_in(train);
    for (const std::uint32_t group : groups_in(test)) EXPECT_FALSE(learned.contains(group));
  }
  EXPECT_NE(rows_of(split(data, {.seed = 1}).second), rows_of(split(data, {.seed = 2}).second));
}

TEST(Split, OfTwoGroupsGivesOneToEachPart) {
  const auto [train, test] = split(grouped({6, 4}, 2), {.test_fraction = 0.01});
  EXPECT_EQ(train.rows(), 5U);
  EXPECT_EQ(test.rows(), 5U);
}

TEST(Split, RefusesAGroupThatHoldsAllRows) {
  EXPECT_EQ(message_of([] {
              split(grouped({6, 4}, 1));
            }),
            "expected at least 2 groups of rows for as many parts, found 1, 'patient 0'; give --row-groups another "
            "column, or fewer folds");
}

TEST(Split, TestsOnTheLatestRowsWhateverTheSeed) {
  const Dataset data = timed(100, 1);
  const auto [train, test] = split(data, {.test_fraction = 0.2, .seed = 1});
  ASSERT_EQ(test.rows(), 20U);
  for (std::uint32_t r = 0; r < 20; ++r) EXPECT_EQ(test.storage_rows()[r], r);
  EXPECT_EQ(rows_of(test), rows_of(split(data, {.test_fraction = 0.2, .seed = 2}).second));
}

TEST(Split, NeverPartsRowsOfOneTime) {
  const auto [train, test] = split(timed(100, 30), {.test_fraction = 0.2});
  EXPECT_EQ(test.rows(), 30U);  // the three last times have 30 rows each
  EXPECT_EQ(message_of([] { split(timed(10, 10)); }),
            "expected at least 2 different times, so that each part begins later than the one before, found 1; give "
            "--time another column, or fewer folds");
}

TEST(Split, RefusesAFractionThatLeavesNothing) {
  for (const double fraction : {0.0, 1.0, -1.0, 2.0})
    EXPECT_THROW(split(classes_of({5, 5}), {.test_fraction = fraction}), Error);
}

TEST(Folds, HoldEveryRowOnceAndEachClassEvenly) {
  const Dataset data = classes_of({18, 18, 17});
  const std::vector<TrainTest> folds = cross_validation(data, 5, 7);
  ASSERT_EQ(folds.size(), 5U);
  std::set<std::uint32_t> seen;
  for (const auto& [train, test] : folds) {
    EXPECT_TRUE(test.rows() == 10 || test.rows() == 11);
    EXPECT_TRUE(std::is_sorted(test.storage_rows().begin(), test.storage_rows().end()));
    seen.insert(test.storage_rows().begin(), test.storage_rows().end());
    for (const std::size_t count : test.class_counts()) EXPECT_TRUE(count == 3 || count == 4);
  }
  EXPECT_EQ(seen.size(), 53U);
}

TEST(Folds, DependOnTheSeedAlone) {
  const Dataset data = classes_of({20, 20});
  const auto first = [&](std::uint64_t seed) { return rows_of(cross_validation(data, 4, seed).front().test); };
  EXPECT_EQ(first(1), first(1));
  EXPECT_NE(first(1), first(2));
}

TEST(Folds, LearnFromAllOtherRows) {
  for (const auto& [train, test] : cross_validation(classes_of({12, 11}), 3, 0)) {
    std::vector<std::uint32_t> rows = rows_of(train);
    rows.insert(rows.end(), test.storage_rows().begin(), test.storage_rows().end());
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows.size(), 23U);
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  }
}

TEST(Folds, RefuseAClassWithFewerRowsThanThereAreFolds) {
  const Dataset data = classes_of({10, 7, 3});
  EXPECT_NO_THROW(cross_validation(data, 3, 0));
  EXPECT_EQ(message_of([&] { cross_validation(data, 5, 0); }),
            "a fold would have no row of class 'class 2': it has 3 rows and there are 5 folds; use --cv 3 or merge the "
            "class");
}

TEST(Folds, KeepGroupsWhole) {
  const Dataset data = grouped({60, 40}, 20);
  std::set<std::uint32_t> seen;
  for (const auto& [train, test] : cross_validation(data, 5, 3)) {
    EXPECT_EQ(test.class_counts(), (std::vector<std::size_t>{12, 8}));
    EXPECT_EQ(train.rows(), 80U);
    for (const std::uint32_t group : groups_in(test)) EXPECT_TRUE(seen.insert(group).second);
  }
  EXPECT_EQ(seen.size(), 20U);
  EXPECT_NE(message_of([&] { cross_validation(data, 21, 0); }).find("at least 21 groups"), std::string::npos);
}

TEST(Folds, GoForwardInTime) {
  const Dataset data = timed(60, 2);
  const std::vector<TrainTest> folds = cross_validation(data, 5, 0);
  ASSERT_EQ(folds.size(), 5U);
  for (std::size_t f = 0; f < folds.size(); ++f) {
    EXPECT_EQ(folds[f].train.rows(), 10 * (f + 1));
    EXPECT_EQ(folds[f].test.rows(), 10U);
    double latest = folds[f].train.time(0);
    for (std::size_t r = 0; r < folds[f].train.rows(); ++r) latest = std::max(latest, folds[f].train.time(r));
    for (std::size_t r = 0; r < folds[f].test.rows(); ++r) EXPECT_GT(folds[f].test.time(r), latest);
  }
  EXPECT_NE(message_of([&] { cross_validation(data, 30, 0); }).find("at least 31 different times"), std::string::npos);
}

}  // namespace
}  // namespace obverse
