#include "report/evaluation.h"

#include <gtest/gtest.h>

#include <cmath>

#include "support/text.h"

namespace obverse {
namespace {

Score score(const std::string& metric, std::vector<double> values) {
  Score out{.metric = metric, .values = std::move(values)};
  for (const double value : out.values) out.mean += value / static_cast<double>(out.values.size());
  out.deviation = out.values.size() > 1 ? 0.01 : 0;
  out.low = out.mean - 0.01;
  out.high = out.mean + 0.01;
  return out;
}

EvaluationRow row(FeatureSet features, std::size_t k, double accuracy, double log_loss) {
  EvaluationRow out{.features = features, .k = k, .classifier = "rf"};
  out.scores = {score("accuracy", {accuracy, accuracy}), score("balanced_accuracy", {accuracy}),
                score("macro_f1", {accuracy}),           score("log_loss", {log_loss}),
                score("roc_auc", {std::nan("")}),        score("average_precision", {accuracy})};
  return out;
}

/// 88.9 % with all 500 features, 87.1 % with 16 of them, 55 % with random ones.
Evaluation sample() {
  Evaluation evaluation;
  evaluation.options.classifiers = {"rf"};
  evaluation.options.k = {16};
  evaluation.rows = {row(FeatureSet::all, 500, 0.889, 0.4), row(FeatureSet::selected, 16, 0.871, 0.3),
                     row(FeatureSet::random, 16, 0.55, 0.7)};
  evaluation.feature_names.assign(500, "f");
  evaluation.results.selected = {{.k = 1, .features = {0}}};
  return evaluation;
}

TEST(EvaluationText, SaysWhatIsKept) {
  EXPECT_EQ(evaluation_sentences(sample()).front(),
            "With 16 of 500 features rf keeps 98% of the accuracy of all features (87.1% against 88.9%); 16 random "
            "ones reach 55.0%.");
}

TEST(EvaluationText, SaysWhatIsBetterThanAllFeatures) {
  Evaluation evaluation = sample();
  evaluation.options.metric = "log-loss";
  EXPECT_EQ(
      evaluation_sentences(evaluation).front(),
      "With 16 of 500 features the log loss of rf is 0.300, with all features 0.400; 16 random ones reach 0.700.");
}

TEST(EvaluationText, SaysWhenChanceSelectsBetter) {
  Evaluation evaluation = sample();
  evaluation.rows[2] = row(FeatureSet::random, 16, 0.88, 0.2);
  EXPECT_TRUE(evaluation_sentences(evaluation).front().ends_with("16 random ones reach a better 88.0%."));
  evaluation.options.metric = "log-loss";
  EXPECT_TRUE(evaluation_sentences(evaluation).front().ends_with("16 random ones reach a better 0.200."));
}

TEST(EvaluationText, NamesTheBestOfSeveralSizes) {
  Evaluation evaluation = sample();
  evaluation.options.k = {8, 16};
  evaluation.rows.push_back(row(FeatureSet::selected, 8, 0.8, 0.5));
  evaluation.rows.push_back(row(FeatureSet::random, 8, 0.5, 0.5));
  EXPECT_TRUE(evaluation_sentences(evaluation).front().starts_with("At the best of 2 sizes, with 16 of 500 features"));
}

TEST(EvaluationText, TablesFitTheWidth) {
  for (const std::string metric : {"accuracy", "log-loss", "roc-auc", "average-precision"}) {
    Evaluation evaluation = sample();
    evaluation.options.metric = metric;
    for (const std::string& line : split_text(evaluation_tables(evaluation, {.unicode = true, .columns = 80}), '\n')) {
      EXPECT_LE(display_width(line), 80U) << line;
    }
  }
  const std::string table = evaluation_tables(sample(), {});
  EXPECT_NE(table.find("  k = 16 selected   87.1 +- 1.0  86.1 to 88.1  2  ###"), std::string::npos) << table;
  EXPECT_NE(table.find("-1.8\n"), std::string::npos) << table;
}

TEST(EvaluationText, ValuesThatAreNotDefinedAreDashes) {
  Evaluation evaluation = sample();
  evaluation.options.metric = "roc-auc";
  EXPECT_NE(evaluation_tables(evaluation, {}).find("all 500 features     -"), std::string::npos);
}

TEST(EvaluationFiles, HoldEveryMetricAndNullsForWhatIsNotDefined) {
  const std::string csv = evaluation_csv(sample());
  EXPECT_TRUE(
      csv.starts_with("classifier,features,k,metric,mean,deviation,low,high,n\nrf,all,500,accuracy,0.889,0.01,"));
  EXPECT_NE(csv.find("rf,random,16,roc_auc,,0,,,1\n"), std::string::npos) << csv;
  const auto tree = evaluation_tree(sample());
  EXPECT_EQ(tree["rows"][1]["metrics"]["accuracy"]["values"].size(), 2U);
  EXPECT_NE(tree.dump().find("\"roc_auc\":{\"mean\":null"), std::string::npos);
  EXPECT_EQ(tree["selected"][0]["k"], 1);
}

}  // namespace
}  // namespace obverse
