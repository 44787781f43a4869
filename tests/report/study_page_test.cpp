#include "report/study.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <obverse/error.h>

#include "page/markup.h"
#include "report/study_sample.h"

namespace obverse {
namespace {

using sample::count;
using sample::study;

std::vector<std::string> ids(const Page& page) {
  std::vector<std::string> out;
  for (const PageSection& section : page.sections) out.push_back(section.id);
  return out;
}

std::string section(const Page& page, const std::string& id) {
  for (const PageSection& one : page.sections) {
    if (one.id == id) return one.html;
  }
  return {};
}

/// Every drawing of the page is looked at.
std::string first_fault(const Page& page) {
  for (const PageSection& one : page.sections) {
    for (std::size_t at = one.html.find("<svg"); at != std::string::npos; at = one.html.find("<svg", at + 1)) {
      const std::size_t end = one.html.find("</svg>", at) + 6;
      const std::string fault = sample::xml_fault(std::string_view(one.html).substr(at, end - at));
      if (!fault.empty()) return one.id + ": " + fault;
    }
  }
  return {};
}

TEST(StudyPage, HasEverySection) {
  EXPECT_EQ(ids(study_page(study())),
            (std::vector<std::string>{"accuracy", "means", "wins", "losses", "deviations", "masks", "designs", "gamma",
                                      "stability", "costs", "methods", "cells"}));
}

TEST(StudyPage, LeadsWithTheCountOfEveryComparisonAndWhatIsMissing) {
  const Findings findings = study();
  const Page page = study_page(findings);
  for (const ComparisonFinding& c : findings.comparisons) {
    EXPECT_EQ(c.cells.size(), 105U);
    EXPECT_NE(page.lead.find(std::to_string(c.won) + " of 105"), std::string::npos);
  }
  EXPECT_NE(page.lead.find("CFM wins " + std::to_string(findings.comparisons[0].won) + " of 105 cells against FM"),
            std::string::npos);
  EXPECT_NE(page.lead.find("126 are planned, 21 of them on sets that are left out"), std::string::npos);
  EXPECT_NE(page.lead.find("gisette is left out: no file gisette.mat"), std::string::npos);
}

TEST(StudyPage, CountsWhatIsDoneSoFar) {
  const Findings findings = study({.done = 0.4});
  const Page page = study_page(findings);
  const std::size_t done = findings.comparisons[0].cells.size();
  EXPECT_NE(page.lead.find(std::to_string(done) + " of the 105 cells that can be run are done"), std::string::npos);
  EXPECT_NE(page.lead.find("320 of 800 units are done"), std::string::npos);
  EXPECT_EQ(first_fault(page), "");
}

TEST(StudyPage, StaysUnderThreeMegabytes) { EXPECT_LT(page_html(study_page(study())).size(), 2'800'000U); }

TEST(StudyPage, HoldsWellFormedDrawingsOnly) { EXPECT_EQ(first_fault(study_page(study())), ""); }

TEST(StudyPage, KeepsMarkupInNamesText) {
  const std::string page = page_html(study_page(study()));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_EQ(page.find("</script><b>"), std::string::npos);
  EXPECT_NE(page.find("&lt;img src=x"), std::string::npos);
  EXPECT_NE(page.find("\\u003cimg src=x"), std::string::npos);
}

TEST(StudyPage, ShowsAFigureWithNumbersForEverySetAndClassifier) {
  const std::string html = section(study_page(study()), "accuracy");
  EXPECT_EQ(count(html, "<figure"), 15U);
  EXPECT_EQ(count(html, "<script type=\"text/csv\">"), 15U);
  EXPECT_NE(html.find("data-name=\"accuracy-mnist-rf\""), std::string::npos);
  EXPECT_EQ(count(html, "data-toggle=\""), 8U);
}

TEST(StudyPage, ShowsEveryComparisonAsAGridBesideTheOthers) {
  const std::string html = section(study_page(study()), "wins");
  EXPECT_EQ(count(html, "<figure"), 3U);
  EXPECT_EQ(count(html, "data-tip=\""), 315U);
  EXPECT_LT(html.rfind("<figure"), html.find("<table"));
}

TEST(StudyPage, SaysWhereCellsAreLost) {
  const Findings findings = study();
  const std::string html = section(study_page(findings), "losses");
  std::size_t lost = 0;
  for (const ComparisonFinding& c : findings.comparisons) lost += c.lost;
  ASSERT_GT(lost, 0U);
  for (const ComparisonFinding& c : findings.comparisons) {
    const std::string words = c.lost > 0 ? "loses " + std::to_string(c.lost) + " cell" : "no cell is lost";
    EXPECT_NE(html.find(words), std::string::npos) << words;
  }
}

TEST(StudyPage, CountsTheSteadierCells) {
  const Findings findings = study();
  const ComparisonFinding& c = findings.comparisons[0];
  const std::string html = section(study_page(findings), "deviations");
  EXPECT_NE(html.find("CFM varies less between seeds than FM in " + std::to_string(c.steadier) +
                      " of 105 cells and more in " + std::to_string(c.rougher)),
            std::string::npos);
}

TEST(StudyPage, GivesAnExplorerToEveryModel) {
  const Page page = study_page(study());
  const std::string html = section(page, "masks");
  EXPECT_EQ(count(html, "class=\"explorer\""), 40U);
  const std::string begin = "id=\"mask-pcmac-cfm\">";
  const std::size_t at = html.find(begin) + begin.size();
  const auto tree = nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at));
  EXPECT_EQ(tree["total"], 3289);
  EXPECT_EQ(tree["order"].size(), 329U);  // a tenth
  EXPECT_EQ(tree["names"].size(), 329U);
  EXPECT_FALSE(tree.contains("image"));
  const std::string mnist = "id=\"mask-mnist-fm\">";
  const std::size_t there = html.find(mnist) + mnist.size();
  const auto picture = nlohmann::json::parse(html.substr(there, html.find("</script>", there) - there));
  EXPECT_EQ(picture["scores"].size(), 784U);
  EXPECT_EQ(picture["k"], 50);
  EXPECT_EQ(picture["examples"].size(), 10U);
  EXPECT_EQ(picture["image"]["width"], 28);
}

TEST(StudyPage, WorksForOneSetOneMethodAndOneSeed) {
  const Page page = study_page(study({.sets = 1, .methods = 1, .seeds = 1}));
  EXPECT_EQ(section(page, "wins"), "");
  EXPECT_NE(page.lead.find("compares no methods"), std::string::npos);
  EXPECT_EQ(first_fault(page), "");
}

TEST(StudyPage, SaysThatOneSeedIsNoTest) {
  const Page page = study_page(study({.sets = 1, .methods = 2, .seeds = 1}));
  EXPECT_NE(page.lead.find("One seed gives neither deviations nor a test"), std::string::npos);
  EXPECT_EQ(section(page, "deviations"), "");
}

TEST(StudyPage, WorksForTwentyMethods) { EXPECT_EQ(first_fault(study_page(study({.sets = 2, .methods = 20}))), ""); }

TEST(StudyPage, WorksForAStudyThatHasNotBegun) {
  Findings findings = study({.sets = 4, .methods = 2, .done = 0});
  findings.masks.clear();
  findings.stability.clear();
  findings.costs.clear();
  findings.gammas.clear();
  const Page page = study_page(findings);
  EXPECT_NE(page.lead.find("no cell has results of both yet"), std::string::npos);
  EXPECT_EQ(first_fault(page), "");
  EXPECT_EQ(first_fault(study_page(Findings{})), "");
}

TEST(StudyPage, RefusesFindingsThatPointNowhere) {
  Findings findings = study({.sets = 1, .methods = 2});
  findings.cells[0].method = 2;
  EXPECT_THROW(study_page(findings), Error);
  findings = study({.sets = 1, .methods = 2});
  findings.comparisons[0].cells[0].second = findings.cells.size();
  EXPECT_THROW(study_page(findings), Error);
  findings = study({.sets = 1, .methods = 1});
  findings.masks[0].order[0] = 784;
  EXPECT_THROW(study_page(findings), Error);
}

TEST(StudyPage, GivesSetsOfLikeNamesIdsOfTheirOwn) {
  Findings findings = study({.sets = 2, .methods = 1});
  findings.sets[0].name = "My set";
  findings.sets[1].name = "my-set";
  const std::string html = section(study_page(findings), "masks");
  EXPECT_NE(html.find("id=\"mask-my-set-cfm\""), std::string::npos);
  EXPECT_NE(html.find("id=\"mask-my-set-2-cfm\""), std::string::npos);
}

}  // namespace
}  // namespace obverse
