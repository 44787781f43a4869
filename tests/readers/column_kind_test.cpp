#include "readers/column_kind.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

SeenTexts seen(const std::vector<std::string>& texts, std::size_t rows = 1) {
  SeenTexts out;
  for (const std::string& text : texts) out.add(text, rows);
  return out;
}

ColumnKind kind_of(const std::vector<std::string>& texts) {
  std::vector<std::string> notes;
  return reading_of(seen(texts), {.name = "x"}, notes).kind;
}

TEST(ColumnKind, IsWhatAllTextsHaveInCommon) {
  EXPECT_EQ(kind_of({"1", "-2.5", "3e4"}), ColumnKind::number);
  EXPECT_EQ(kind_of({"yes", "No"}), ColumnKind::boolean);
  EXPECT_EQ(kind_of({"yes", "true"}), ColumnKind::category);
  EXPECT_EQ(kind_of({"2024-03-01", "2024-03-02 12:30"}), ColumnKind::date);
  EXPECT_EQ(kind_of({"31.12.2024", "01.02.2024"}), ColumnKind::date);
  EXPECT_EQ(kind_of({"red", "2024-03-01"}), ColumnKind::category);
  EXPECT_EQ(kind_of({}), ColumnKind::number);
}

TEST(ColumnKind, IsDoubtedInNotes) {
  std::vector<std::string> notes;
  EXPECT_EQ(reading_of(seen({"01/02/2024"}), {.name = "when"}, notes).kind, ColumnKind::category);
  EXPECT_EQ(reading_of(seen({"1,234"}), {.name = "n"}, notes).number_style, NumberStyle::thousands);
  EXPECT_EQ(reading_of(seen({"1,234"}), {.name = "n", .comma_separated = false}, notes).number_style,
            NumberStyle::decimal_comma);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_NE(notes[0].find("'when' has dates in which day and month"), std::string::npos) << notes[0];
  EXPECT_NE(notes[1].find("1,234 is 1234"), std::string::npos) << notes[1];
  EXPECT_NE(notes[2].find("3,14 is 3.14"), std::string::npos) << notes[2];
}

TEST(ColumnKind, IsTheOneThatIsAskedFor) {
  std::vector<std::string> notes;
  const TextReading reading = reading_of(seen({"1,234"}), {.name = "n", .kind = ColumnKind::category}, notes);
  EXPECT_EQ(reading.kind, ColumnKind::category);
  EXPECT_TRUE(notes.empty());
}

TEST(SeenTexts, CountTheRowsOfATextAsTheSameTextManyTimes) {
  SeenTexts once;
  for (int i = 0; i < 7; ++i) once.add("some words");
  const SeenTexts many = seen({"some words"}, 7);
  EXPECT_EQ(many.present, once.present);
  EXPECT_EQ(many.words, once.words);
  EXPECT_EQ(many.words, 14U);
}

TEST(LeftOut, NamesIdentitiesTextsAndNothingAtAll) {
  std::vector<std::string> ids;
  std::vector<std::string> texts;
  for (int i = 0; i < 30; ++i) {
    ids.push_back(cat("c", i));
    texts.push_back("what customer " + std::to_string(i) + " said to us on the phone");
  }
  const auto identity = left_out(seen(ids), ColumnKind::category, 30, false);
  ASSERT_TRUE(identity);
  EXPECT_EQ(
      identity->note("id", "--as id=category"),
      "column 'id' is left out: 30 different values in 30 rows tell rows apart and nothing else; keep it with --as "
      "id=category");
  EXPECT_EQ(left_out(seen(texts), ColumnKind::category, 30, false)->reason, "text");
  EXPECT_EQ(left_out({}, ColumnKind::number, 0, false)->note("e", "nothing"),
            "column 'e' is left out: no value is there");
  EXPECT_FALSE(left_out(seen(ids), ColumnKind::category, 30, true)) << "it was asked for";
  EXPECT_FALSE(left_out(seen(ids), ColumnKind::category, 12, false));
  EXPECT_EQ(left_out(seen(ids), ColumnKind::date, (1U << 24U) + 1, true)->reason, "too many levels");
}

TEST(LeftOut, IsNoWayOutForNumbersWithOneWordAmongThem) {
  std::vector<std::string> texts{"oops"};
  for (int i = 0; i < 30; ++i) texts.push_back(std::to_string(i));
  EXPECT_TRUE(is_spoilt_number(seen(texts), 31));
  EXPECT_FALSE(is_spoilt_number(seen({"a", "b", "1"}), 3));
}

}  // namespace
}  // namespace obverse
