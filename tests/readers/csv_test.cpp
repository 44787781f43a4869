#include <algorithm>

#include "readers/files.h"
#include "support/folder.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

TEST(Csv, ReadsAHeaderNumbersAndTextLabels) {
  const Folder folder;
  FileSummary summary;
  const auto data =
      read(folder.write("a.csv", "a,b,kind\n1,2.5,dog\n-3,4e1,cat\n5,6,dog\n"), {.target = "kind"}, &summary);
  EXPECT_EQ(summary.format, "CSV, comma separated, header");
  EXPECT_EQ(data.feature_names(), (Names{"a", "b"}));
  EXPECT_EQ(data.class_names(), (Names{"cat", "dog"}));
  EXPECT_EQ(data.target_name(), "kind");
  EXPECT_EQ(data.labels(), (Labels{1, 0, 1}));
  EXPECT_EQ(values_of(data), (Floats{1, 2.5F, -3, 40, 5, 6}));
}

TEST(Csv, KnowsEachSeparator) {
  const Folder folder;
  for (const char separator : {',', ';', '\t', '|', ' '}) {
    std::string text = "a,b,y\n1,2,0\n3,4,1\n";
    std::replace(text.begin(), text.end(), ',', separator);
    const auto data = read(folder.write("a.csv", text), {.target = "y"});
    EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4})) << "separator " << separator;
  }
  const auto data = read(folder.write("b.csv", "1:2:0\n3:4:1\n"), {.target = "-1", .separator = ":"});
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4}));
}

TEST(Csv, TakesRunsOfSpacesAsOneSeparator) {
  const Folder folder;
  const auto data = read(folder.write("a.txt", "  1   2 0 \n 3\t4  1 \r\n"), {.target = "-1"});
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4}));
  EXPECT_EQ(data.labels(), (Labels{0, 1}));
}

TEST(Csv, TellsAFileWithoutHeader) {
  const Folder folder;
  const auto data = read(folder.write("iris.csv", "5.1,3.5,setosa\n7.0,3.2,versicolor\n"), {.target = "-1"});
  EXPECT_EQ(data.feature_names(), (Names{"c1", "c2"}));
  EXPECT_EQ(data.target_name(), "c3");
  const auto first = read(folder.write("b.csv", "1,5,6\n2,7,8\n"), {.target = "1"});
  EXPECT_EQ(first.feature_names(), (Names{"c2", "c3"}));
}

TEST(Csv, TakesCountedColumnsAsAHeader) {
  const Folder folder;
  const auto data = read(folder.write("a.csv", "0,1,2,3\n5,6,7,0\n8,9,1,1\n"), {.target = "3"});
  EXPECT_EQ(data.rows(), 2U);
  EXPECT_EQ(data.feature_names(), (Names{"0", "1", "2"}));  // a name goes before a number
}

TEST(Csv, DoesAsToldAboutTheHeader) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "1,2,0\n3,4,1\n");
  EXPECT_EQ(read(path, {.target = "-1", .header = "yes"}).feature_names(), (Names{"1", "2"}));
  EXPECT_EQ(read(path, {.target = "-1", .header = "no"}).rows(), 2U);
  EXPECT_HOLDS(read_fault(path, {.target = "-1", .header = "maybe"}, Fault::usage), "auto, yes or no");
  EXPECT_HOLDS(read_fault(path, {.target = "-1", .separator = "ab"}, Fault::usage), "one character");
}

TEST(Csv, HeedsQuotes) {
  const Folder folder;
  const auto data =
      read(folder.write("a.csv", "\"a,1\",\"b\"\"2\",y\n\"1\",2,\"yes, \"\"sir\"\"\"\n3,\"4\",\"no\nway\"\n5,6,a\"b\n"),
           {.target = "y"});
  EXPECT_EQ(data.feature_names(), (Names{"a,1", "b\"2"}));
  EXPECT_EQ(data.class_names(), (Names{"a\"b", "no\nway", "yes, \"sir\""}));
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4, 5, 6}));
}

TEST(Csv, ReadsWindowsLinesAByteOrderMarkAndNoNewlineAtTheEnd) {
  const Folder folder;
  const auto data = read(folder.write("a.csv",
                                      "\xEF\xBB\xBF"
                                      "a,b,y\r\n1,2,u\r\n\r\n3,4,v"),
                         {.target = "y"});
  EXPECT_EQ(data.feature_names(), (Names{"a", "b"}));
  EXPECT_EQ(data.class_names(), (Names{"u", "v"}));
  EXPECT_EQ(values_of(data), (Floats{1, 2, 3, 4}));
}

TEST(Csv, PassesOverBlankLines) {
  const Folder folder;
  const auto data = read(folder.write("a.csv", "\na,y\n1,0\n\n\r\n2,1\n\n"), {.target = "y"});
  EXPECT_EQ(values_of(data), (Floats{1, 2}));
}

TEST(Csv, ReadsGzip) {
  const Folder folder;
  FileSummary summary;
  const std::string part = gzipped("1,2,0\n");  // members one after another are one file
  const auto data = read(folder.write("a.csv", gzipped("a,b,y\n3,4,1\n") + part + part), {.target = "y"}, &summary);
  EXPECT_EQ(values_of(data), (Floats{3, 4, 1, 2, 1, 2}));
  EXPECT_EQ(summary.format, "CSV, comma separated, header, gzip");
}

TEST(Csv, ReadsManyBlocksInTheirOrder) {
  const Folder folder;
  std::string plain = "a,b,y\n";
  std::string quoted = plain;
  constexpr int kRows = 200'000;
  for (int i = 0; i < kRows; ++i) {
    const std::string numbers = std::to_string(i) + "," + std::to_string(i) + ".25,";
    plain += numbers + std::to_string(i % 7) + "\n";
    quoted += numbers + "\"" + std::to_string(i % 7) + "\"\n";
  }
  for (const std::string& text : {plain, quoted}) {
    const auto data = read(folder.write("a.csv", text), {.target = "y"});
    ASSERT_EQ(data.rows(), static_cast<std::size_t>(kRows));
    const Floats values = values_of(data);
    for (int i = 0; i < kRows; ++i) {
      const auto at = static_cast<std::size_t>(i);
      ASSERT_EQ(values[2 * at], static_cast<float>(i));
      ASSERT_EQ(values[2 * at + 1], static_cast<float>(i + 0.25));
      ASSERT_EQ(data.label(at), i % 7);
    }
  }
  plain += "1,x,0\n";
  const std::string message = read_fault(folder.write("b.csv", plain), {.target = "y"});
  EXPECT_HOLDS(message, "b.csv:200002: column 'b': expected a number, found 'x'");
  EXPECT_HOLDS(message, "--na x");
}

TEST(Csv, ReadsARowLongerThanABlock) {
  const Folder folder;
  constexpr std::size_t kColumns = 300'000;
  std::string text;
  for (int row = 0; row < 3; ++row) {
    for (std::size_t c = 0; c < kColumns; ++c) text += std::to_string(c % 100 + static_cast<std::size_t>(row)) + ",";
    text += std::to_string(row % 2) + "\n";
  }
  const auto data = read(folder.write("wide.csv", text), {.target = "-1"});
  EXPECT_EQ(data.rows(), 3U);
  EXPECT_EQ(data.features(), kColumns);
  EXPECT_EQ(values_of(data)[2 * kColumns + 99], 101.0F);
}

TEST(Csv, LeavesColumnsOut) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "id,a,b,y\nx1,1,2,0\nx2,3,4,1\n");
  EXPECT_EQ(read(path, {.target = "y", .drop = {"id", "b"}}).feature_names(), (Names{"a"}));
  EXPECT_HOLDS(read_fault(path, {.target = "y", .drop = {"idd"}}),
               "no column to drop 'idd' among the 4 columns; did you mean id");
  EXPECT_HOLDS(read_fault(path, {.target = "y", .drop = {"y"}}, Fault::usage), "is the target");
}

TEST(Csv, MakesRepeatedNamesUniqueAndSaysSo) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "x,,x,x.2,y\n1,2,3,4,0\n5,6,7,8,1\n");
  FileSummary summary;
  EXPECT_EQ(read(path, {.target = "y"}, &summary).feature_names(), (Names{"x", "c2", "x.3", "x.2"}));
  ASSERT_EQ(summary.notes.size(), 1U);
  EXPECT_HOLDS(summary.notes[0], "c2, x.3");
  EXPECT_HOLDS(read_fault(path, {.target = "x"}), "name the target by its number");
}

TEST(Csv, AsksForATarget) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,b,c,d,e,f,g,h,i,j\n1,2,3,4,5,6,7,8,9,0\n");
  EXPECT_HOLDS(read_fault(path, {}),
               "which of the 10 columns is the target? Name it with --target NAME: a, b, c, d, e, ..., h, i, j");
  EXPECT_FALSE(read(path, {.target_required = false}).has_labels());
}

TEST(Csv, NamesTheNearestColumns) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "age,churn,income\n1,0,3\n2,1,4\n");
  EXPECT_HOLDS(read_fault(path, {.target = "Chrun"}),
               "no target column 'Chrun' among the 3 columns; did you mean churn");
  EXPECT_HOLDS(read_fault(path, {.target = "7"}), "among the 3 columns");
  EXPECT_HOLDS(read_fault(path, {.target = "zzzzzzzz"}), "they are age, churn, income");
}

TEST(Csv, PointsAtARaggedRow) {
  const Folder folder;
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n1,2,0\n1,2\n"), {.target = "y"}),
               "a.csv:3: expected 3 values, found 2; is the separator comma?");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n1,2,0\n\n1,2,3,4\n"), {.target = "y"}),
               "a.csv:4: expected 3 values, found 4");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n\"1\n\",2,0\n1,2\n"), {.target = "y", .drop = {"a"}}),
               "a.csv:4: expected 3 values, found 2");
}

TEST(Csv, PointsAtAWordAmongManyNumbers) {
  const Folder folder;
  std::string rows;
  for (int i = 0; i < 30; ++i) rows += std::to_string(i) + ".5,0\n";
  const std::string message = read_fault(folder.write("a.csv", "b,y\n" + rows + "two,1\n"), {.target = "y"});
  EXPECT_HOLDS(message, "a.csv:32: column 'b': expected a number, found 'two'");
  EXPECT_HOLDS(message, "--drop b");
  EXPECT_HOLDS(message, "--as b=category");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "b,1\n" + rows), {.target = "-1"}), "--header yes");
}

TEST(Csv, PointsAtInfiniteCells) {
  const Folder folder;
  for (const std::string cell : {"inf", "1e99"}) {
    const std::string message = read_fault(folder.write("a.csv", "a,b,y\n1,2,0\n1," + cell + ",1\n"), {.target = "y"});
    EXPECT_HOLDS(message, "a.csv:3: column 'b': expected a finite number, found '" + cell + "'");
    EXPECT_HOLDS(message, "remove the row, fill the cell, or leave the column out with --drop b");
  }
}

TEST(Csv, RefusesWhatIsNoTable) {
  const Folder folder;
  EXPECT_HOLDS(read_fault(folder.path("none.csv"), {}), "no such file");
  EXPECT_HOLDS(read_fault(folder.path(""), {}), "directory");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", ""), {}), "empty");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "\n \n\r\n"), {}), "blank lines only");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n"), {.target = "y"}), "header of 3 columns and no rows");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "y\n1\n2\n"), {.target = "y"}), "no column is left");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", std::string("a,b\n1,\0002\n", 9)), {.target = "b"}), "binary data");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", std::string("\x7F"
                                                            "ELF\0\1\2\3",
                                                            8)),
                          {}),
               "binary data");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", std::string("\xFF\xFE"
                                                            "a\0",
                                                            4)),
                          {}),
               "iconv -f utf-16 -t utf-8");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b\r1,2\r"), {}), "carriage returns");
  EXPECT_HOLDS(read_fault(folder.write("a.parquet", "PAR1...."), {}), "Parquet is not read");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n1,\"2,0\n3,4,1\n"), {.target = "y"}),
               "a.csv:2: column 'b': a quote opens");
  EXPECT_HOLDS(read_fault(folder.write("a.csv", "a,b,y\n1,\"2\"5,0\n3,4,1\n"), {.target = "y"}), "closing quote");
}

TEST(Csv, SaysThatThereIsNoPermission) {
  const Folder folder;
  const std::string path = folder.write("a.csv", "a,y\n1,0\n");
  std::filesystem::permissions(path, std::filesystem::perms::none);
  EXPECT_EQ(support_test::as_nobody([&] { EXPECT_HOLDS(read_fault(path, {.target = "y"}), "no permission"); }), 0);
}

TEST(Csv, RefusesDamagedGzip) {
  const Folder folder;
  std::string text = "a,y\n";
  for (int i = 0; i < 1000; ++i) text += std::to_string(i * 7919 % 1009) + "," + std::to_string(i % 2) + "\n";
  const std::string whole = gzipped(text);
  std::string wrong_sum = whole;
  wrong_sum[whole.size() - 8] ^= 1;
  EXPECT_HOLDS(read_fault(folder.write("a.gz", wrong_sum), {.target = "y"}), "damaged (incorrect data check)");
  EXPECT_HOLDS(read_fault(folder.write("a.gz", whole.substr(0, whole.size() - 100)), {.target = "y"}),
               "ends too early");
  EXPECT_HOLDS(read_fault(folder.write("a.gz", whole.substr(0, 3)), {.target = "y"}), "ends too early");
  EXPECT_HOLDS(read_fault(folder.write("a.gz", gzipped("")), {.target = "y"}), "empty");
  EXPECT_EQ(read(folder.write("a.gz", whole + std::string(20, '\0')), {.target = "y"}).rows(), 1000U);
}

}  // namespace
}  // namespace obverse::test
