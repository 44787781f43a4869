#include "report/study.h"

#include <gtest/gtest.h>

#include <set>

#include "page/markup.h"
#include "report/study_sample.h"
#include "support/json.h"
#include "support/text.h"

namespace obverse {
namespace {

using sample::count;
using sample::study;

TEST(CellsCsv, HasALineForEveryCellAndAColumnForEverySeed) {
  const Findings findings = study();
  const std::string csv = cells_csv(findings);
  EXPECT_EQ(count(csv, "\n"), findings.cells.size() + 1);
  EXPECT_TRUE(csv.starts_with("set,method,rho,k,classifier,mean,deviation,seeds\nmnist,cfm,0.01,8,rf,0."));
}

TEST(ComparisonsCsv, SaysWhoWonEachCell) {
  const Findings findings = study();
  const std::string csv = comparisons_csv(findings);
  EXPECT_EQ(count(csv, "\n"), 316U);
  std::size_t won = 0;
  for (const ComparisonFinding& c : findings.comparisons) won += c.won;
  EXPECT_EQ(count(csv, ",won\n"), won);
}

TEST(FindingsJson, HoldsEverything) {
  const Findings findings = study();
  const auto tree = nlohmann::json::parse(json_text(findings_json(findings)));
  EXPECT_EQ(tree["sets"].size(), 6U);
  EXPECT_EQ(tree["sets"][3]["missing"], findings.sets[3].missing);
  EXPECT_EQ(tree["cells"].size(), findings.cells.size());
  EXPECT_EQ(tree["cells"][0]["accuracy"].size(), 5U);
  EXPECT_EQ(tree["comparisons"][0]["won"], findings.comparisons[0].won);
  EXPECT_EQ(tree["comparisons"][0]["runnable"], 105);
  EXPECT_EQ(tree["comparisons"][0]["planned"], 126);
  EXPECT_EQ(tree["masks"][0]["ranking"][0], findings.masks[0].order[0] + 1);
  EXPECT_EQ(tree["masks"][0]["scores"].size(), 784U);
  EXPECT_EQ(tree["gammas"].size(), findings.gammas.size());
  EXPECT_EQ(tree["stability"].size(), findings.stability.size());
  EXPECT_EQ(tree["costs"].size(), 40U);
}

TEST(FindingsJson, WritesNullForNumbersThatAreNotFinite) {
  Findings findings = study({.sets = 1, .methods = 1});
  findings.masks[0].scores[0] = std::numeric_limits<float>::infinity();
  findings.gammas[0].merit[0][0] = std::numeric_limits<double>::quiet_NaN();
  const auto tree = nlohmann::json::parse(json_text(findings_json(findings)));
  EXPECT_TRUE(tree["masks"][0]["scores"][0].is_null());
  EXPECT_TRUE(tree["gammas"][0]["merit"][0][0].is_null());
}

TEST(FindingsMarkdown, StatesTheAnswerAndNamesEveryFigureFile) {
  const Findings findings = study();
  const std::string text = findings_markdown(findings, "paper/");
  EXPECT_NE(text.find("CFM wins " + std::to_string(findings.comparisons[0].won) + " of 105"), std::string::npos);
  EXPECT_NE(text.find(findings.command), std::string::npos);
  const std::vector<FigureFile> files = figure_files(findings);
  EXPECT_EQ(count(text, "!["), files.size());
  std::set<std::string> names;
  for (const FigureFile& file : files) {
    names.insert(file.name);
    EXPECT_NE(text.find("(paper/" + file.name + ")"), std::string::npos) << file.name;
    EXPECT_EQ(sample::xml_fault(file.svg), "") << file.name;
  }
  EXPECT_EQ(names.size(), files.size());
  EXPECT_EQ(text.find("<img"), std::string::npos);
  EXPECT_FALSE(text.ends_with("\n\n"));
}

TEST(FindingsMarkdown, WorksWithoutComparisonsAndWithoutAnything) {
  EXPECT_EQ(findings_markdown(study({.sets = 1, .methods = 1}), "").find("## Wins"), std::string::npos);
  EXPECT_FALSE(findings_markdown(Findings{}, "").empty());
  EXPECT_TRUE(figure_files(Findings{}).empty());
}

TEST(StudyText, GivesCountsMeansAndSteadiness) {
  const Findings findings = study();
  const std::string text = study_text(findings, {.unicode = true});
  const ComparisonFinding& c = findings.comparisons[0];
  EXPECT_NE(text.find("CFM wins " + std::to_string(c.won) + " of 105 cells against FM, ties 0 and loses " +
                      std::to_string(c.lost)),
            std::string::npos);
  EXPECT_NE(text.find("in " + std::to_string(c.steadier) + " of 105 cells"), std::string::npos);
  EXPECT_NE(text.find("gisette is left out"), std::string::npos);
  EXPECT_NE(text.find(" ± "), std::string::npos);
}

TEST(StudyText, IsPlainAsciiWhereTheTerminalIs) {
  Findings findings = study({.sets = 2, .methods = 2});
  findings.methods[1].title = "FM \x1b[31m ρ";
  const std::string text = study_text(findings, {.unicode = false});
  for (const char c : text) EXPECT_TRUE(c == '\n' || (c >= ' ' && c <= '~')) << static_cast<int>(c);
}

TEST(StudyText, AlignsTheColumnsOfItsTable) {
  for (const bool unicode : {false, true}) {
    const std::string text = study_text(study({.sets = 3, .methods = 2}), {.unicode = unicode});
    const std::vector<std::string> lines = split_text(text, '\n');
    ASSERT_GT(lines.size(), 4U);
    EXPECT_EQ(display_width(lines[lines.size() - 2]), display_width(lines[lines.size() - 3]));
    EXPECT_EQ(display_width(lines[lines.size() - 2]), display_width(lines[lines.size() - 4]));
  }
}

TEST(StudyText, SaysThatNothingIsDone) {
  EXPECT_NE(study_text(Findings{}, {}).find("No cell has results yet."), std::string::npos);
}

}  // namespace
}  // namespace obverse
