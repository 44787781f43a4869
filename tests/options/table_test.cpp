#include "options/table.h"

#include <gtest/gtest.h>

#include "options/settings.h"

namespace obverse {
namespace {

TEST(OptionTables, NameEveryOptionWithItsFlag) {
  const std::string page = options_markdown();
  const std::string table = options_text();
  for (const std::string& name : setting_names()) {
    EXPECT_NE(page.find("| `" + name + "` |"), std::string::npos) << name;
  }
  EXPECT_NE(table.find("--mask-scale-power X  [0]"), std::string::npos);
  EXPECT_NE(table.find("-k N|auto  [auto]"), std::string::npos);
  for (const std::string& name : read_setting_names()) {
    EXPECT_LT(page.find("| `" + name + "` |", page.find("## Data")), page.find("## Selection")) << name;
  }
  EXPECT_NE(table.find("  --target COLUMN\n"), std::string::npos);
  EXPECT_NE(table.find("--drop COLUMN,COLUMN,...|none  [none]"), std::string::npos);
  for (const std::string& name : evaluation_setting_names()) {
    EXPECT_NE(page.find("| `" + name + "` |", page.find("## Evaluation")), std::string::npos) << name;
  }
  for (const std::string& name : comparison_setting_names()) {
    EXPECT_NE(page.find("| `" + name + "` |", page.find("## Comparison")), std::string::npos) << name;
  }
  EXPECT_NE(page.find("| `refit` | `--refit` | false |"), std::string::npos);
}

TEST(OptionTables, KeepTheCellsOfMarkdownApart) {
  EXPECT_NE(options_markdown().find("`--epochs N\\|auto`"), std::string::npos);
}

TEST(OptionTables, ShowWhatARecipeChanges) {
  EXPECT_NE(recipes_text().find("batch_size 256, mask_hidden 8, mask_init near_one, mask_scale_power 0.5"),
            std::string::npos);
}

}  // namespace
}  // namespace obverse
