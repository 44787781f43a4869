#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <obverse/version.h>
#include <obverse/writer.h>

#include "writers/sample.h"

namespace obverse {
namespace {

TEST(SelectionJson, HoldsTheAnswerAndHowItCameAbout) {
  const auto tree = nlohmann::json::parse(selection_json(sample::selection()));
  EXPECT_EQ(tree["version"], kVersion);
  EXPECT_EQ(tree["k"], 2);
  ASSERT_EQ(tree["selected"].size(), 2U);
  EXPECT_EQ(tree["selected"][0]["name"], "income");
  EXPECT_EQ(tree["selected"][0]["feature"], 2);
  EXPECT_EQ(tree["chosen"]["gamma"], 1);
  EXPECT_EQ(tree["chosen"]["reason"], "best of 2 models");
  EXPECT_EQ(tree["models"].size(), 2U);
  EXPECT_EQ(tree["models"][0]["scores"][0], 0.1);
  EXPECT_EQ(tree["agreement"]["stability"], 0.2);
  EXPECT_EQ(tree["data"]["fingerprint"], "0123456789abcdef");
  EXPECT_EQ(tree["data"]["constant_features"][0], "noise");
  EXPECT_EQ(tree["options"]["gamma"][0], 0.1);
  EXPECT_EQ(tree["options"]["recipes"][0]["name"], "default");
  EXPECT_EQ(tree["ranking"], nlohmann::json({2, 1, 3}));
}

TEST(SelectionJson, OfABaselineSaysNothingOfTraining) {
  const auto tree = nlohmann::json::parse(selection_json(sample::baseline_selection()));
  EXPECT_EQ(tree["method"], "anova");
  EXPECT_EQ(tree["chosen"]["reason"], "ranked by the ANOVA F statistic on all 90 rows");
  EXPECT_FALSE(tree["chosen"].contains("gamma"));
  EXPECT_FALSE(tree["models"][0].contains("loss"));
  EXPECT_EQ(tree["models"][0]["scores"][0], 2.5);
  EXPECT_TRUE(tree["models"][0]["scores"][1].is_null());
  EXPECT_TRUE(tree["timings"].contains("ranking_seconds"));
  EXPECT_FALSE(tree["timings"].contains("training_seconds"));
  EXPECT_FALSE(tree["options"].contains("recipes"));
}

TEST(SelectionJson, IsValidForAnyNameAndNumber) {
  Selection selection = sample::selection({"\xff\xfe", "a\n\"b\"\x01", std::string("z\0", 2)});
  Model model = *selection.models[0];
  model.loss = std::numeric_limits<double>::quiet_NaN();
  model.scores[0] = std::numeric_limits<float>::infinity();
  selection.models[0] = std::make_shared<const Model>(model);
  const auto tree = nlohmann::json::parse(selection_json(selection));
  EXPECT_EQ(tree["selected"][0]["name"], "a\n\"b\"\x01");
  EXPECT_TRUE(tree["models"][0]["loss"].is_null());
  EXPECT_TRUE(tree["models"][0]["scores"][0].is_null());
}

TEST(SelectionJson, HoldsStandInsAndClusters) {
  Selection selection = sample::selection();
  EXPECT_EQ(nlohmann::json::parse(selection_json(selection))["stand_ins"], nlohmann::json::array());
  selection.stand_ins.features = {
      {.feature = 1, .count = 5, .nearest = {{.feature = 2, .similarity = 0.9, .equal = false}}}};
  selection.stand_ins.clusters = {{1, 2}};
  const auto tree = nlohmann::json::parse(selection_json(selection));
  EXPECT_EQ(tree["stand_ins"][0]["feature"], 2);
  EXPECT_EQ(tree["stand_ins"][0]["name"], "income");
  EXPECT_EQ(tree["stand_ins"][0]["count"], 5);
  const nlohmann::json column{{"feature", 3}, {"name", "noise"}, {"similarity", 0.9}, {"equal", false}};
  EXPECT_EQ(tree["stand_ins"][0]["columns"][0], column);
  EXPECT_EQ(tree["clusters"][0]["features"], nlohmann::json({2, 3}));
}

TEST(SelectionJson, KeepsListsOnOneLine) {
  EXPECT_NE(selection_json(sample::selection()).find("\"scores\": [0.1,1.5,-2.0]"), std::string::npos);
}

TEST(SelectionJson, HoldsCurvesAndMasksOfEpochsOnlyWhereTheyWereAskedFor) {
  Selection selection = sample::selection();
  const auto plain = nlohmann::json::parse(selection_json(selection));
  EXPECT_FALSE(plain["models"][0].contains("curve") || plain["models"][0].contains("masks"));
  EXPECT_FALSE(plain["options"].contains("keep_curve") || plain["options"].contains("mask_epochs"));
  Model model = *selection.models[0];
  model.curve = {.loss = {0.75, 0.5}, .complement_loss = {0.25, 0.125}};
  model.snapshots = {{.epoch = 2, .scores = {1, 2, 3}}};
  selection.models[0] = std::make_shared<const Model>(model);
  selection.options.keep_curve = true;
  selection.options.mask_epochs = {2};
  const auto tree = nlohmann::json::parse(selection_json(selection));
  EXPECT_EQ(tree["models"][0]["curve"]["loss"], (std::vector<double>{0.75, 0.5}));
  EXPECT_EQ(tree["models"][0]["curve"]["complement_loss"][1], 0.125);
  EXPECT_EQ(tree["models"][0]["masks"][0]["epoch"], 2);
  EXPECT_EQ(tree["models"][0]["masks"][0]["scores"], (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(tree["options"]["keep_curve"], true);
  EXPECT_EQ(tree["options"]["mask_epochs"][0], 2);
}

}  // namespace
}  // namespace obverse
