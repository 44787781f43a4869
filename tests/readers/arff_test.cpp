#include <cmath>

#include "readers/files.h"

namespace obverse::test {
namespace {

using Floats = std::vector<float>;
using Names = std::vector<std::string>;
using Kinds = std::vector<ColumnKind>;

constexpr const char* kWeather =
    "% of a text book\n"
    "@RELATION weather\n\n"
    "@attribute outlook {sunny, overcast, 'light rain'}\n"
    "@attribute 'air temperature' REAL\n"
    "@ATTRIBUTE windy{true,false}\n"
    "@attribute play {yes, no}\n"
    "@data\n"
    "sunny, 85.5, false, no\n"
    "% a comment between rows\n"
    "overcast,83,\"false\",yes\r\n"
    "\n"
    "'light rain', -7e1, true, 'yes'\n";

TEST(Arff, HasTheLevelsOfCategoriesAsDeclared) {
  const Folder folder;
  FileSummary summary;
  const auto data = read(folder.write("a", kWeather), {.target = "play"}, &summary);
  EXPECT_EQ(summary.format, "ARFF");
  EXPECT_EQ(data.feature_names(), (Names{"outlook", "air temperature", "windy"}));
  EXPECT_EQ(values_of(data), (Floats{0, 85.5F, 1, 1, 83, 1, 2, -70, 0}));
  EXPECT_EQ(data.layout().kinds, (Kinds{ColumnKind::category, ColumnKind::number, ColumnKind::category}));
  EXPECT_EQ(data.layout().levels, (std::vector<Names>{{"sunny", "overcast", "light rain"}, {}, {"true", "false"}}));
  ASSERT_EQ(summary.columns.size(), 4U);
  EXPECT_EQ(summary.columns[2].kind, "category");
  EXPECT_EQ(data.class_names(), (Names{"no", "yes"}));
  EXPECT_EQ(data.labels(), (std::vector<std::int32_t>{0, 1, 1}));
  EXPECT_EQ(values_of(read(folder.write("b", gzipped(kWeather)), {.target = "play"})), values_of(data));
}

TEST(Arff, ReadsMissingValuesDatesAndStringsAsTablesDo) {
  const Folder folder;
  FileSummary summary;
  const std::string path = folder.write("a",
                                        "@relation r\n@attribute n numeric\n@attribute c {NA, x}\n"
                                        "@attribute d date 'yyyy-MM-dd'\n@attribute s string\n@attribute y {0,1}\n"
                                        "@data\n1,NA,2024-03-01,red,0\n?,x,'2023-01-15',blue,1\n3,?,?,red,?\n");
  const Dataset data = read(path, {.target = "y"}, &summary);
  EXPECT_EQ(data.rows(), 2U);
  EXPECT_EQ(data.layout().kinds,
            (Kinds{ColumnKind::number, ColumnKind::category, ColumnKind::date, ColumnKind::category}));
  EXPECT_EQ(data.layout().levels[2], (Names{"2023-01-15", "2024-03-01"}));
  EXPECT_EQ(data.layout().levels[3], (Names{"red", "blue"}));
  Floats values = values_of(data);
  EXPECT_TRUE(std::isnan(values[4]));
  values[4] = -1;
  EXPECT_EQ(values, (Floats{1, 0, 1, 0, -1, 1, 0, 1}));
  EXPECT_EQ(summary.columns[0].missing, 1U);
  EXPECT_EQ(summary.columns[1].missing, 1U);
  EXPECT_HOLDS(read_fault(path, {.target = "y", .missing = "error"}), "1 column with missing values: n (1)");
}

TEST(Arff, LeavesNumbersWithoutALayout) {
  const Folder folder;
  FileSummary summary;
  const std::string text =
      "@relation r\n@attribute a real\n@attribute b integer\n@attribute y {u,v}\n@data\n1.5,2,u\n-3,4,v\n";
  const Dataset data = read(folder.write("a", text), {.target = "y"}, &summary);
  EXPECT_FALSE(data.is_table());
  EXPECT_TRUE(summary.columns.empty());
  EXPECT_EQ(values_of(data), (Floats{1.5F, 2, -3, 4}));
}

TEST(Arff, LeavesOutAndTakesColumnsAsCsvDoes) {
  const Folder folder;
  const std::string path = folder.write("a", kWeather);
  const auto data = read(path, {.target = "air temperature", .drop = {"play", "windy"}, .task = Task::regression});
  EXPECT_EQ(data.feature_names(), (Names{"outlook"}));
  EXPECT_EQ(data.outputs(0)[0], 85.5F);
  const auto other = read_like(folder.write("b",
                                            "@relation other\n@attribute play {no,yes}\n@attribute windy {false,true}\n"
                                            "@attribute outlook {overcast,snow}\n@attribute 'air temperature' integer\n"
                                            "@data\nyes,true,snow,8\nno,false,overcast,2\n"),
                               read(path, {.target = "play"}));
  EXPECT_EQ(values_of(other), (Floats{3, 8, 0, 1, 2, 1}));
}

TEST(Arff, StaysSparseInBraces) {
  const Folder folder;
  FileSummary summary;
  const std::string head =
      "@relation words\n@attribute a numeric\n@attribute b numeric\n@attribute kind {none,some}\n@attribute c "
      "real\n@data\n";
  const auto data =
      read(folder.write("a", head + "{0 1.5, 3 2}\n{ 2 some , 1 -4 }\n{}\n"), {.target = "kind"}, &summary);
  EXPECT_EQ(summary.format, "ARFF, sparse");
  ASSERT_TRUE(std::holds_alternative<SparseMatrix>(data.storage()));
  EXPECT_EQ(values_of(data), (Floats{1.5F, 0, 2, 0, -4, 0, 0, 0, 0}));
  EXPECT_EQ(data.class_names(), (Names{"none", "some"}));
  EXPECT_EQ(data.labels(), (std::vector<std::int32_t>{0, 1, 0}));
}

TEST(Arff, PointsAtTheFault) {
  const Folder folder;
  const std::string head = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@attribute t string\n";
  const auto fault = [&](const std::string& text, ReadOptions options = {.target_required = false}) {
    return read_fault(folder.write("a", text), options);
  };
  const ReadOptions without_text{.target = "b", .drop = {"t"}};
  EXPECT_HOLDS(fault("@relation r\n@attribute a numeric\n"), "a:3: ARFF: the file ends without a line @data");
  EXPECT_HOLDS(fault("@relation r\n@data\n1\n"), "expected @attribute lines in front of @data");
  EXPECT_HOLDS(fault("@relation r\n@attribute a relational\n@data\n1\n"), "a:2: ARFF: attribute 'a': expected numeric");
  EXPECT_HOLDS(fault("@relation r\n@attribute a {x,y\n@data\nx\n"), "has no closing brace");
  EXPECT_HOLDS(fault("@relation r\n@attribute 'a numeric\n@data\n1\n"), "never closes");
  EXPECT_HOLDS(fault("@relation r\nattribute a numeric\n@data\n1\n"), "expected @relation, @attribute or @data");
  EXPECT_HOLDS(fault(head + "@data\n"), "a header of 3 columns and no rows");
  EXPECT_HOLDS(fault(head + "@data\n{0 1, 2 word}\n"),
               "a:6: attribute 't': expected a number or a category in rows in braces, found an attribute of type "
               "string; leave it out with --drop");
  EXPECT_HOLDS(fault(head + "@data\n1,x,word\n2,z,word\n", without_text),
               "a:7: column 'b': expected one of its 2 values (x, y), found 'z'");
  EXPECT_HOLDS(fault(head + "@data\n1,?,word\n", without_text), "the target 'b' is missing in every row");
  EXPECT_HOLDS(fault(head + "@data\n{0 ?, 1 x}\n", without_text), "attribute 'a': expected a value, found none");
  EXPECT_HOLDS(fault(head + "@data\n1e99,x,word\n", without_text), "expected a finite number, found '1e99'");
  EXPECT_HOLDS(fault(head + "@data\nfew,x,word\n", without_text), "expected a number, found 'few'");
  EXPECT_HOLDS(fault(head + "@data\n1,x\n", without_text), "a:6: expected 3 values, found 2");
  EXPECT_HOLDS(fault(head + "@data\n1,x,'wo\n", without_text), "a quote opens and never closes");
  EXPECT_HOLDS(fault(head + "@data\n1,'x'y,z\n", without_text), "expected a comma, found 'y,z'");
  EXPECT_HOLDS(fault(head + "@data\n1,x,w\n{0 1}\n", without_text),
               "a:7: expected a row of values like those before it");
  EXPECT_HOLDS(fault(head + "@data\n{0 1}\n1,x,w\n", without_text),
               "a:7: expected a row in braces like those before it");
  EXPECT_HOLDS(fault(head + "@data\n{7 1}\n", without_text), "expected the number of an attribute below 3, found '7'");
  EXPECT_HOLDS(fault(head + "@data\n{0 1, 0 2}\n", without_text), "attribute 0 occurs twice");
  EXPECT_HOLDS(fault(head + "@data\n{0 1 2 3\n", without_text), "expected a number, found '1 2 3'");
  EXPECT_HOLDS(fault(head + "@data\n{0 1} 3\n", without_text), "expected the end of the row, found '3'");
}

TEST(Arff, SaysWhichNamesOccurTwice) {
  const Folder folder;
  FileSummary summary;
  const std::string path = folder.write(
      "a", "@relation r\n@attribute a numeric\n@attribute a numeric\n@attribute y {0,1}\n@data\n1,2,0\n3,4,1\n");
  EXPECT_EQ(read(path, {.target = "y"}, &summary).feature_names(), (Names{"a", "a.2"}));
  EXPECT_EQ(summary.notes.size(), 1U);
  EXPECT_HOLDS(read_fault(path, {.target = "a"}), "'a'");
}

}  // namespace
}  // namespace obverse::test
