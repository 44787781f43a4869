#include "report/selection_stand_ins.h"

#include <functional>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "report/selection.h"
#include "support/json.h"
#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// income and age are selected; noise is equal to age, and income is much like it.
Selection with_stand_ins(const std::vector<std::string>& names = {"age", "income", "noise"}) {
  Selection s = sample::selection(names);
  s.stand_ins.features = {
      {.feature = 1, .count = 1, .nearest = {{.feature = 0, .similarity = 0.9}}},
      {.feature = 0,
       .count = 2,
       .nearest = {{.feature = 2, .similarity = 1, .equal = true}, {.feature = 1, .similarity = 0.9}}}};
  s.stand_ins.clusters = {{0, 1, 2}};
  return s;
}

Json tree_of(const Selection& selection) { return Json::parse(json_text(selection_tree(selection))); }

std::string section_of(const Json& tree) {
  for (const PageSection& one : selection_page(tree).sections) {
    if (one.id == "stand-ins") return one.html;
  }
  return {};
}

TEST(StandInsText, HasALineForEachFeature) {
  EXPECT_EQ(stand_ins_text(with_stand_ins(), {}),
            "Stand-ins, which could take the place of a selected feature:\n"
            "  income  age (0.90)\n"
            "  age     noise (equal), income (0.90)\n");
  EXPECT_EQ(stand_ins_text(sample::selection(), {}), "");
}

TEST(StandInsText, CountsWhatItDoesNotShowAndEscapesNames) {
  Selection s = with_stand_ins({"a\x1b", "b", "c"});
  s.stand_ins.features[0].count = 30;
  s.stand_ins.features.resize(10, s.stand_ins.features[0]);
  const std::string text = stand_ins_text(s, {});
  EXPECT_TRUE(holds(text, "(0.90) and 29 more\n")) << text;
  EXPECT_TRUE(holds(text, "  ... and those of 2 more features\n")) << text;
  EXPECT_FALSE(holds(text, "\x1b"));
}

TEST(StandInsPage, HasATableAndAMap) {
  const std::string html = section_of(tree_of(with_stand_ins()));
  EXPECT_TRUE(holds(html, "2 of the 2 selected features can be replaced")) << html;
  EXPECT_TRUE(holds(html, "noise (equal), income (0.90)"));
  EXPECT_TRUE(holds(html, "data-tip=\"age and noise: equal\""));
  EXPECT_TRUE(holds(html, "data-tip=\"income and age: 0.90\""));
  EXPECT_FALSE(holds(html, "data-tip=\"age and income: 0.90\"")) << "drawn once";
  EXPECT_TRUE(holds(html, "feature,stand_in,similarity,equal\nincome,age,0.9,0\n"));
}

TEST(StandInsPage, HasNoSectionWithoutAnyAndForOlderFiles) {
  EXPECT_EQ(section_of(tree_of(sample::selection())), "");
  Json tree = tree_of(with_stand_ins());
  tree.erase("stand_ins");
  tree.erase("clusters");
  EXPECT_EQ(section_of(tree), "");
}

TEST(StandInsPage, TakesNoNameForMarkup) {
  const std::string html = section_of(tree_of(with_stand_ins({"<b>", "\"x\"", "</script>"})));
  EXPECT_FALSE(holds(html, "<b>"));
  EXPECT_FALSE(holds(html, "=\"\"x"));
  EXPECT_TRUE(holds(html, "&lt;b&gt;"));
}

TEST(StandInsPage, RefusesWhatIsDamaged) {
  const auto refusal = [](const std::function<void(Json&)>& damage) {
    Json tree = tree_of(with_stand_ins());
    damage(tree);
    try {
      selection_page(tree);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal([](Json&) {}), "");
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"] = 3; }), "stand_ins: expected a list, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][0]["feature"] = 4; }),
                    "stand_ins[0].feature: expected a whole number from 1 to 3, found 4"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][0]["feature"] = 3; }),
                    "stand_ins[0].feature: expected each selected feature at most once, found 3"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][1] = t["stand_ins"][0]; }),
                    "stand_ins[1].feature: expected each selected feature at most once, found 2"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][0]["columns"] = Json::array(); }),
                    "stand_ins[0].columns: expected the columns that could take its place, found none"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][1]["columns"][1]["feature"] = 3; }),
                    "stand_ins[1].columns[1].feature: expected another one, found 3 again"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][0]["columns"][0]["similarity"] = 2; }),
                    "similarity: expected a number from 0 to 1, found 2"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["stand_ins"][0]["columns"][0]["equal"] = "yes"; }), "equal: expected"));
  EXPECT_TRUE(
      holds(refusal([](Json& t) { t["stand_ins"][1]["count"] = 1; }), "stand_ins[1].count: expected a whole number"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["clusters"][0]["features"] = {1}; }),
                    "clusters[0].features: expected two or more, found 1"));
  EXPECT_TRUE(holds(refusal([](Json& t) { t["clusters"][1] = t["clusters"][0]; }),
                    "clusters[1].features: expected each feature in one cluster, found 1 in two"));
}

}  // namespace
}  // namespace obverse
