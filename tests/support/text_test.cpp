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

TEST(Amounts, AreShownForPeople) {
  EXPECT_EQ(with_commas(7), "7");
  EXPECT_EQ(with_commas(60000), "60,000");
  EXPECT_EQ(with_commas(1234567), "1,234,567");
  EXPECT_EQ(byte_text(512), "512 bytes");
  EXPECT_EQ(byte_text(5200000), "5.2 MB");
  EXPECT_EQ(duration_text(0.416), "0.42 s");
  EXPECT_EQ(duration_text(125), "2 min 05 s");
}

TEST(CountText, AddsThePlural) {
  EXPECT_EQ(count_text(1, "row"), "1 row");
  EXPECT_EQ(count_text(60000, "row"), "60,000 rows");
}

// The vectors of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const auto encoded = [](std::string_view text) {
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    return base64(bytes);
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::array<std::uint8_t, 3>{255, 255, 255}), "////");
}

TEST(InShell, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(in_shell("data/x-1.csv"), "data/x-1.csv");
  EXPECT_EQ(in_shell(""), "''");
  EXPECT_EQ(in_shell("a b"), "'a b'");
  EXPECT_EQ(in_shell("a'b\"$(x)<script>.csv"), "'a'\\''b\"$(x)<script>.csv'");
  EXPECT_EQ(in_shell("größe"), "'größe'");
}

TEST(InShell, EscapesWhatCannotBeShown) {
  EXPECT_EQ(in_shell("it's\n\xff\\"), "$'it\\'s\\x0a\\xff\\\\'");
  EXPECT_EQ(in_shell("\u202e"), "$'\\xe2\\x80\\xae'");
}

}  // namespace
}  // namespace obverse
