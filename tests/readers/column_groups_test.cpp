// Files of groups of columns, and what groups make of the columns of a data set.
#include "readers/column_groups.h"

#include "readers/files.h"

namespace obverse::test {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;

template <class Work>
std::string fault_of(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_NE(error.fault(), Fault::internal);
    return error.what();
  }
  return "nothing was refused";
}

std::string parse_fault(const std::string& text) {
  return fault_of([&] { parse_column_groups(text, "groups.txt"); });
}

TEST(ColumnGroups, AreALineEachOfAFile) {
  const auto groups = parse_column_groups(
      "\xEF\xBB\xBF# channels\r\n\r\nleft arm = a, b ,ch_*\r\n\"a = b\"=\"income, yearly\", \"say \"\"so\"\"\"  # a "
      "comment\n c#1 = x#2, y # more\n",
      "groups.txt");
  ASSERT_EQ(groups.size(), 3U);
  EXPECT_EQ(groups[0].name, "left arm");
  EXPECT_EQ(groups[0].columns, (Names{"a", "b", "ch_*"}));
  EXPECT_EQ(groups[0].where, "groups.txt:3");
  EXPECT_EQ(groups[1].name, "a = b");
  EXPECT_EQ(groups[1].columns, (Names{"income, yearly", "say \"so\""}));
  EXPECT_EQ(groups[2].name, "c#1");
  EXPECT_EQ(groups[2].columns, (Names{"x#2", "y"}));
}

TEST(ColumnGroups, OfADamagedFileAreRefusedWithTheirLine) {
  EXPECT_HOLDS(parse_fault("a = b\nsensors\n"), "groups.txt:2: expected NAME = COLUMN, COLUMN, ..., found 'sensors'");
  EXPECT_HOLDS(parse_fault("= a, b\n"), "groups.txt:1: expected NAME = COLUMN");
  EXPECT_HOLDS(parse_fault("a =\n"), "groups.txt:1: group 'a' has no columns");
  EXPECT_HOLDS(parse_fault("a = , # b\n"), "group 'a' has no columns");
  EXPECT_HOLDS(parse_fault("a = \"b, c\n"), "groups.txt:1: a quote that does not end");
  EXPECT_HOLDS(parse_fault("a = \"b\" c\n"), "expected a comma behind the column 'b', found 'c'");
  EXPECT_HOLDS(parse_fault("a = b\n\na = c\n"), "groups.txt:3: group 'a' is in groups.txt:1 already");
  EXPECT_HOLDS(parse_fault("# nothing\n"), "groups.txt: no group of columns");
}

TEST(ColumnGroups, ComeFromPatternsOrAFile) {
  const Folder folder;
  const auto patterns = read_column_groups({"a_*", "b?"});
  ASSERT_EQ(patterns.size(), 2U);
  EXPECT_EQ(patterns[1].name, "b?");
  EXPECT_EQ(patterns[1].columns, (Names{"b?"}));
  const std::string path = folder.write("groups.txt", "arm = a, b\n");
  EXPECT_EQ(column_groups_file({path}), path);
  EXPECT_EQ(column_groups_file({"a_*"}), "");
  EXPECT_EQ(read_column_groups({path}).front().name, "arm");
  EXPECT_HOLDS(fault_of([&] { read_column_groups({folder.path("none.txt")}); }),
               "expected a file of groups, or patterns such as 'sensor1_*'");
  EXPECT_HOLDS(fault_of([&] { read_column_groups({"a_*", "b"}); }), "found 'b' among several");
}

const FeatureNames kColumns{"a1", "x", "b1", "a2", "y", "a3", "b2"};

TEST(ColumnGroups, PutTheirColumnsSideBySideWhereTheFirstOfThemWas) {
  const GroupedColumns made = grouped_columns(kColumns, read_column_groups({"a*", "b*"}), {}, "data.csv");
  EXPECT_EQ(made.order, (Numbers{0, 3, 5, 1, 2, 6, 4}));
  EXPECT_EQ(made.begin, (Numbers{0, 3, 4, 6, 7}));
  EXPECT_EQ(made.names, (Names{"a*", "x", "b*", "y"}));
}

TEST(ColumnGroups, ThatDoNotFitTheColumnsAreRefused) {
  const auto fault = [](const std::string& text, const std::vector<OtherColumn>& others = {}) {
    return fault_of([&] { grouped_columns(kColumns, parse_column_groups(text, "g.txt"), others, "data.csv"); });
  };
  EXPECT_HOLDS(fault("g = a1, a9\n"), "data.csv: there is no column 'a9' for group 'g'; did you mean");
  EXPECT_HOLDS(fault("g = a1\nh = a*\n"), "column 'a1' is in two groups, 'g' and 'h'");
  EXPECT_HOLDS(fault("g = a1\nh = a*\n"), "(g.txt:2)");
  EXPECT_HOLDS(fault("g = c*\n"), "no column fits the pattern 'c*'; they are a1, x, b1");
  EXPECT_HOLDS(fault("x = a*\n"), "group 'x' has the name of a column");
  EXPECT_HOLDS(fault("class = a*\n", {{"class", "it is the target"}}), "group 'class' has the name of a column");
  EXPECT_HOLDS(fault("g = a1, class\n", {{"class", "it is the target"}}),
               "column 'class' cannot be in group 'g', because it is no feature: it is the target");
  EXPECT_HOLDS(fault("g = cl*\n", {{"class", "it is the target"}}), "only 'class' fits the pattern 'cl*'");
  EXPECT_HOLDS(fault("g = *\n"), "group 'g' holds all 7 columns, which leaves nothing to choose");
  EXPECT_EQ(fault("g = a1, a1, a*\n"), "nothing was refused");
}

}  // namespace
}  // namespace obverse::test
