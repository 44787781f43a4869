#include "readers/table_column.h"

#include <cmath>

#include <gtest/gtest.h>

namespace obverse {
namespace {

using Names = std::vector<std::string>;

/// A column of these cells, settled.
TableColumn column_of(const Names& cells, TableColumn column = {}) {
  column.name = std::string("x");  // GCC 12 warns of an overlap in the assignment of a literal
  column.place = 0;
  column.words = true;
  for (const std::string& cell : cells) {
    if (is_missing(column, cell, {})) {
      ++column.missing;
    } else {
      column.cells.number(cell);
      ++column.present;
    }
  }
  Names notes;
  settle_kind(column, {}, ',', notes);
  settle_values(column, {});
  return column;
}

TEST(TableColumns, AreWhatAllCellsHaveInCommon) {
  EXPECT_EQ(column_of({"1", "-2.5e3", "?"}).kind(), ColumnKind::number);
  EXPECT_EQ(column_of({"yes", "No", ""}).kind(), ColumnKind::boolean);
  EXPECT_EQ(column_of({"2024-03-01", "2023-01-01 12:30"}).kind(), ColumnKind::date);
  EXPECT_EQ(column_of({"1", "x"}).kind(), ColumnKind::category);
}

TEST(TableColumns, GiveEveryCellItsValue) {
  const TableColumn dates = column_of({"2024-03-01", "2023-01-01"});
  EXPECT_EQ(dates.values, (std::vector<double>{1, 0}));
  EXPECT_EQ(dates.texts, (Names{"2023-01-01", "2024-03-01"}));
  const TableColumn quoted = column_of({"'b'", "'?'", "'a'"});
  EXPECT_EQ(quoted.texts, (Names{"b", "a"}));
  EXPECT_TRUE(std::isnan(quoted.values[1]));
  EXPECT_EQ(quoted.missing, 1U);
  EXPECT_EQ(column_of({"no", "YES"}).texts, (Names{"no", "YES"}));
}

TEST(TableColumns, HoldCellsToTheLevelsThatAreDeclared) {
  TableColumn declared{.asked = true, .declared = true, .reading = {.kind = ColumnKind::category}};
  for (const std::string level : {"NA", "x", "y"}) declared.first.number(level, 0);
  const TableColumn good = column_of({"y", "NA", "?"}, declared);
  EXPECT_EQ(good.values, (std::vector<double>{2, 0}));
  EXPECT_EQ(good.missing, 1U);
  EXPECT_FALSE(good.faulty);
  EXPECT_TRUE(column_of({"z"}, declared).faulty);
}

TEST(TableColumns, RefuseWhatChangesHalfway) {
  Names notes;
  TableColumn halves = column_of({"1", "2", "3", "4", "5", "a", "b", "c", "d", "e"});
  EXPECT_EQ(settle_use(halves, 1, notes), CsvFault::Kind::not_a_number);
  EXPECT_EQ(settle_use(halves, 2, notes), CsvFault::Kind::none);
  TableColumn dates = column_of({"2024-03-01", "2024-03-02", "2024-03-03", "soon"});
  EXPECT_EQ(settle_use(dates, 0, notes), CsvFault::Kind::not_a_date);
}

}  // namespace
}  // namespace obverse
