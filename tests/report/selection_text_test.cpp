#include <algorithm>

#include <gtest/gtest.h>

#include "report/selection.h"
#include "support/text.h"
#include "writers/sample.h"

namespace obverse {
namespace {

TEST(SelectionTable, ShowsTheSelectedBestFirst) {
  const std::string table = selection_table(sample::selection(), 50, {});
  EXPECT_EQ(std::count(table.begin(), table.end(), '\n'), 3);
  EXPECT_LT(table.find("income"), table.find("age"));
  EXPECT_EQ(table.find("noise"), std::string::npos);
  EXPECT_NE(table.find("100%"), std::string::npos);
}

TEST(SelectionTable, CountsWhatItDoesNotShow) {
  EXPECT_NE(selection_table(sample::selection(), 1, {}).find("and 1 more"), std::string::npos);
}

TEST(SelectionTable, CutsLongNamesAndEscapesBadOnes) {
  const std::string table = selection_table(sample::selection({"\x1b[31m", std::string(1000, 'x'), "c"}), 50, {});
  EXPECT_EQ(table.find('\x1b'), std::string::npos);
  for (const std::string& line : split_text(table, '\n')) EXPECT_LE(line.size(), 100U);
}

TEST(SelectionTable, IsPlainAsciiUnlessBlocksCanBeShown) {
  const auto ascii = [](char c) { return static_cast<unsigned char>(c) < 128; };
  const std::string plain = selection_table(sample::selection(), 50, {.unicode = false});
  EXPECT_TRUE(std::all_of(plain.begin(), plain.end(), ascii));
  EXPECT_NE(selection_table(sample::selection(), 50, {.unicode = true}).find("█"), std::string::npos);
}

TEST(SelectionTable, OfABaselineHasNoModelsToCount) {
  const std::string table = selection_table(sample::baseline_selection(), 50, {});
  EXPECT_EQ(table.find("selected by"), std::string::npos);
  EXPECT_EQ(table.find('%'), std::string::npos);
  EXPECT_NE(table.find("inf  ##############################\n"), std::string::npos) << table;
}

TEST(AgreementText, SaysHowManyModelsAndHowFar) {
  const std::string text = agreement_text(sample::selection());
  EXPECT_NE(text.find("The 2 models agree little"), std::string::npos) << text;
  EXPECT_NE(text.find("share 50% of their features"), std::string::npos) << text;  // J = 1/3: 2J/(1+J)
  Selection one = sample::selection();
  one.models.resize(1);
  EXPECT_NE(agreement_text(one).find("--seeds"), std::string::npos);
}

TEST(SelectionPicture, MarksTheSelectedPixels) {
  const Dataset data({.storage = sample::dense<std::uint8_t>(3, {0, 1, 2, 3, 4, 5}),
                      .feature_names = {"p0", "p1", "p2"},
                      .labels = {0, 1},
                      .class_names = {"0", "1"},
                      .target_name = "digit",
                      .image_shape = ImageShape{.height = 1, .width = 3}});
  EXPECT_EQ(selection_picture(data, sample::selection(), {}), "    ####..\n");
}

}  // namespace
}  // namespace obverse
