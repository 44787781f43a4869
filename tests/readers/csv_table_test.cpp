#include <cmath>

#include "readers/cells.h"
#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Kinds = std::vector<ColumnKind>;

/// Missing values as -1, which compare.
Floats shown(const Dataset& data) {
  Floats values = values_of(data);
  for (float& value : values) value = std::isnan(value) ? -1 : value;
  return values;
}

std::string notes_of(const FileSummary& summary) {
  std::string notes;
  for (const std::string& note : summary.notes) notes += note + "\n";
  return notes;
}

/// A column x of the given cells beside a target.
std::string column_of(const std::vector<std::string>& cells, const std::string& separator = ",") {
  std::string text = "x" + separator + "y\n";
  for (std::size_t i = 0; i < cells.size(); ++i) text += cells[i] + separator + std::to_string(i % 2) + "\n";
  return text;
}

TEST(CsvTable, KnowsTheKindOfEachColumn) {
  const Folder folder;
  const std::string path = folder.write("a.csv",
                                        "age,smoker,city,since,y\n"
                                        "31, True ,Rome,2024-03-01,a\n"
                                        "?,false,Oslo,2023-01-15 12:30,b\n"
                                        "40,NA,Rome,,a\n"
                                        "052,TRUE,n/a,2023-01-15 12:30,b\n");
  const Dataset data = read(path, {.target = "y"});
  EXPECT_EQ(data.layout().kinds,
            (Kinds{ColumnKind::number, ColumnKind::boolean, ColumnKind::category, ColumnKind::date}));
  EXPECT_EQ(data.layout().levels[2], (Names{"Rome", "Oslo"}));
  EXPECT_EQ(data.layout().levels[3], (Names{"2023-01-15 12:30", "2024-03-01"}));
  EXPECT_EQ(shown(data), (Floats{31, 1, 0, 1, -1, 0, 1, 0, 40, -1, 0, -1, 52, 1, -1, 0}));
}

TEST(CsvTable, LeavesPlainNumbersWithoutALayout) {
  const Folder folder;
  FileSummary summary;
  const Dataset data = read(folder.write("a.csv", "a,b,y\n1,2,u\n3,4,v\n"), {.target = "y"}, &summary);
  EXPECT_FALSE(data.is_table());
  EXPECT_TRUE(summary.columns.empty());
  const Dataset dropped = read(folder.write("b.csv", "a,word,y\n1,x,u\n3,z,v\n"), {.target = "y", .drop = {"word"}});
  EXPECT_EQ(dropped.layout(), FeatureLayout());
}

TEST(CsvTable, ReadsDatesAsPeopleWriteThem) {
  const Folder folder;
  const Names levels{"2024-01-31", "2024-03-02"};
  for (const Names& cells : {Names{"02.03.2024", "31.01.2024"}, Names{"2024/03/02", "2024/1/31"},
                             Names{"3/2/2024", "1/31/2024"}, Names{"02/03/2024", "31/01/2024"}}) {
    const Dataset data = read(folder.write("a.csv", column_of(cells)), {.target = "y"});
    EXPECT_EQ(data.layout().kinds, Kinds{ColumnKind::date}) << cells[0];
    EXPECT_EQ(data.layout().levels[0], levels) << cells[0];
    EXPECT_EQ(shown(data), (Floats{1, 0}));
  }
  FileSummary summary;
  const Dataset either =
      read(folder.write("a.csv", column_of({"02/03/2024", "01/02/2024"})), {.target = "y"}, &summary);
  EXPECT_EQ(either.layout().kinds, Kinds{ColumnKind::category});
  EXPECT_HOLDS(notes_of(summary), "day and month cannot be told apart");
}

TEST(CsvTable, LeavesIdentitiesOutUnlessAskedToKeepThem) {
  const Folder folder;
  std::string text = "id,a,y\n";
  for (int i = 0; i < 30; ++i) text += cat("P", i, ",", i, ",c", i % 2, "\n");
  const std::string path = folder.write("a.csv", text);
  FileSummary summary;
  const Dataset data = read(path, {.target = "y"}, &summary);
  EXPECT_EQ(data.feature_names(), Names{"a"});
  EXPECT_FALSE(data.is_table());
  EXPECT_HOLDS(notes_of(summary), "column 'id' is left out");
  EXPECT_HOLDS(notes_of(summary), "--as id=category");
  ASSERT_EQ(summary.columns.size(), 3U);
  EXPECT_EQ(summary.columns[0].kind, "identity");
  EXPECT_EQ(summary.columns[0].use, "left out: identity");
  EXPECT_EQ(read(path, {.target = "y", .as = {"id=category"}}).feature_names(), (Names{"id", "a"}));
}

TEST(CsvTable, LeavesFreeTextOut) {
  const Folder folder;
  std::string text = "said,a,y\n";
  for (int i = 0; i < 8; ++i) text += "we liked the room and the view number " + std::to_string(i) + ",1,0\n";
  FileSummary summary;
  EXPECT_EQ(read(folder.write("a.csv", text), {.target = "y"}, &summary).feature_names(), Names{"a"});
  EXPECT_HOLDS(notes_of(summary), "free text");
}

TEST(CsvTable, StripsSingleQuotesThatEveryValueHas) {
  const Folder folder;
  const Dataset all = read(folder.write("a.csv", column_of({"'40-49'", "nan", "'50-59'"})), {.target = "y"});
  EXPECT_EQ(all.layout().levels[0], (Names{"40-49", "50-59"}));
  const Dataset some = read(folder.write("a.csv", column_of({"'40-49'", "b", "'50-59'"})), {.target = "y"});
  EXPECT_EQ(some.layout().levels[0], (Names{"'40-49'", "b", "'50-59'"}));
}

TEST(CsvTable, ReadsDecimalCommasAndThousands) {
  const Folder folder;
  FileSummary summary;
  const Dataset comma = read(folder.write("a.csv", column_of({"3,14", "-2,5", "7"}, ";")), {.target = "y"}, &summary);
  EXPECT_EQ(shown(comma), (Floats{3.14F, -2.5F, 7}));
  EXPECT_FALSE(comma.is_table());
  EXPECT_HOLDS(notes_of(summary), "decimal commas");
  const Dataset thousands =
      read(folder.write("a.csv", column_of({"\"1,234.5\"", "\"12,000\"", "7"})), {.target = "y"}, &summary);
  EXPECT_EQ(shown(thousands), (Floats{1234.5F, 12000, 7}));
  EXPECT_HOLDS(notes_of(summary), "commas between thousands");
}

TEST(CsvTable, TakesMoreWordsForAMissingValue) {
  const Folder folder;
  const std::string path = folder.write("a.csv", column_of({"1", "-9", "unknown", "4"}));
  const Dataset data = read(path, {.target = "y", .na = {"-9", "unknown"}});
  EXPECT_EQ(data.layout().kinds, Kinds{ColumnKind::number});
  EXPECT_EQ(shown(data), (Floats{1, -1, -1, 4}));
  EXPECT_FALSE(is_missing_word("none"));
  for (const std::string word : {"", "?", "NA", "n/a", "NaN", "NULL"}) EXPECT_TRUE(is_missing_word(word)) << word;
}

TEST(CsvTable, ReadsAColumnAsItIsTold) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "zip,flag,y\n10115,1,a\n20095,0,b\n10115,1,a\n");
  const Dataset data = read(path, {.target = "y", .as = {"zip=category", "flag=boolean"}});
  EXPECT_EQ(data.layout().kinds, (Kinds{ColumnKind::category, ColumnKind::boolean}));
  EXPECT_EQ(data.layout().levels[0], (Names{"10115", "20095"}));
  EXPECT_HOLDS(read_fault(path, {.target = "y", .as = {"zip=word"}}, Fault::usage),
               "COLUMN=KIND, with a kind of number, boolean, category, date");
  EXPECT_HOLDS(read_fault(path, {.target = "y", .as = {"zap=number"}}), "there is no column 'zap'");
  EXPECT_HOLDS(read_fault(folder.write("b.csv", column_of({"1", "a"})), {.target = "y", .as = {"x=number"}}),
               "b.csv:3: column 'x': expected a number, found 'a'");
  EXPECT_HOLDS(read_fault(folder.write("b.csv", column_of({"yes", "maybe"})), {.target = "y", .as = {"x=boolean"}}),
               "expected true or false, yes or no, found 'maybe'");
  EXPECT_HOLDS(read_fault(folder.write("b.csv", column_of({"2024-03-01", "soon"})), {.target = "y", .as = {"x=date"}}),
               "expected a date such as 2024-03-01, found 'soon'");
}

TEST(CsvTable, LeavesRowsWithoutATargetOut) {
  const Folder folder;
  FileSummary summary;
  const Dataset data = read(folder.write("a.csv", "a,y\n1,u\n2,NA\n3,v\n4,\n"), {.target = "y"}, &summary);
  EXPECT_EQ(shown(data), (Floats{1, 3}));
  EXPECT_HOLDS(notes_of(summary), "2 rows are left out: the target 'y' is missing there");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,y\n1,NA\n2,NA\n"), {.target = "y"}), "missing in every row");
}

TEST(CsvTable, DoesAsToldAboutMissingValues) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,b,c,y\n1,?,x,0\n2,3,,1\n4,5,z,0\n6,,x,1\n");
  FileSummary summary;
  const Dataset data = read(path, {.target = "y", .missing = "drop-rows"}, &summary);
  EXPECT_EQ(data.rows(), 1U);
  EXPECT_HOLDS(notes_of(summary), "3 rows are left out: values are missing there");
  EXPECT_HOLDS(read_fault(path, {.target = "y", .missing = "error"}),
               "a.csv: 2 columns with missing values: b (2), c (1)");
  EXPECT_EQ(read(path, {.target = "y", .drop = {"b", "c"}, .missing = "error"}).rows(), 4U);
}

TEST(CsvTable, NamesAllTroublesInOneMessage) {
  const Folder folder;
  const std::string message = read_fault(folder.write("a.csv", "a,b,y\n1,2\n1,2,3,4\n1,2,0\n1\n"), {.target = "y"});
  EXPECT_HOLDS(message, "3 troubles");
  EXPECT_HOLDS(message, "a.csv:2: expected 3 values, found 2");
  EXPECT_HOLDS(message, "a.csv:3: expected 3 values, found 4");
  EXPECT_HOLDS(message, "a.csv:5: expected 3 values, found 1");
  std::string text = "a,y\n";
  for (int i = 0; i < 9; ++i) text += "inf,0\n";
  EXPECT_HOLDS(read_fault(folder.write("a.csv", text), {.target = "y"}), "and 4 more");
}

TEST(CsvTable, KeepsTheFirstRowOfAFileOfWords) {
  const Folder folder;
  const std::string rows = "red,small,no\nblue,large,yes\nred,large,no\nblue,small,yes\n";
  const Dataset without = read(folder.write("a.csv", rows), {.target = "-1"});
  EXPECT_EQ(without.rows(), 4U);
  EXPECT_EQ(without.feature_names(), (Names{"c1", "c2"}));
  const Dataset with = read(folder.write("a.csv", "colour,size,sold\n" + rows), {.target = "sold"});
  EXPECT_EQ(with.rows(), 4U);
  EXPECT_EQ(with.feature_names(), (Names{"colour", "size"}));
}

TEST(CsvTable, LeavesColumnsOutByPattern) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "day_1,day_22,a,day_y\n1,2,3,0\n4,5,6,1\n");
  EXPECT_EQ(read(path, {.target = "day_y", .drop = {"day_*"}}).feature_names(), Names{"a"});
  EXPECT_EQ(read(path, {.target = "day_y", .drop = {"day_?"}}).feature_names(), (Names{"day_22", "a"}));
  EXPECT_HOLDS(read_fault(path, {.target = "day_y", .drop = {"night_*"}}), "fits the pattern 'night_*'");
}

TEST(CsvTable, ReadsLatin1AsUtf8) {
  const Folder folder;
  FileSummary summary;
  const Dataset data = read(folder.write("a.csv", column_of({"K\xF6ln", "Bonn"})), {.target = "y"}, &summary);
  EXPECT_EQ(data.layout().levels[0], (Names{"K\xC3\xB6ln", "Bonn"}));
  EXPECT_HOLDS(notes_of(summary), "Latin-1");
  const Dataset plain = read(folder.write("a.csv", "a,y\n1,K\xF6ln\n2,Bonn\n"), {.target = "y"}, &summary);
  EXPECT_EQ(plain.class_names(), (Names{"Bonn", "K\xC3\xB6ln"}));
  EXPECT_HOLDS(notes_of(summary), "Latin-1");
}

TEST(CsvTable, NumbersLevelsLikeOtherData) {
  const Folder folder;
  const Dataset like = read(folder.write("a.csv", "c,d,n,y\nx,2024-03-01,1,0\nz,2023-01-01,?,1\n"), {.target = "y"});
  const Dataset data =
      read_like(folder.write("b.csv", "n,c,d,y\n5,new,2022-05-05,1\n6,z,2024-03-01,0\n7,,2023-01-01,1\n"), like);
  EXPECT_EQ(data.feature_names(), (Names{"c", "d", "n"}));
  EXPECT_EQ(data.layout().kinds, like.layout().kinds);
  EXPECT_EQ(data.layout().levels[0], (Names{"x", "z", "new"}));
  EXPECT_EQ(data.layout().levels[1], (Names{"2023-01-01", "2024-03-01", "2022-05-05"}));
  EXPECT_EQ(shown(data), (Floats{2, 2, 5, 1, 1, 6, -1, 0, 7}));
  EXPECT_HOLDS(message_of([&] { read_like(folder.write("b.csv", "n,c,d,y\nfive,x,2022-05-05,1\n"), like); }),
               "column 'n': expected a number, found 'five'");
}

TEST(CsvTable, RefusesHolesWhereTheOtherDataHasNumbers) {
  const Folder folder;
  const Dataset like = read(folder.write("a.csv", "a,b,y\n1,2,0\n3,4,1\n"), {.target = "y"});
  EXPECT_HOLDS(message_of([&] { read_like(folder.write("b.csv", "a,b,y\n1,,0\n3,4,1\n"), like); }),
               "b.csv:2: column 'b': expected a number, found an empty cell");
}

TEST(CsvTable, TakesWeightsAndTargetsFromATable) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "word,w,p,q\nx,1,0.5,3\nz,2,NA,4\nx,3,1.5,5\n");
  FileSummary summary;
  const Dataset data = read(path, {.targets = {"p", "q"}, .weights = "w"}, &summary);
  EXPECT_EQ(data.feature_names(), Names{"word"});
  EXPECT_EQ(data.weights(), (Floats{1, 3}));
  EXPECT_HOLDS(notes_of(summary), "1 row is left out");
  EXPECT_HOLDS(read_fault(path, {.target = "q", .weights = "word"}),
               "weight column 'word': expected numbers, found words");
}

/// More than a block of text: `rows` lines of `cell(row)` and a target.
template <class Cell>
std::string long_table(std::size_t rows, const Cell& cell) {
  std::string text = "x,n,y\n";
  for (std::size_t r = 0; r < rows; ++r) text += cell(r) + "," + std::to_string(r) + "," + std::to_string(r % 2) + "\n";
  return text;
}

TEST(CsvTable, NumbersLevelsInTheOrderOfTheFileAcrossBlocks) {
  const Folder folder;
  const auto cell = [](std::size_t r) { return "a category of a table: " + std::to_string(r / 1000); };
  const Dataset data = read(folder.write("a.csv", long_table(40000, cell)), {.target = "y"});
  ASSERT_EQ(data.layout().levels[0].size(), 40U);
  for (std::size_t i = 0; i < 40; ++i) EXPECT_EQ(data.layout().levels[0][i], cell(1000 * i));
  const Floats values = values_of(data);
  for (std::size_t r = 0; r < 40000; ++r) {
    ASSERT_EQ(values[2 * r], static_cast<float>(r / 1000)) << r;
    ASSERT_EQ(values[2 * r + 1], static_cast<float>(r)) << r;
  }
}

TEST(CsvTable, KeepsTheTextOfNumbersBeforeTheFirstWord) {
  const Folder folder;
  const auto cell = [](std::size_t r) {
    return r % 3 == 0 || r < 39000 ? std::string("00").append(std::to_string(r % 7)).append(20, ' ')
                                   : std::string("word");
  };
  const Dataset data = read(folder.write("a.csv", long_table(40000, cell)), {.target = "y"});
  EXPECT_EQ(data.layout().kinds[0], ColumnKind::category);
  EXPECT_EQ(data.layout().levels[0], (Names{"000", "001", "002", "003", "004", "005", "006", "word"}));
}

TEST(CsvTable, RefusesNumbersInOnePartOfTheFileAndWordsInTheOther) {
  const Folder folder;
  const std::string path = folder.write("a.csv", column_of({"1", "2", "3", "4", "5", "a", "b", "c", "d", "e"}));
  EXPECT_HOLDS(read_fault(path, {.target = "y"}), "a.csv:7: column 'x': expected a number, found 'a'; say --na a");
  EXPECT_EQ(read(path, {.target = "y", .as = {"x=category"}}).layout().kinds, Kinds{ColumnKind::category});
  const auto cell = [](std::size_t r) { return std::string(r < 20000 ? "" : "w").append(std::to_string(r)); };
  EXPECT_HOLDS(read_fault(folder.write("b.csv", long_table(40000, cell)), {.target = "y"}),
               "b.csv:20002: column 'x': expected a number, found 'w20000'");
}

TEST(CsvTable, RefusesDatesOfWhichOneIsNone) {
  const Folder folder;
  const std::string path = folder.write("a.csv", column_of({"2024-03-01", "2024-03-02", "99999-01-01", "2024-03-04"}));
  EXPECT_HOLDS(read_fault(path, {.target = "y"}),
               "a.csv:4: column 'x': expected a date such as 2024-03-01, found '99999-01-01'; say --na 99999-01-01");
  EXPECT_EQ(read(path, {.target = "y", .na = {"99999-01-01"}}).layout().kinds, Kinds{ColumnKind::date});
}

TEST(CsvTable, ReadsMixedLineEndsAndNamesLoneCarriageReturns) {
  const Folder folder;
  const Dataset data = read(folder.write("a.csv", "a,w,y\r\n1,u,0\n2,v,1\r\n3,u,0\n"), {.target = "y"});
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.layout().levels[1], (Names{"u", "v"}));
  EXPECT_HOLDS(read_fault(folder.write("b.csv", "a,w,y\n1,u,0\r2,v,1\n3,u,0\n"), {.target = "y"}),
               "b.csv:2: expected 3 values, found 5 and a carriage return among them");
}

TEST(CsvTable, NamesAQuoteThatNeverCloses) {
  const Folder folder;
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,w,y\n1,u,0\n2,\"v,1\n3,u,0\n"), {.target = "y"}),
               "a.csv:3: column 'w': a quote opens in the record that begins here and never closes");
}

TEST(CsvTable, ReadsEveryRowOfRealTables) {
  const std::string folder = shared_data();
  if (folder.empty() || !std::filesystem::is_directory(folder + "/tables")) GTEST_SKIP() << "no tables at hand";
  struct Real {
    std::string name;
    std::string target;
    std::size_t rows;
    std::size_t features;
  };
  for (const Real& real : {Real{"adult.csv.gz", "-1", 32561, 14}, Real{"auto-imports.csv", "-1", 201, 25},
                           Real{"breast-cancer.csv", "-1", 286, 9}, Real{"german.csv", "-1", 1000, 20},
                           Real{"horse-colic.csv", "24", 300, 27}, Real{"beijing-pm25.csv.gz", "pm2.5", 41757, 12},
                           Real{"sonar.csv", "-1", 208, 60}}) {
    const Dataset data = read(folder + "/tables/" + real.name, {.target = real.target});
    EXPECT_EQ(data.rows(), real.rows) << real.name;
    EXPECT_EQ(data.features(), real.features) << real.name;
  }
}

}  // namespace
}  // namespace obverse::test
