#include "support/text.h"

#include <gtest/gtest.h>

namespace obverse {
namespace {

using Names = std::vector<std::string>;

TEST(EditDistance, CountsInsertionsDeletionsReplacementsAndSwaps) {
  EXPECT_EQ(edit_distance("churn", "churn"), 0U);
  EXPECT_EQ(edit_distance("churn", "chrun"), 1U);
  EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
  EXPECT_EQ(edit_distance("", "abc"), 3U);
  EXPECT_EQ(edit_distance("Target", "tARGET"), 0U);
}

TEST(NearestNames, ComeNearestFirstAndOnlyWhereTheyLookAlike) {
  const Names known{"age", "chrun", "income", "churned", "churn_rate_of_last_year"};
  EXPECT_EQ(nearest_names("churn", known), (Names{"chrun", "churned", "churn_rate_of_last_year"}));
  EXPECT_EQ(nearest_names("churn", known, 1), Names{"chrun"});
  EXPECT_TRUE(nearest_names("xyz", known).empty());
  EXPECT_TRUE(nearest_names("churn", Names{}).empty());
}

TEST(NearestNames, FindADifferenceInCase) {
  const Names known{"Class", "x"};
  EXPECT_EQ(nearest_names("class", known), Names{"Class"});
}

TEST(SplitText, KeepsEmptyParts) {
  EXPECT_EQ(split_text("a,,b,", ','), (Names{"a", "", "b", ""}));
  EXPECT_EQ(split_text("", ','), Names{""});
}

TEST(Join, PutsTheSeparatorBetweenOnly) {
  EXPECT_EQ(join(Names{"a", "b", "c"}, " or "), "a or b or c");
  EXPECT_EQ(join(Names{}), "");
}

TEST(NumberIn, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(number_in<int>("-12"), -12);
  EXPECT_EQ(number_in<double>("1.5e3"), 1500.0);
  for (const std::string text : {"", " 1", "1 ", "1x", "99999999999"}) EXPECT_FALSE(number_in<int>(text)) << text;
}

TEST(Trim, TakesBlanksFromBothSides) {
  EXPECT_EQ(trimmed(" \ta b\r\n"), "a b");
  EXPECT_EQ(trimmed(" \n"), "");
}

TEST(Printable, LetsNoControlCharacterThrough) {
  EXPECT_EQ(printable("a\x1b[31mred"), "a\\x1b[31mred");
  EXPECT_EQ(printable("a\nb\tc\r"), "a\\nb\\tc\\r");
  EXPECT_EQ(printable(std::string_view("a\0b", 3)), "a\\x00b");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "\\xc2\\x9b31m");                               // CSI as one character
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae");  // right-to-left override
}

TEST(Printable, KeepsGoodUtf8AndShowsStrayBytes) {
  EXPECT_EQ(printable("größe 温度"), "größe 温度");
  EXPECT_EQ(printable("\xff\xc3"), "\\xff\\xc3");
  EXPECT_EQ(printable("\xc0\xaf"), "\\xc0\\xaf");           // overlong
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // surrogate
}

TEST(ValidUtf8, ReplacesBytesThatAreNone) {
  EXPECT_EQ(valid_utf8("ä\xff\xc3"), "ä\uFFFD\uFFFD");
  EXPECT_EQ(valid_utf8("a\n😀"), "a\n😀");
}

TEST(CodePoints, ReplaceBytesThatAreNoUtf8) { EXPECT_EQ(code_points("ä\xff"), U"ä\uFFFD"); }

TEST(Shortened, CountsColumnsNotBytes) {
  EXPECT_EQ(display_width("温度"), 4U);
  EXPECT_EQ(shortened("temperature", 6), "tempe…");
  EXPECT_EQ(shortened("temperature", 6, false), "tempe~");
  EXPECT_EQ(shortened("温度計", 4), "温…");
  EXPECT_EQ(shortened("short", 5), "short");
}

TEST(Excerpt, IsPrintableAndShortHoweverLongTheText) {
  EXPECT_EQ(excerpt("a\tb"), "a\\tb");
  EXPECT_EQ(excerpt(std::string(1000, 'x'), 5), "xxxx…");
  EXPECT_EQ(excerpt("温度計温度計", 4), "温…");
  EXPECT_EQ(excerpt("𝔁𝔂𝔃", 2), "𝔁…");
}

}  // namespace
}  // namespace obverse
