// Tables as numbers: medians, levels and dates, learned from training rows alone.
#include "dataset/encoding.h"

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "dataset/scaling.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

struct TableColumn {
  ColumnKind kind = ColumnKind::number;
  std::vector<float> values;
  std::vector<std::string> levels = {};
};

/// A table of these columns, with classes 0 and 1 by turns.
Dataset table(const std::vector<TableColumn>& columns) {
  const std::size_t rows = columns.front().values.size();
  const auto values = std::make_shared<float[]>(rows * columns.size());
  DatasetParts parts;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t r = 0; r < rows; ++r) values[r * columns.size() + c] = columns[c].values[r];
    parts.layout.kinds.push_back(columns[c].kind);
    parts.layout.levels.push_back(columns[c].levels);
    names.push_back("x" + std::to_string(c + 1));
  }
  parts.storage = DenseMatrix<float>{values, rows, columns.size()};
  parts.feature_names = FeatureNames(names);
  for (std::size_t r = 0; r < rows; ++r) parts.labels.push_back(static_cast<std::int32_t>(r % 2));
  parts.class_names = {"a", "b"};
  return Dataset(std::move(parts));
}

std::vector<float> row_of(const Dataset& data, std::size_t row) {
  std::vector<float> values(data.columns());
  data.copy_columns(row, all_columns(data), values.data());
  return values;
}

using Row = std::vector<float>;

TEST(Encoding, LeavesDataThatAreNoTableAsTheyAre) {
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{std::make_shared<float[]>(4), 2, 2};
  parts.feature_names = FeatureNames::numbered("c", 2);
  const Dataset data(std::move(parts));
  EXPECT_TRUE(encoded(data).shares_values(data));
}

TEST(Encoding, FillsAMissingNumberWithTheMedianAndFlagsIt) {
  const Dataset numbers =
      encoded(table({{ColumnKind::number, {1, kMissing, 5, 3}}, {ColumnKind::number, {1, 2, 3, 4}}}));
  EXPECT_EQ(numbers.features(), 2U);
  EXPECT_EQ(numbers.layout().begin, (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(row_of(numbers, 0), (Row{1, 0, 1}));
  EXPECT_EQ(row_of(numbers, 1), (Row{3, 1, 2}));
}

TEST(Encoding, GivesEveryLevelAFlagTheMostFrequentFirst) {
  const Dataset numbers = encoded(table({{ColumnKind::category, {0, 1, 1, 2, kMissing}, {"red", "green", "blue"}}}));
  EXPECT_EQ(numbers.columns(), 4U);
  EXPECT_EQ(row_of(numbers, 1), (Row{1, 0, 0, 0}));  // green
  EXPECT_EQ(row_of(numbers, 0), (Row{0, 1, 0, 0}));  // red
  EXPECT_EQ(row_of(numbers, 4), (Row{0, 0, 0, 1}));  // missing
}

TEST(Encoding, TellsTwoLevelsByOneFlag) {
  const Dataset numbers = encoded(table({{ColumnKind::category, {0, 1, 0, 0}, {"no", "yes"}}}));
  EXPECT_EQ(numbers.columns(), 1U);
  EXPECT_EQ(row_of(numbers, 0), Row{0});
  EXPECT_EQ(row_of(numbers, 1), Row{1});
}

TEST(Encoding, PutsRareLevelsAndUnknownOnesTogether) {
  TableColumn column{ColumnKind::category, {}, {}};
  for (std::size_t level = 0; level < 80; ++level) {
    column.levels.push_back("level " + std::to_string(level));
    column.values.insert(column.values.end(), level < 64 ? 2 : 1, static_cast<float>(level));
  }
  const Dataset data = table({column});
  const Encoding encoding(data);
  EXPECT_EQ(encoding.columns().front().level_names.size(), 65U);
  EXPECT_EQ(encoding.columns().front().level_names.back(), "other");
  const Dataset numbers = encoding.apply(data);
  EXPECT_EQ(row_of(numbers, data.rows() - 1)[64], 1);
  // A level that no row has shown belongs to the others as well.
  column.levels.push_back("unknown");
  column.values.assign(2, 80);
  EXPECT_EQ(row_of(encoding.apply(table({column})), 0)[64], 1);
}

TEST(Encoding, TakesDatesApart) {
  // A Friday and a Saturday; both at midnight, so that the hour is left out, in one year and in one month.
  const Dataset numbers = encoded(table({{ColumnKind::date, {0, 1, kMissing}, {"2024-03-01", "2024-03-02"}}}));
  EXPECT_EQ(numbers.columns(), 3U);
  EXPECT_EQ(row_of(numbers, 0), (Row{4, 19783, 0}));
  EXPECT_EQ(row_of(numbers, 1), (Row{5, 19784, 0}));
  EXPECT_EQ(row_of(numbers, 2), (Row{4.5, 19783.5, 1}));
}

TEST(Encoding, LearnsFromTrainingRowsAlone) {
  const Dataset data = table({{ColumnKind::number, {1, 2, 3, 100, kMissing, 300}},
                              {ColumnKind::category, {0, 1, 0, 2, 2, kMissing}, {"a", "b", "c"}}});
  const std::vector<std::uint32_t> first{0, 1, 2};
  const std::vector<std::uint32_t> last{3, 4, 5};
  const auto [train, test] = encoded(TrainTest{data.subset(first), data.subset(last)});
  EXPECT_EQ(train.columns(), 2U);  // nothing is missing in the training rows, and two levels need one flag
  EXPECT_EQ(row_of(test, 0), (Row{100, 0}));
  EXPECT_EQ(row_of(test, 1), (Row{2, 0}));  // the median of the training rows
  EXPECT_EQ(row_of(test, 2), (Row{300, 0}));
  EXPECT_TRUE(train.shares_values(test));
  EXPECT_EQ(train.labels(), (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(test.labels(), (std::vector<std::int32_t>{1, 0, 1}));
  const auto [other, rest] = encoded(TrainTest{data.subset(last), data.subset(first)});
  EXPECT_EQ(row_of(other, 1)[0], 200);  // other rows, another median
  EXPECT_EQ(other.columns(), 3U);
}

TEST(Encoding, KeepsAColumnOfWhichNothingIsKnown) {
  const Dataset numbers = encoded(table({{ColumnKind::number, {kMissing, kMissing}},
                                         {ColumnKind::category, {kMissing, kMissing}, {}},
                                         {ColumnKind::number, {1, 2}}}));
  EXPECT_EQ(numbers.features(), 3U);
  EXPECT_EQ(constant_features(numbers), (std::vector<std::size_t>{0, 1}));
}

TEST(Encoding, ScalesTheColumnsOfAFeatureToOneVarianceTogether) {
  const Dataset numbers = encoded(table({{ColumnKind::category, {0, 0, 1, 2, 3, 3}, {"a", "b", "c", "d"}},
                                         {ColumnKind::number, {1, 2, kMissing, 4, 5, 9}}}));
  const Affine scaling = fit_scaling(numbers, Scaling::standardise);
  for (std::size_t f = 0; f < numbers.features(); ++f) {
    double total = 0;
    for (std::size_t c = numbers.layout().first(f); c < numbers.layout().end(f); ++c) {
      double sum = 0;
      double squares = 0;
      for (std::size_t r = 0; r < numbers.rows(); ++r) {
        const double x = static_cast<double>(row_of(numbers, r)[c] * scaling.scale[c] + scaling.offset[c]);
        sum += x;
        squares += x * x;
      }
      EXPECT_NEAR(sum, 0, 1e-5);
      total += squares / static_cast<double>(numbers.rows());
    }
    EXPECT_NEAR(total, 1, 1e-5);
  }
}

TEST(Encoding, RefusesLevelsThatAreNotThere) {
  EXPECT_THROW(table({{ColumnKind::category, {0, 2}, {"a", "b"}}}), Error);
  EXPECT_THROW(table({{ColumnKind::category, {0, 0.5F}, {"a", "b"}}}), Error);
  EXPECT_THROW(table({{ColumnKind::number, {0, std::numeric_limits<float>::infinity()}}}), Error);
}

}  // namespace
}  // namespace obverse
