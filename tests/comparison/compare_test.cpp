// A comparison against its steps done by hand, and what it says of numbers that were made up.
#include <obverse/compare.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "comparison/recommend.h"
#include "evaluation/sample.h"
#include "experiment/trial.h"
#include "mask/families.h"
#include "metrics/metrics.h"
#include "options/methods.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

Dataset puzzle() {
  return madelon_like({.rows = 160, .informative = 3, .combinations = 3, .probes = 10, .seed = 1}).data;
}

/// Few networks and few trees: these tests are about the comparison, not about the answer.
CompareOptions quick(std::vector<std::string> methods) {
  CompareOptions options;
  options.methods = std::move(methods);
  options.k = {2, 5};
  options.runs = 2;
  options.trees = 10;
  options.select.gamma = {0.1, 1};
  options.select.recipes[0].train.epochs = 3;
  options.select.threads = 1;
  return options;
}

std::string fault_of(const ComparisonInput& input, const CompareOptions& options) {
  try {
    compare(input, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing was thrown";
}

TEST(ComparedMethods, AreThoseOfSelectAndEachMaskOnceWithItsComplement) {
  const auto names = compared_methods();
  std::size_t with = 0;
  for (const std::string_view name : names) {
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
    const SelectOptions select = selection_of(name, {});
    EXPECT_NE(std::find(method_names().begin(), method_names().end(), select.method), method_names().end()) << name;
    const bool with_complement = kind_of(name) == MethodKind::mask_with_complement;
    EXPECT_EQ(has_complement(select), with_complement || kind_of(name) == MethodKind::pool) << name;
    with += with_complement ? 1 : 0;
  }
  for (const std::string_view method : method_names()) {
    EXPECT_NE(std::find(names.begin(), names.end(), method), names.end()) << method;
  }
  const std::size_t families = mask_families().size();  // cfm is fm with its complement
  EXPECT_EQ(with, families);
  EXPECT_EQ(names.size(), method_names().size() + families - 1);
  EXPECT_EQ(without_complement("cfm"), "fm");
  EXPECT_EQ(without_complement("stg+complement"), "stg");
  EXPECT_EQ(without_complement("rf"), "");
}

std::vector<Result> results_of(const Comparison& comparison, const std::string& method) {
  std::vector<Result> out;
  for (const Result& row : comparison.results.rows) {
    if (row.method == method) out.push_back(row);
  }
  return out;
}

TEST(Compare, GivesTheNumbersOfItsStepsDoneByHand) {
  const Dataset data = puzzle();
  const CompareOptions options = quick({"stg+complement", "anova"});
  const Comparison found = compare({data}, options);
  EXPECT_EQ(found.training_rows + found.test_rows, data.rows());
  for (const std::string name : {"stg+complement", "anova"}) {
    const ComparedMethod& method = *found.method(name);
    const std::vector<Result> results = results_of(found, name);
    auto score = results.begin();
    double sum = 0;
    for (std::uint64_t run = 0; run < 2; ++run) {
      const auto [train, test] = split(data, {.test_fraction = 0.2, .seed = run});
      SelectOptions select = options.select;
      select.method = name == "anova" ? "anova" : "stg";
      select.complement = name == "anova" ? Complement::automatic : Complement::on;
      select.seed = run;
      EvaluateOptions fits;
      fits.trees = options.trees;
      const PreparedSplit prepared({train, test}, Scaling::automatic);
      Team team(1);
      for (const Selection& selection : Selector(select).fit_each(train, std::vector<std::size_t>{2, 5})) {
        for (const std::string classifier : {"rf", "ert", "knn"}) {
          const FlushDenormals flush;
          const std::vector<Prediction> predictions = classifier_named(classifier)
                                                          .predict({.train = train,
                                                                    .test = test,
                                                                    .columns = selection.ranking.top(selection.k),
                                                                    .scaling = prepared.scaling,
                                                                    .learned = prepared.learned,
                                                                    .settings = fit_settings(fits),
                                                                    .seed = run},
                                                                   team);
          ASSERT_NE(score, results.end());
          EXPECT_EQ(score->run, static_cast<int>(run));
          EXPECT_EQ(score->metric, "accuracy");
          EXPECT_EQ(score->k, selection.k);
          EXPECT_EQ(score->classifier, classifier);
          EXPECT_EQ(score->value, accuracy(prepared.asked.front(), predictions.front()));
          sum += score->value;
          ++score;
        }
      }
    }
    EXPECT_EQ(score, results.end());
    EXPECT_NEAR(method.mean, sum / 12, 1e-12);
    EXPECT_GT(method.seconds, 0);
  }
  const std::vector<Result> all = results_of(found, found.all_features.name);
  EXPECT_EQ(all.size(), 6U);
  EXPECT_EQ(all.front().k, data.features());
  EXPECT_EQ(all.front().features, FeatureSet::all);
  EXPECT_EQ(found.results.selected.size(), 8U);  // methods x runs x sizes
}

TEST(Compare, GivesTheSameBitsForAnyNumberOfThreads) {
  CompareOptions options = quick({"cfm", "dfs", "rf", "relieff", "random"});
  const Comparison one = compare({puzzle()}, options);
  options.select.threads = 2;
  const Comparison two = compare({puzzle()}, options);
  for (const std::string& name : options.methods) {
    const ComparedMethod& first = *one.method(name);
    const ComparedMethod& second = *two.method(name);
    EXPECT_EQ(first.stability, second.stability);
    EXPECT_EQ(first.rank, second.rank);
  }
  ASSERT_EQ(one.results.rows.size(), two.results.rows.size());
  for (std::size_t i = 0; i < one.results.rows.size(); ++i) {
    EXPECT_EQ(one.results.rows[i].value, two.results.rows[i].value) << one.results.rows[i].method;
  }
}

TEST(Compare, SortsMethodsByTheirMeanAndRanksThem) {
  const Comparison found = compare({puzzle()}, quick({"random", "anova", "rf"}));
  ASSERT_EQ(found.methods.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(found.methods[i].rank, i + 1);
    EXPECT_GE(found.methods[i > 0 ? i - 1 : 0].mean, found.methods[i].mean);
  }
  EXPECT_NE(found.method(found.recommended), nullptr);
  EXPECT_NE(found.recommended, "random");
  EXPECT_EQ(found.method("svm"), nullptr);
}

TEST(Compare, ATestSetOfItsOwnIsTheSameInEveryRun) {
  const auto [train, test] = split(puzzle(), {.test_fraction = 0.25, .seed = 9});
  CompareOptions options = quick({"anova"});
  options.classifiers = {"knn"};
  const Comparison found = compare({train, test}, options);
  EXPECT_TRUE(found.test_given);
  EXPECT_EQ(found.test_rows, test.rows());
  EXPECT_EQ(found.methods[0].run_means[0], found.methods[0].run_means[1]);  // nothing here knows chance
}

TEST(Compare, AMethodThatCannotRankTheDataIsNotedAndLeftOut) {
  CompareOptions options = quick({"fm", "anova"});
  options.select.recipes[0].train.learning_rate = 1e30;
  const Comparison found = compare({puzzle()}, options);
  EXPECT_EQ(found.methods[0].name, "anova");
  EXPECT_EQ(found.methods[1].name, "fm");
  EXPECT_EQ(found.methods[1].rank, 0U);
  EXPECT_TRUE(results_of(found, "fm").empty());
  EXPECT_NE(found.methods[1].note.find("diverged"), std::string::npos) << found.methods[1].note;
  EXPECT_EQ(found.recommended, "anova");
  options.methods = {"fm"};
  EXPECT_NE(fault_of({puzzle()}, options).find("diverged"), std::string::npos);
}

// ---- The metric ----

// With 1 % of the rows in a class, saying the other one is right 99 times in 100.
TEST(Compare, ARareClassIsJudgedByBalancedAccuracy) {
  const Dataset data = rare_class(2000, 100);
  CompareOptions options = quick({"anova", "mrmr", "random"});
  options.k = {2};
  const Comparison found = compare({data}, options);
  EXPECT_EQ(found.metric, "balanced_accuracy");
  EXPECT_EQ(found.options.metric, "balanced-accuracy");
  EXPECT_EQ(results_of(found, "anova").front().metric, "balanced_accuracy");
  EXPECT_GT(found.method("anova")->mean, 0.75);
  EXPECT_LT(found.method("random")->mean, 0.7);
  EXPECT_NE(found.recommendation.find("best mean balanced accuracy over 2 runs"), std::string::npos)
      << found.recommendation;
  ASSERT_FALSE(found.notes.empty());
  EXPECT_EQ(found.notes.front(),
            "the metric is balanced accuracy, because class 'ill' has only 20 of 2,000 rows, less than a fifth of an "
            "even share; the metric accuracy would count every row alike");
  options.metric = "accuracy";
  const Comparison counted = compare({data}, options);
  for (const ComparedMethod& method : counted.methods) EXPECT_GT(method.mean, 0.97) << method.name;
  EXPECT_TRUE(counted.notes.empty());
}

TEST(Compare, ClassifiersLearnWithTheClassWeightsOfTheSelection) {
  const Dataset data = rare_class(1000, 50);
  CompareOptions options = quick({"anova"});
  options.k = {2};
  options.classifiers = {"knn"};
  const double even = compare({data}, options).methods[0].mean;
  options.select.class_weights = ClassWeights::none;
  EXPECT_GT(even, compare({data}, options).methods[0].mean + 0.05);
}

TEST(Compare, ALossIsBetterWhenItIsLower) {
  CompareOptions options = quick({"random", "anova", "rf"});
  options.metric = "log-loss";
  options.classifiers = {"rf"};
  const Comparison found = compare({labelled({.rows = 80, .features = 20})}, options);
  EXPECT_EQ(found.metric, "log_loss");
  for (std::size_t i = 1; i < 3; ++i) EXPECT_LE(found.methods[i - 1].mean, found.methods[i].mean);
  EXPECT_NE(found.recommended, "random");
  EXPECT_EQ(found.methods.back().name, "random");
}

TEST(Compare, RefusesAMetricThatDoesNotFitOrIsNotDefined) {
  CompareOptions options = quick({"anova"});
  options.metric = "mae";
  EXPECT_NE(fault_of({puzzle()}, options).find("--metric: expected accuracy, balanced-accuracy"), std::string::npos);
  options.metric = "roc-auc";
  const std::vector<std::uint32_t> of_one_class{0, 2, 4, 6};
  const Dataset data = labelled({.rows = 40});
  options.k = {1};
  EXPECT_EQ(fault_of({data, data.subset(of_one_class)}, options),
            "the metric roc-auc is not defined for the 4 test rows of run 1: they lack a class, or there are too few; "
            "try a larger --test-fraction or another --metric");
}

TEST(Compare, SizesAreSharesUnlessTheyAreGiven) {
  CompareOptions options = quick({"anova"});
  options.k.clear();
  const auto sizes = [&](std::size_t features) {
    return compare({labelled({.rows = 40, .features = features})}, options).options.k;
  };
  EXPECT_EQ(sizes(100), (std::vector{2, 5, 10}));
  EXPECT_EQ(sizes(16), (std::vector{1, 2}));
}

// A missing device is no fault of the methods, which would only be noted.
TEST(Compare, RefusesADeviceThatIsNotThere) {
  CompareOptions options = quick({"cfm", "anova"});
  options.select.device = "gpu";
  EXPECT_EQ(fault_of({puzzle()}, options), "device: expected cpu, cuda, cuda:N or auto; found 'gpu'");
  options.select.device = "cuda:65535";
  EXPECT_NE(fault_of({puzzle()}, options).find("CUDA"), std::string::npos);
  options = quick({"cfm", "anova"});
  options.select.recipes[0].train.precision = Precision::tf32;
  EXPECT_NE(fault_of({puzzle()}, options).find("tf32 is a precision of GPUs"), std::string::npos);
}

TEST(Compare, RefusesWhatCannotWork) {
  const Dataset data = labelled({.rows = 40, .features = 3});
  EXPECT_NE(fault_of({data}, {{.k = {4}}, {"anova"}}).find("at most 3, the features of the data; found 4"),
            std::string::npos);
  EXPECT_NE(fault_of({data}, {{}, {"svm"}}).find("stg+complement"), std::string::npos);
  EXPECT_NE(fault_of({data}, {{}, {"rf", "rf"}}).find("each once"), std::string::npos);
  EXPECT_NE(fault_of({data}, {{}, {"rf"}, "auto", 0}).find("from 1 to 1000"), std::string::npos);
  EXPECT_NE(fault_of({data}, {{.k = {1}, .rho = {0.5}}, {"rf"}}).find("not both"), std::string::npos);
  EXPECT_NE(fault_of({data, data}, {{.test_fraction = 0.5}, {"rf"}}).find("one place"), std::string::npos);
  EXPECT_NE(fault_of({data}, {{.k = {1}, .neighbours = 33}, {"rf"}}).find("at most 32"), std::string::npos);
  EXPECT_NE(fault_of({labelled({.rows = 40, .classes = 1})}, {{.k = {1}}, {"rf", "cfm"}}).find("two classes"),
            std::string::npos);
}

TEST(Compare, StopsWhenItIsAskedTo) {
  try {
    compare({puzzle()}, quick({"cfm"}), [](const Progress&) { return false; });
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::stopped);
  }
}

TEST(Compare, ProgressGrowsWithinARun) {
  std::string stage;
  double last = 0;
  compare({puzzle()}, quick({"cfm", "rf"}), [&](const Progress& now) {
    if (now.stage != stage) last = 0;
    stage = now.stage;
    EXPECT_GE(now.done, last - 1e-9);
    EXPECT_LE(now.done, 1);
    last = now.done;
    return true;
  });
  EXPECT_EQ(stage, "comparing, run 2 of 2");
}

// ---- The recommendation, from numbers that were made up ----

ComparedMethod made(const std::string& name, std::vector<double> runs, double seconds) {
  ComparedMethod method{.name = name, .run_means = runs, .seconds = seconds, .rank = 1};
  for (const double run : runs) method.mean += run / static_cast<double>(runs.size());
  return method;
}

Comparison advised(std::vector<ComparedMethod> methods, std::vector<double> all, bool test_given = false,
                   const std::string& metric = "accuracy") {
  Comparison comparison;
  comparison.metric = metric;
  comparison.methods = std::move(methods);
  for (const ComparedMethod& method : comparison.methods) {
    for (std::size_t run = 0; run < method.run_means.size(); ++run) {
      comparison.results.rows.push_back({.method = method.name,
                                         .run = static_cast<int>(run),
                                         .k = 5,
                                         .classifier = "rf",
                                         .value = method.run_means[run]});
    }
  }
  comparison.all_features = made("all-features", std::move(all), 0);
  comparison.features = 100;
  comparison.options.k = {5};
  comparison.test_given = test_given;
  recommend(comparison);
  return comparison;
}

bool says(const Comparison& comparison, const std::string& words) {
  return comparison.recommendation.find(words) != std::string::npos;
}

TEST(Recommend, TheFastestOfThoseThatAreNotSurelyWorse) {
  const Comparison c = advised({made("cfm", {0.905, 0.900, 0.910}, 20), made("rf", {0.900, 0.903, 0.906}, 0.5),
                                made("dfs", {0.90, 0.90, 0.90}, 9)},
                               {0.91, 0.90, 0.90});
  EXPECT_EQ(c.recommended, "rf");
  EXPECT_TRUE(says(c, "within 0.2 points of the best (cfm, 90.5%), a difference that a paired test"))
      << c.recommendation;
  EXPECT_TRUE(says(c, "40 times faster (0.5 s versus 20 s)")) << c.recommendation;
  EXPECT_TRUE(says(c, "Not clearly worse: dfs.")) << c.recommendation;
  EXPECT_TRUE(says(c, "which is no clear difference")) << c.recommendation;
  EXPECT_TRUE(says(c, "With 3 runs, only large differences can be confirmed")) << c.recommendation;
  EXPECT_TRUE(says(c, "not independent")) << c.recommendation;
}

TEST(Recommend, NotAMethodThatATestCallsWorseHoweverSmallTheDifference) {
  // 0.5, 0.49, 0.51 points in three runs: t = 87 with 2 degrees of freedom, p far below 5 %.
  const Comparison c =
      advised({made("cfm", {0.9050, 0.9149, 0.8851}, 20), made("rf", {0.9000, 0.9100, 0.8800}, 0.5)}, {0.9, 0.9, 0.9});
  EXPECT_EQ(c.recommended, "cfm");
  EXPECT_TRUE(says(c, "Use cfm: it has the best mean accuracy over 3 runs, 90.2%")) << c.recommendation;
  EXPECT_TRUE(says(c,
                   "0.5 points ahead of rf (89.7%); a paired test over the runs confirms this lead (one-sided p < "
                   "0.001)"))
      << c.recommendation;
}

TEST(Recommend, NotAMethodThatIsAPointWorseHoweverUnsureTheTest) {
  const Comparison c = advised({made("cfm", {0.95, 0.85}, 20), made("rf", {0.85, 0.90}, 0.5)}, {0.9, 0.9});
  EXPECT_EQ(c.recommended, "cfm");
}

TEST(Recommend, TheBestMeanWhereTheTimesAreWithinASecond) {
  const Comparison c =
      advised({made("cfm", {0.905, 0.900, 0.910}, 1.2), made("rf", {0.900, 0.903, 0.906}, 0.3)}, {0.9, 0.9, 0.9});
  EXPECT_EQ(c.recommended, "cfm");
  EXPECT_TRUE(says(c, "0.2 points ahead of rf (90.3%); a paired test over the runs does not confirm this lead"))
      << c.recommendation;
}

TEST(Recommend, NeverAYardstick) {
  const Comparison c = advised({made("variance", {0.95, 0.96}, 0.001), made("rf", {0.9, 0.91}, 3)}, {0.9, 0.9});
  EXPECT_EQ(c.recommended, "rf");
  EXPECT_EQ(advised({made("variance", {0.9}, 1), made("random", {0.6}, 1)}, {0.5}).recommended, "");
}

TEST(Recommend, SaysWhenSelectingCostsOrGains) {
  EXPECT_TRUE(says(advised({made("rf", {0.80, 0.81}, 1)}, {0.90, 0.912}), "selecting costs 10.1 points"));
  EXPECT_TRUE(says(advised({made("rf", {0.90, 0.912}, 1)}, {0.80, 0.81}), "selecting gains 10.1 points"));
}

TEST(Recommend, NeverRandomFeaturesButSaysWhenTheyAreAsGood) {
  const Comparison tied = advised({made("rf", {0.505, 0.500}, 1), made("random", {0.500, 0.504}, 0.001)}, {0.5, 0.5});
  EXPECT_EQ(tied.recommended, "rf");
  EXPECT_TRUE(says(tied, "rf is not clearly better")) << tied.recommendation;
  const Comparison lost = advised({made("random", {0.6, 0.61}, 0.001), made("rf", {0.5, 0.5}, 1)}, {0.5, 0.5});
  EXPECT_EQ(lost.recommended, "rf");
  EXPECT_TRUE(says(lost, "no worse than any method")) << lost.recommendation;
  const Comparison alone = advised({made("random", {0.6}, 0.001)}, {0.5});
  EXPECT_EQ(alone.recommended, "");
  EXPECT_TRUE(says(alone, "nothing to recommend"));
  const Comparison clear =
      advised({made("rf", {0.90, 0.91, 0.92}, 1), made("random", {0.5, 0.52, 0.51}, 0.001)}, {0.5, 0.5, 0.5});
  EXPECT_FALSE(says(clear, "random")) << clear.recommendation;
}

TEST(Recommend, OfLossesTheLowest) {
  // 0.300, 0.302 and 0.40 on the mean: rf is within 1 % of the loss of the best.
  const Comparison c = advised({made("cfm", {0.30, 0.29, 0.31}, 20), made("rf", {0.302, 0.303, 0.301}, 0.5),
                                made("dfs", {0.40, 0.41, 0.39}, 0.1), made("random", {0.7, 0.69, 0.71}, 0.001)},
                               {0.35, 0.36, 0.34}, false, "log_loss");
  EXPECT_EQ(c.recommended, "rf");
  EXPECT_TRUE(says(c, "Use rf: its mean log loss over 3 runs, 0.302, is within 0.002 of the best (cfm, 0.300)"))
      << c.recommendation;
  EXPECT_TRUE(says(c, "it reaches 0.302; all features reach 0.350, so selecting gains 0.048")) << c.recommendation;
  const Comparison best = advised({made("cfm", {0.30, 0.29, 0.31}, 20), made("rf", {0.42, 0.40, 0.41}, 0.5)},
                                  {0.25, 0.24, 0.26}, false, "log_loss");
  EXPECT_TRUE(says(best, "Use cfm: it has the lowest mean log loss over 3 runs, 0.300, 0.110 ahead of rf (0.410)"))
      << best.recommendation;
  EXPECT_TRUE(says(best, "so selecting costs 0.050")) << best.recommendation;
}

TEST(Recommend, OfEqualMeansTheFaster) {
  const Comparison c = advised({made("cfm", {0.9, 0.8}, 20), made("rf", {0.9, 0.8}, 1)}, {0.9, 0.9});
  EXPECT_EQ(c.recommended, "rf");
  EXPECT_TRUE(says(c, "85.0%, is also that of cfm, and it selects 20 times faster")) << c.recommendation;
}

TEST(Recommend, SaysThatOneRunCannotTell) {
  const Comparison c = advised({made("cfm", {0.905}, 20), made("rf", {0.9}, 1)}, {0.9});
  EXPECT_EQ(c.recommended, "rf");
  EXPECT_TRUE(says(c, "One run cannot show")) << c.recommendation;
  EXPECT_FALSE(says(c, "paired test")) << c.recommendation;
}

TEST(Recommend, SaysThatTestRowsOfTheirOwnAreAlwaysTheSame) {
  EXPECT_TRUE(says(advised({made("rf", {0.9, 0.91}, 1)}, {0.9, 0.9}, true), "use the same test rows"));
  EXPECT_TRUE(says(advised({made("rf", {0.9, 0.91}, 1)}, {0.9, 0.9}, true), "no other was compared"));
}

TEST(Recommend, RunsThatDifferByTheSameSayNothingOfChance) {
  EXPECT_TRUE(std::isnan(p_better(std::vector{0.9}, std::vector{0.8}, 0)));
  EXPECT_TRUE(std::isnan(p_better(std::vector{0.9, 0.8}, std::vector{0.8, 0.7}, 0)));
  // Differences 1, 2 and 3 points: t = 2 / (1 / sqrt 3) = 3.464; one-sided p with 2 degrees of freedom is 0.0371.
  EXPECT_NEAR(p_better(std::vector{0.91, 0.92, 0.93}, std::vector{0.9, 0.9, 0.9}, 0), 0.0371, 1e-4);
  EXPECT_NEAR(p_better(std::vector{0.9, 0.9, 0.9}, std::vector{0.91, 0.92, 0.93}, 0), 1 - 0.0371, 1e-4);
}

TEST(Recommend, RunsThatShareRowsAreLessSure) {
  // A quarter of a test row for each training row: t = 2 / sqrt(1/3 + 1/4) = 2.619, one-sided p = (1 - t / sqrt(2 +
  // t^2)) / 2.
  EXPECT_NEAR(p_better(std::vector{0.91, 0.92, 0.93}, std::vector{0.9, 0.9, 0.9}, 0.25), 0.06006, 1e-4);
  Comparison comparison;
  comparison.training_rows = 80;
  comparison.test_rows = 20;
  EXPECT_EQ(overlap_of(comparison), 0.25);
  comparison.test_given = true;
  EXPECT_EQ(overlap_of(comparison), 0);
}

}  // namespace
}  // namespace obverse
