#include "writers/distributions.h"

#include <gtest/gtest.h>

#include "writers/sample.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// The first `k` columns, in their order.
Selection first_features(std::size_t k, std::size_t features) {
  Selection s = sample::selection();
  s.k = k;
  s.ranking.order.clear();
  for (std::size_t f = 0; f < features; ++f) s.ranking.order.push_back(f);
  return s;
}

/// One feature.
DatasetParts parts(const std::vector<float>& values) {
  return {.storage = sample::dense<float>(1, values),
          .feature_names = std::vector<std::string>{"a"},
          .labels = {},
          .class_names = {},
          .target_name = "y",
          .image_shape = {}};
}

Json of_classes(const std::vector<float>& values, std::vector<std::int32_t> labels,
                std::vector<std::string> names = {"no", "yes"}) {
  DatasetParts p = parts(values);
  p.labels = std::move(labels);
  p.class_names = std::move(names);
  return distributions(first_features(1, 1), Dataset(std::move(p)));
}

Json of_quantity(const std::vector<float>& values, std::vector<float> outputs) {
  DatasetParts p = parts(values);
  p.outputs = std::move(outputs);
  p.output_names = {"y"};
  return distributions(first_features(1, 1), Dataset(std::move(p)));
}

std::vector<float> counted(std::size_t count, float step = 1) {
  std::vector<float> out;
  for (std::size_t i = 0; i < count; ++i) out.push_back(step * static_cast<float>(i));
  return out;
}

TEST(Distributions, OfFewValuesAreSharesOfEachClass) {
  const Json found = of_classes({0, 1, 1, 1}, {0, 0, 1, 1});
  EXPECT_EQ(found["rows"], 4);
  EXPECT_EQ(found["groups"], Json({"no", "yes"}));
  EXPECT_EQ(found["panels"], Json::array({{{"feature", 1}, {"values", {0, 1}}, {"shares", {0.5, 0.5, 0, 1}}}}));
}

TEST(Distributions, OfWholeNumbersHaveBinsOfEquallyMany) {
  const Json panel = of_classes(counted(40), std::vector<std::int32_t>(40, 0), {"no"})["panels"][0];
  EXPECT_EQ(panel["edges"], Json({-0.5, 4.5, 9.5, 14.5, 19.5, 24.5, 29.5, 34.5, 39.5}));
  EXPECT_EQ(panel["shares"], Json(std::vector<double>(8, 0.125)));
}

TEST(Distributions, AreNotStretchedByAFarValue) {
  std::vector<float> values = counted(1000, 0.001F);
  values.push_back(1e6F);
  const Json panel = of_classes(values, std::vector<std::int32_t>(1001, 0), {"no"})["panels"][0];
  EXPECT_EQ(panel["edges"].front(), 0);
  EXPECT_LT(panel["edges"].back(), 1.1);
  double sum = 0;
  for (const Json& share : panel["shares"]) sum += share.get<double>();
  EXPECT_NEAR(sum, 1, 1e-3);  // the last bin holds the far value too
}

TEST(Distributions, PutRareClassesTogether) {
  std::vector<std::int32_t> labels;
  std::vector<std::string> names;
  for (int c = 0; c < 10; ++c) {
    names.push_back(cat("c", c));
    labels.insert(labels.end(), static_cast<std::size_t>(c + 1), c);
  }
  const Json found = of_classes(std::vector<float>(labels.size(), 1), labels, names);
  EXPECT_EQ(found["groups"], Json({"c3", "c4", "c5", "c6", "c7", "c8", "c9", "3 other classes"}));
  EXPECT_EQ(found["panels"][0]["shares"], Json(std::vector<double>(8, 1.0)));
}

TEST(Distributions, CountRowsByTheirWeights) {
  DatasetParts p = parts({0, 1, 2});
  p.labels = {0, 0, 0};
  p.class_names = {"no"};
  p.weights = {1, 3, 0};
  const Json found = distributions(first_features(1, 1), Dataset(std::move(p)));
  EXPECT_EQ(found["rows"], 2);
  EXPECT_EQ(found["panels"][0]["values"], Json({0, 1}));
  EXPECT_EQ(found["panels"][0]["shares"], Json({0.25, 0.75}));
}

TEST(Distributions, AgainstAQuantityAreItsQuartiles) {
  const Json panel = of_quantity(counted(300), counted(300, 2))["panels"][0];
  EXPECT_EQ(panel["output"], 1);
  ASSERT_EQ(panel["at"].size(), 10U);
  // The first of ten parts has the rows 0 to 29.
  EXPECT_EQ(panel["at"][0], 14);
  EXPECT_EQ(panel["low"][0], 14.5);
  EXPECT_EQ(panel["median"][0], 29);
  EXPECT_EQ(panel["high"][0], 43.5);
}

TEST(Distributions, AgainstAQuantityOfFewValuesAreQuartilesAtEach) {
  const Json panel = of_quantity({1, 0, 1, 0}, {5, 1, 9, 3})["panels"][0];
  EXPECT_EQ(panel["values"], Json({0, 1}));
  EXPECT_FALSE(panel.contains("at"));
  EXPECT_EQ(panel["low"], Json({1.5, 6}));
  EXPECT_EQ(panel["median"], Json({2, 7}));
  EXPECT_EQ(panel["high"], Json({2.5, 8}));
}

TEST(Distributions, AgainstAQuantityKeepEqualValuesTogether) {
  std::vector<float> values(300, 0);  // every second row is 0
  for (std::size_t i = 1; i < values.size(); i += 2) values[i] = static_cast<float>(i);
  const Json panel = of_quantity(values, counted(300))["panels"][0];
  EXPECT_EQ(panel["at"][0], 0);
  EXPECT_EQ(panel["median"][0], 149);  // of 0, 2, ..., 298
  EXPECT_EQ(panel["at"].size(), 6U);   // 150 rows, then five parts of 30
}

TEST(Distributions, OfFewRowsAreThePointsThemselves) {
  const Json panel = of_quantity(counted(20), counted(20, -1))["panels"][0];
  EXPECT_EQ(panel["x"].size(), 20U);
  EXPECT_EQ(panel["y"][3], -3);
}

TEST(Distributions, OfLabelsShowRowsWithAndWithoutEach) {
  DatasetParts p = parts({0, 1, 1, 1});
  p.outputs = {1, 0, 1, 1, 0, 0, 0, 0};
  p.output_names = {"red", "round"};
  p.multilabel = true;
  Selection s = first_features(1, 1);
  s.options.task = Task::multilabel;
  const Json found = distributions(s, Dataset(std::move(p)));
  EXPECT_EQ(found["groups"], Json({"with the label", "without it"}));
  ASSERT_EQ(found["panels"].size(), 2U);
  EXPECT_EQ(found["panels"][0]["shares"], Json({0.5, 0.5, 0, 1}));
  EXPECT_EQ(found["panels"][1]["output"], 2);
  EXPECT_EQ(found["panels"][1]["shares"][3], 0.66667);
}

TEST(Distributions, WithoutATargetAreThoseOfAllRows) {
  const Json found = distributions(first_features(1, 1), Dataset(parts({2, 2, 3})));
  EXPECT_EQ(found["groups"], Json({"all rows"}));
  EXPECT_EQ(found["panels"][0]["shares"], Json({0.66667, 0.33333}));
}

TEST(Distributions, LookAtTwelveFeaturesAndTwentyThousandRowsAtMost) {
  const std::size_t features = 14;
  DatasetParts p{.storage = sample::dense<float>(features, std::vector<float>(30000 * features, 1)),
                 .feature_names = FeatureNames::numbered("f", features),
                 .labels = {},
                 .class_names = {},
                 .target_name = {},
                 .image_shape = {}};
  const Json found = distributions(first_features(13, features), Dataset(std::move(p)));
  EXPECT_EQ(found["rows"], 20000);
  EXPECT_EQ(found["panels"].size(), 12U);
}

TEST(SelectionTree, IsLeftWithoutValuesOfTheData) {
  Json tree = selection_tree(first_features(1, 2), sample::dataset({"a", "b"}, {"secret class", "other"}));
  EXPECT_TRUE(tree["data"].contains("distributions"));
  EXPECT_NE(tree.dump().find("secret class"), std::string::npos);
  leave_out_values(tree);
  EXPECT_FALSE(tree["data"].contains("distributions"));
  EXPECT_EQ(tree.dump().find("secret class"), std::string::npos);
  EXPECT_EQ(tree["data"]["features"], Json({"age", "income", "noise"}));
}

}  // namespace
}  // namespace obverse
