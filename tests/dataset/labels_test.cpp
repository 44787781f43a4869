#include "dataset/labels.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

using Names = std::vector<std::string>;
using Labels = std::vector<std::int32_t>;

LabelColumn column(const Names& texts) {
  LabelCollector labels;
  for (const std::string& text : texts) labels.add(text);
  return labels.take();
}

std::string refusal(const LabelColumn& labels) {
  try {
    encode_labels(labels, "file: target 'y'");
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing";
}

TEST(Labels, SortNumbersByValueAndPrintThemPlainly) {
  const auto encoded = encode_labels(column({"10", "9", "1.0", "1", "-2", "0.5", "+9", "100000"}), "");
  EXPECT_EQ(encoded.class_names, (Names{"-2", "0.5", "1", "9", "10", "100000"}));
  EXPECT_EQ(encoded.labels, (Labels{4, 3, 2, 2, 0, 1, 3, 5}));
}

TEST(Labels, SortTextByBytes) {
  const auto encoded = encode_labels(column({"b", "10", "B", "9", "a"}), "");
  EXPECT_EQ(encoded.class_names, (Names{"10", "9", "B", "a", "b"}));
  EXPECT_EQ(encoded.labels, (Labels{4, 0, 2, 1, 3}));
}

TEST(Labels, TellTimesApartToTheSecond) {
  const auto times = [](const Names& texts) { return encode_times(column(texts), "f: column 't'"); };
  EXPECT_EQ(times({"1970-01-02", "1970-01-01T00:01", "1970-01-01 00:00:01.5", "1970-01-01T00:00:02Z", "1969-12-31"}),
            (std::vector<double>{86400, 60, 1.5, 2, -86400}));
  EXPECT_EQ(times({"7", "-1.5", "7"}), (std::vector<double>{7, -1.5, 7}));
  for (const char* wrong : {"2024-02-30", "2024-13-01", "99999-01-01", "2024-1-1", "1 Jan 2024", "2024-01-01T24:00",
                            "2024-01-01T12", "2024-01-01T12:30+02:00", "2024-01-01T12:30:", "7", "-024-01-01", "nan"}) {
    EXPECT_THROW(times({"2024-01-01", wrong}), Error) << wrong;
  }
  EXPECT_THROW(times({"7", "2024-01-01"}), Error);
  EXPECT_THROW(times({"inf"}), Error);
}

TEST(Labels, MayBeOfOneClass) { EXPECT_EQ(encode_labels(column({"x", "x"}), "").class_names, (Names{"x"})); }

TEST(Labels, RefuseAQuantity) {
  LabelCollector fractions;
  LabelCollector identifiers;
  for (int i = 0; i < 60; ++i) {
    fractions.add(number_text(i % 25 + 0.5));
    identifiers.add(cat("customer ", i));
  }
  EXPECT_NE(
      refusal(fractions.take())
          .find("25 different numbers in 60 rows: this looks like a quantity or an identifier; say --task regression"),
      std::string::npos);
  EXPECT_NE(refusal(identifiers.take())
                .find("60 different texts in 60 rows: this looks like an identifier; choose another target"),
            std::string::npos);
  EXPECT_EQ(refusal(column({"0.5", "1.5", "0.5"})), "nothing");
}

TEST(Labels, RefuseMissingOnes) {
  EXPECT_NE(refusal(column({"1", "", "2"})).find("row 2: expected a label, found nothing"), std::string::npos);
  EXPECT_NE(refusal(column({"1", "2", "nan"})).find("row 3: expected a label, found nan"), std::string::npos);
}

TEST(Labels, FindKnownClassesHoweverTheyAreWritten) {
  EXPECT_EQ(encode_labels_as(column({"2.0", "1", "02"}), {"1", "2"}, ""), (Labels{1, 0, 1}));
  try {
    encode_labels_as(column({"1", "3"}), {"1", "2"}, "b.csv");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "b.csv: row 2: expected one of the 2 known classes (1, 2), found '3'");
  }
}

}  // namespace
}  // namespace obverse
