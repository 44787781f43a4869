#include "metrics/metrics.h"

#include <cmath>
#include <set>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "metrics/score_format.h"
#include "reference/reference.h"

namespace obverse {
namespace {

const test::Reference& reference() {
  static const test::Reference kReference("metrics");
  return kReference;
}

struct Case {
  Target truth;
  Prediction prediction;
};

Case classes(const std::string& name) {
  Case made;
  made.truth.labels = reference().integers<std::int32_t>(name + ".labels");
  made.prediction.values = reference().floats(name + ".probabilities");
  made.truth.classes = made.prediction.values.size() / made.truth.labels.size();
  made.prediction.outputs = made.truth.classes;
  return made;
}

Case values(const std::string& name) {
  Case made;
  made.truth.values = reference().floats(name + ".values");
  made.prediction.values = reference().floats(name + ".predicted");
  return made;
}

/// What scikit-learn leaves undefined or refuses is not in the file and NaN here.
void expect_agreement(const std::string& name, const Case& made) {
  for (const Metric& metric : metrics()) {
    if (metric.of_classes != made.truth.is_class()) continue;
    const std::string key = cat(name, ".", metric.name);
    const double found = metric.value(made.truth, made.prediction);
    if (reference().has(key)) {
      EXPECT_NEAR(found, reference().number(key), 1e-9) << key;
    } else {
      EXPECT_TRUE(std::isnan(found)) << key << ": " << found;
    }
  }
}

/// Row r as many times as `times` says.
Case repeated(const Case& made, const std::vector<float>& times) {
  Case out{made.truth, {made.prediction.outputs, {}}};
  out.truth.labels.clear();
  out.truth.values.clear();
  for (std::size_t r = 0; r < times.size(); ++r) {
    for (float i = 0; i < times[r]; ++i) {
      if (made.truth.is_class()) out.truth.labels.push_back(made.truth.labels[r]);
      if (!made.truth.is_class()) out.truth.values.push_back(made.truth.values[r]);
      const auto* values = made.prediction.values.data() + r * made.prediction.outputs;
      out.prediction.values.insert(out.prediction.values.end(), values, values + made.prediction.outputs);
    }
  }
  return out;
}

TEST(Metrics, CountARowOfWeightTwoAsTwoRows) {
  for (const std::string name : {"two", "two_ties", "four", "four_ties", "certain", "values"}) {
    Case made = name == "values" ? values("values") : classes(name);
    std::vector<float> times;
    for (std::size_t r = 0; r < made.truth.rows(); ++r) times.push_back(static_cast<float>((r * 7 + r / 3) % 4));
    const Case expected = repeated(made, times);
    for (float& weight : times) weight *= 0.5F;  // the unit does not matter
    made.truth.weights = times;
    for (const Metric& metric : metrics()) {
      if (metric.of_classes != made.truth.is_class()) continue;
      EXPECT_NEAR(metric.value(made.truth, made.prediction), metric.value(expected.truth, expected.prediction), 1e-9)
          << name << " " << metric.name;
    }
  }
}

TEST(Metrics, OfClassesAgreeWithScikitLearn) {
  for (const std::string name : {"two", "two_ties", "four", "four_ties", "missing", "one_of_two", "certain"}) {
    expect_agreement(name, classes(name));
  }
}

TEST(Metrics, OfValuesAgreeWithScikitLearn) {
  for (const std::string name : {"values", "worse_than_mean", "equal_right", "equal_wrong", "one_row"}) {
    expect_agreement(name, values(name));
  }
}

// scikit-learn adds float32 up in float32.
TEST(LogLoss, ClipsAsScikitLearnDoesForFloats) {
  for (const std::string name : {"two", "four", "missing", "certain"}) {
    const Case made = classes(name);
    EXPECT_NEAR(log_loss(made.truth, made.prediction), reference().number(name + ".log_loss_float32"), 1e-6);
  }
}

TEST(RocAuc, IsUndefinedWithoutRowsOfAClass) {
  for (const std::string name : {"missing", "one_of_two"}) {
    const Case made = classes(name);
    EXPECT_TRUE(std::isnan(roc_auc(made.truth, made.prediction)));
  }
}

// Worked by hand, the highest score first: a row of class 1; three tied rows, one of them of class 1; the last of
// class 1.
//   P 1 at R 1/3, P 2/4 at R 2/3, P 3/5 at R 1
TEST(AveragePrecision, TakesRowsOfOneScoreTogether) {
  const Target truth{2, {0, 1, 1, 0, 1}, {}};
  const Prediction prediction{2, {0.5F, 0.5F, 0.1F, 0.9F, 0.8F, 0.2F, 0.5F, 0.5F, 0.5F, 0.5F}};
  EXPECT_DOUBLE_EQ(average_precision(truth, prediction), (1 + 0.5 + 0.6) / 3);
}

TEST(AveragePrecision, OfEqualScoresIsTheShareOfTheClass) {
  const Target two{2, {0, 1, 0, 0}, {}}, three{3, {0, 1, 2, 2}, {}};
  EXPECT_DOUBLE_EQ(average_precision(two, {2, std::vector<float>(8, 0.5F)}), 0.25);
  EXPECT_DOUBLE_EQ(average_precision(three, {3, std::vector<float>(12, 0.25F)}), 1.0 / 3);
}

TEST(AveragePrecision, IsUndefinedWithoutRowsOfAClass) {
  for (const std::string name : {"missing", "one_of_two"}) {
    const Case made = classes(name);
    EXPECT_TRUE(std::isnan(average_precision(made.truth, made.prediction)));
  }
}

TEST(Metrics, HaveNamesOfTheirOwnAndADirection) {
  std::set<std::string_view> names;
  const Case right = classes("certain");
  for (const Metric& metric : metrics()) {
    names.insert(metric.name);
    if (!metric.of_classes) continue;
    Case wrong = right;
    for (float& p : wrong.prediction.values) p = 1 - p;
    const double better = metric.value(right.truth, right.prediction);
    const double worse = metric.value(wrong.truth, wrong.prediction);
    EXPECT_EQ(better > worse, metric.larger_is_better) << metric.name;
  }
  EXPECT_EQ(names.size(), metrics().size());
}

TEST(Metrics, AreFoundByBothOfTheirNames) {
  EXPECT_EQ(metric_named("balanced_accuracy").name, "balanced_accuracy");
  EXPECT_EQ(metric_named("balanced-accuracy").name, "balanced_accuracy");
  EXPECT_THROW(metric_named("gini"), Error);
  EXPECT_EQ(measure_name(metric_named("accuracy")), "accuracy");
  EXPECT_EQ(measure_name(metric_named("r2")), "variance explained");
  EXPECT_EQ(measure_name(metric_named("roc-auc")), "ROC AUC");
}

TEST(ScoreFormat, WritesSharesInPercentAndLossesAsNumbers) {
  const ScoreFormat share(metric_named("accuracy"));
  EXPECT_EQ(share.number(0.9312), "93.12");
  EXPECT_EQ(share.spread(0.9312, 0.004, 1), "93.1 ± 0.4");
  EXPECT_EQ(share.change(-0.004), "-0.40");
  EXPECT_EQ(share.score(0.9312), "93.1%");
  EXPECT_EQ(share.distance(-0.004), "0.4 points");
  const ScoreFormat loss(metric_named("log-loss"));
  EXPECT_EQ(loss.number(0.5123), "0.512");
  EXPECT_EQ(loss.number(12.3456), "12.35");
  EXPECT_EQ(loss.number(12345.6), "12346");
  EXPECT_EQ(loss.number(0.00012), "0.00012");
  EXPECT_EQ(loss.number(std::nan("")), "–");
  EXPECT_EQ(loss.spread(0.5, 0, 1), "0.500");
  EXPECT_EQ(loss.spread(16.39, 1.5591), "16.39 ± 1.56");
  EXPECT_EQ(mean_name(metric_named("log-loss")), "mean log loss");
  EXPECT_EQ(mean_name(metric_named("mae")), "mean absolute error");
  EXPECT_EQ(loss.change(0.012), "+0.012");
  EXPECT_EQ(loss.change(-0.012), "-0.012");
  EXPECT_EQ(loss.score(0.5), "0.500");
  EXPECT_EQ(loss.distance(-0.012), "0.012");
}

TEST(R2, OfSeveralColumnsGivesNothingForTheMeanOfEach) {
  // Columns around 0 and around 100, as pixels of the border and of the middle are.
  const Target truth{0, {}, {-1, 99, 1, 101, 0, 100}, 2};
  EXPECT_EQ(truth.rows(), 3U);
  EXPECT_DOUBLE_EQ(r2(truth, {2, {0, 100, 0, 100, 0, 100}}), 0);
  EXPECT_DOUBLE_EQ(r2(truth, {2, truth.values}), 1);
  EXPECT_DOUBLE_EQ(r2(truth, {2, {-1, 100, 1, 100, 0, 100}}), 0.5);
  EXPECT_DOUBLE_EQ(mean_absolute_error(truth, {2, {0, 100, 0, 100, 0, 100}}), 4.0 / 6);
  EXPECT_THROW(r2(truth, {1, truth.values}), Error);
}

TEST(Metrics, RefusePredictionsThatDoNotFit) {
  Case made = classes("two");
  made.prediction.values.pop_back();
  EXPECT_THROW(accuracy(made.truth, made.prediction), Error);
  EXPECT_THROW(r2(classes("two").truth, classes("two").prediction), Error);
  EXPECT_THROW(mean_absolute_error(Target{}, Prediction{}), Error);
}

}  // namespace
}  // namespace obverse
