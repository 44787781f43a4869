#include <obverse/selector.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "selection/choice.h"
#include "support/random.h"

namespace obverse {
namespace {

SelectOptions quick(int k) {
  SelectOptions options = not_repeated();
  options.method = "cfm";
  options.k = k;
  options.gamma = {0, 1};
  options.recipes.front().train.epochs = 2;
  options.recipes.front().train.mask_hidden = 8;
  return options;
}

Dataset small_set() { return madelon_like({.rows = 200, .informative = 3, .combinations = 2, .probes = 15}).data; }

DatasetParts parts_of(std::size_t rows, std::size_t cols, std::vector<std::int32_t> labels) {
  auto values = std::make_shared<float[]>(rows * cols);
  for (std::size_t i = 0; i < rows * cols; ++i) values[i] = static_cast<float>(i * 7919 % 101);
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{values, rows, cols};
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  parts.labels = std::move(labels);
  parts.class_names = {"no", "yes"};
  parts.target_name = "churn";
  return parts;
}

std::string fault_of(const Dataset& data, const SelectOptions& options) {
  try {
    Selector(options).fit(data);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(Selector, RanksEveryFeatureOnceAndSaysWhichModelAnswers) {
  const Dataset data = small_set();
  const Selection selection = Selector(quick(4)).fit(data);
  EXPECT_EQ(selection.k, 4U);
  EXPECT_EQ(selection.models.size(), 2U);
  for (const auto& model : selection.models) {
    EXPECT_EQ(model->initial_scores.size(), 20U);
    EXPECT_NE(model->initial_scores, model->scores);
  }
  EXPECT_EQ(std::set<std::size_t>(selection.ranking.order.begin(), selection.ranking.order.end()).size(), 20U);
  double sum = 0;
  for (const double score : selection.ranking.scores) sum += score;
  EXPECT_NEAR(sum, 1, 1e-9);
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_GE(selection.ranking.scores[selection.ranking.order[i - 1]],
              selection.ranking.scores[selection.ranking.order[i]]);
  }
  EXPECT_EQ(selection.training_rows + selection.validation_rows, 200U);
  EXPECT_NE(selection.reason.find("best of 2 models"), std::string::npos);
  EXPECT_GE(selection.merits[selection.chosen].merit, selection.merits[1 - selection.chosen].merit);
}

TEST(Selector, KeepsTheCurveAndTheMasksOfChosenEpochsForThoseWhoAsk) {
  const Dataset data = small_set();
  SelectOptions options = quick(4);
  options.recipes.front().train.epochs = 4;
  const Selection plain = Selector(options).fit(data);
  options.keep_curve = true;
  options.mask_epochs = {1, 4};
  const Selection kept = Selector(options).fit(data);
  EXPECT_EQ(kept.ranking.scores, plain.ranking.scores);
  EXPECT_EQ(kept.chosen, plain.chosen);
  for (const auto& model : kept.models) {
    EXPECT_EQ(model->curve.loss.size(), 4U);
    ASSERT_EQ(model->snapshots.size(), 2U);
    EXPECT_EQ(model->snapshots[1].scores, model->scores);
  }
  options.mask_epochs = {5};
  EXPECT_NE(fault_of(data, options).find("mask_epochs: expected epochs of a training of 4, found 5"),
            std::string::npos);
}

TEST(Selector, HoldsNoRowsOutForASingleModel) {
  SelectOptions options = quick(4);
  options.gamma = {1};
  const Selection selection = Selector(options).fit(small_set());
  EXPECT_EQ(selection.training_rows, 200U);
  EXPECT_EQ(selection.validation_rows, 0U);
}

TEST(Selector, AnswersForSeveralSizesAsForEachAlone) {
  const Dataset data = small_set();
  const std::vector<std::size_t> ks{2, 4, 9};
  const std::vector<Selection> each = Selector(quick(4)).fit_each(data, ks);
  ASSERT_EQ(each.size(), 3U);
  const Selection alone = Selector(quick(4)).fit(data);
  EXPECT_EQ(each[1].ranking.order, alone.ranking.order);
  EXPECT_EQ(each[1].merits[0].merit, alone.merits[0].merit);
  EXPECT_EQ(each[0].models, each[2].models) << "the same ones, not copies";
  EXPECT_EQ(each[2].k, 9U);
  EXPECT_THROW(Selector(quick(4)).fit_each(data, std::vector<std::size_t>{2, 21}), Error);
}

TEST(Selector, TakesRhoAsAShareAndATenthWithoutEither) {
  SelectOptions options = quick(0);
  options.rho = 0.25;
  EXPECT_EQ(Selector(options).fit(small_set()).k, 5U);
  options.rho = 0;
  EXPECT_EQ(Selector(options).fit(small_set()).k, 2U);
}

TEST(Selector, GivesTheSameRankingForAnyNumberOfThreads) {
  const Dataset data = small_set();
  SelectOptions one = quick(4);
  one.threads = 1;
  SelectOptions three = quick(4);
  three.threads = 3;
  const Selection a = Selector(one).fit(data);
  const Selection b = Selector(three).fit(data);
  EXPECT_EQ(a.ranking.order, b.ranking.order);
  EXPECT_EQ(a.ranking.scores, b.ranking.scores);
  EXPECT_EQ(a.chosen, b.chosen);
}

TEST(Selector, AsksForItsDeviceFirst) {
  SelectOptions options = quick(4);
  EXPECT_EQ(Selector(options).fit(small_set()).options.device, "cpu");
  options.device = "gpu";
  EXPECT_EQ(fault_of(small_set(), options), "device: expected cpu, cuda, cuda:N or auto; found 'gpu'");
  options.device = "cuda:65535";
  EXPECT_NE(fault_of(small_set(), options).find("CUDA"), std::string::npos);
  options.method = "anova";
  EXPECT_NE(fault_of(small_set(), options).find("CUDA"), std::string::npos);
  options = quick(4);
  options.recipes.front().train.precision = Precision::tf32;
  EXPECT_NE(fault_of(small_set(), options).find("tf32 is a precision of GPUs"), std::string::npos);
}

TEST(Selector, RanksConstantFeaturesLastAndSaysSo) {
  DatasetParts parts = parts_of(40, 5, std::vector<std::int32_t>(40));
  auto values = std::make_shared<float[]>(200);
  for (std::size_t i = 0; i < 200; ++i) values[i] = i % 5 == 2 ? 3.0F : static_cast<float>(i * 31 % 17);
  for (std::size_t r = 0; r < 40; ++r) parts.labels[r] = static_cast<std::int32_t>(r % 2);
  parts.storage = DenseMatrix<float>{values, 40, 5};
  const Selection selection = Selector(quick(2)).fit(Dataset(std::move(parts)));
  EXPECT_EQ(selection.ranking.order.back(), 2U);
  ASSERT_EQ(selection.notes.size(), 1U);
  EXPECT_NE(selection.notes[0].find("f2"), std::string::npos);
}

/// The small set with three more columns behind it, copies of its first one.
Dataset with_copies() {
  const Dataset data = small_set();
  const std::size_t width = data.features();
  auto values = std::make_shared<float[]>(data.rows() * (width + 3));
  DatasetParts parts;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    float* const row = values.get() + r * (width + 3);
    data.copy_columns(r, all_features(data), row);
    std::fill_n(row + width, 3, row[0]);
  }
  parts.storage = DenseMatrix<float>{values, data.rows(), width + 3};
  for (std::size_t f = 0; f < width + 3; ++f) parts.feature_names.push_back(cat("f", f));
  parts.labels = data.labels();
  parts.class_names = data.class_names();
  parts.target_name = data.target_name();
  return Dataset(std::move(parts));
}

TEST(Selector, SelectsOneOfSeveralEqualColumnsUnlessAskedToKeepThem) {
  const Dataset data = with_copies();
  for (const char* method : {"cfm", "anova"}) {
    SelectOptions options = quick(20);
    options.method = method;
    const Selection selection = Selector(options).fit(data);
    const std::vector<std::size_t> copies(selection.ranking.order.end() - 3, selection.ranking.order.end());
    EXPECT_EQ(std::set<std::size_t>(copies.begin(), copies.end()), (std::set<std::size_t>{20, 21, 22})) << method;
    EXPECT_GE(selection.ranking.scores[0], selection.ranking.scores[20]);
    ASSERT_EQ(selection.notes.size(), 1U);
    EXPECT_EQ(selection.notes[0],
              "3 features are equal to earlier ones and are ranked behind the others: f20 = f0, f21 = f0, f22 = f0");
    ASSERT_FALSE(selection.stand_ins.features.empty());
    const auto& found = selection.stand_ins.features;
    const auto first = std::find_if(found.begin(), found.end(), [](const auto& one) { return one.feature == 0; });
    ASSERT_NE(first, found.end());
    EXPECT_TRUE(first->nearest[0].equal && first->nearest[1].equal && first->nearest[2].equal);
    options.redundancy = Redundancy::keep;
    const Selection kept = Selector(options).fit(data);
    EXPECT_EQ(kept.notes[0], "3 features are equal to earlier ones: f20 = f0, f21 = f0, f22 = f0");
  }
  SelectOptions options = quick(4);
  options.method = "anova";
  options.redundancy = Redundancy::keep;
  const Ranking kept = Selector(options).fit(data).ranking;  // equal scores keep the order of the columns
  const auto first = std::find(kept.order.begin(), kept.order.end(), 0U);
  EXPECT_EQ(std::vector<std::size_t>(first, first + 4), (std::vector<std::size_t>{0, 20, 21, 22}));
}

TEST(Selector, LooksForStandInsOnlyWhereSomebodyIsShownThem) {
  EXPECT_TRUE(Selector(quick(20)).fit_each(with_copies(), {}).front().stand_ins.features.empty());
}

TEST(Selector, RefusesWhatCannotWorkAndSaysWhatToDo) {
  const Dataset data = small_set();
  EXPECT_NE(fault_of(data, quick(21)).find("only 20 features"), std::string::npos);
  EXPECT_NE(fault_of(data, quick(-1)).find("at least 1"), std::string::npos);
  SelectOptions both = quick(3);
  both.rho = 0.5;
  EXPECT_NE(fault_of(data, both).find("not both"), std::string::npos);
  SelectOptions method = quick(3);
  method.method = "lasso";
  EXPECT_NE(fault_of(data, method).find("cfm, fm, afs, dfs, cancelout"), std::string::npos);
  SelectOptions dropout = quick(3);
  dropout.recipes.front().train.dropout = 2;
  EXPECT_NE(fault_of(data, dropout).find("dropout: expected a number from 0 to 0.95; found '2'"), std::string::npos);
  SelectOptions share = quick(0);
  share.rho = 1.5;
  EXPECT_NE(fault_of(data, share).find("rho: expected a number above 0 and up to 1"), std::string::npos);
  SelectOptions empty = quick(3);
  empty.recipes.clear();
  EXPECT_NE(fault_of(data, empty).find("at least one recipe"), std::string::npos);
  const Dataset one_class(parts_of(10, 3, std::vector<std::int32_t>(10, 1)));
  EXPECT_NE(fault_of(one_class, quick(2)).find("at least two classes"), std::string::npos);
  std::vector<std::int32_t> lonely(10, 0);
  lonely[4] = 1;
  EXPECT_NE(fault_of(Dataset(parts_of(10, 3, lonely)), quick(2)).find("class 'yes'"), std::string::npos);
}

TEST(Selector, StopsWhenTheProgressSaysSo) {
  SelectOptions options = quick(3);
  options.recipes.front().train.epochs = 1000000;
  EXPECT_THROW(Selector(options).fit(small_set(), [](const Progress&) { return false; }), Error);
}

TEST(Selector, FindsTheTrueFeaturesOfAnEasySet) {
  const GeneratedData made = madelon_like({.rows = 1000, .informative = 3, .combinations = 3, .probes = 30, .seed = 4});
  SelectOptions options = not_repeated();
  options.k = 6;
  options.gamma = {0.1, 1};
  options.recipes.front().train.epochs = 120;
  const Selection selection = Selector(options).fit(made.data);
  std::size_t found = 0;
  for (const std::size_t f : selection.ranking.top(6)) {
    found += std::binary_search(made.true_features.begin(), made.true_features.end(), f) ? 1 : 0;
  }
  EXPECT_GE(found, 5U);
}

SelectOptions baseline(const std::string& method, int k) {
  SelectOptions options = not_repeated();
  options.method = method;
  options.k = k;
  return options;
}

TEST(SelectorByBaseline, RanksAllRowsWithoutTraining) {
  const Selection selection = Selector(baseline("anova", 4)).fit(small_set());
  EXPECT_EQ(selection.k, 4U);
  EXPECT_EQ(selection.training_rows, 200U);
  EXPECT_EQ(selection.validation_rows, 0U);
  EXPECT_EQ(selection.reason, "ranked by the ANOVA F statistic on all 200 rows");
  ASSERT_EQ(selection.models.size(), 1U);
  EXPECT_EQ(selection.models[0]->epochs, 0);
  ASSERT_EQ(selection.ranking.scores.size(), 20U);
  EXPECT_EQ(selection.ranking.order, descending_order(selection.ranking.scores));
  EXPECT_EQ(selection.agreement.stability, 1);
  EXPECT_EQ(selection.agreement.frequency[selection.ranking.order[3]], 1);
  EXPECT_EQ(selection.agreement.frequency[selection.ranking.order[4]], 0);
}

TEST(SelectorByBaseline, TakesEveryBaselineForAnyNumberOfThreads) {
  const Dataset data = small_set();
  for (const std::string_view method : method_names()) {
    if (trains_networks(method)) continue;
    SelectOptions options = baseline(std::string(method), 5);
    options.threads = 1;
    const Selection one = Selector(options).fit(data);
    options.threads = 3;
    EXPECT_EQ(Selector(options).fit(data).ranking.scores, one.ranking.scores) << method;
    EXPECT_TRUE(one.reason.starts_with("ranked by ")) << one.reason;
  }
}

TEST(SelectorByBaseline, AnswersForSeveralSizesAsForEachAlone) {
  const Dataset data = small_set();
  const std::vector<std::size_t> ks{2, 7};
  const std::vector<Selection> each = Selector(baseline("mrmr", 1)).fit_each(data, ks);
  ASSERT_EQ(each.size(), 2U);
  for (std::size_t i = 0; i < ks.size(); ++i) {
    const Selection alone = Selector(baseline("mrmr", static_cast<int>(ks[i]))).fit(data);
    const auto top = alone.ranking.top(ks[i]);
    EXPECT_TRUE(std::equal(top.begin(), top.end(), each[i].ranking.order.begin()));
    EXPECT_EQ(each[i].k, ks[i]);
    EXPECT_EQ(each[i].options.k, static_cast<int>(ks[i]));
  }
}

TEST(SelectorByBaseline, StopsWhenTheProgressSaysSo) {
  EXPECT_THROW(Selector(baseline("anova", 3)).fit(small_set(), [](const Progress&) { return false; }), Error);
}

std::shared_ptr<const Model> model_of(double gamma, std::vector<std::size_t> order) {
  return std::make_shared<const Model>(Model{.recipe = "a", .gamma = gamma, .order = std::move(order)});
}

TEST(Choice, PrefersTheTrueFeatures) {
  const GeneratedData made = madelon_like({.rows = 1000});
  const auto [train, held] = split(made.data, {.test_fraction = 0.2});
  std::vector<std::size_t> good = made.true_features;
  std::vector<std::size_t> bad;
  for (std::size_t d = 0; d < 500; ++d) {
    if (!std::binary_search(made.true_features.begin(), made.true_features.end(), d)) bad.push_back(d);
  }
  good.insert(good.end(), bad.begin(), bad.end());
  const Models candidates{model_of(0.1, bad), model_of(1, good), model_of(1, bad)};
  for (const Choice choice : {Choice::ert, Choice::knn, Choice::validation}) {
    const auto merits = judge(train, held, candidates, {.k = 10, .choice = choice, .threads = 2}, {});
    EXPECT_EQ(best(merits), 1U);
    EXPECT_EQ(merits[2].merit, merits[0].merit) << "the same features are worth the same, whatever the recipe";
  }
}

TEST(Choice, CountsRowsByTheirWeights) {
  // f0 tells the class of every second row, f1 that of the others.
  RandomStream stream(5, Purpose::generation);
  std::vector<float> values;
  std::vector<std::int32_t> labels;
  for (std::size_t r = 0; r < 200; ++r) {
    labels.push_back(static_cast<std::int32_t>(r / 2 % 2));
    const float sign = labels.back() == 1 ? 1.0F : -1.0F;
    for (const std::size_t f : {0U, 1U}) {
      values.push_back(static_cast<float>(stream.normal() / 4) + (r % 2 == f ? 3 * sign : 0.0F));
    }
  }
  DatasetParts parts;
  auto memory = std::make_shared<float[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  parts.storage = DenseMatrix<float>{memory, 200, 2};
  parts.feature_names = std::vector<std::string>{"f0", "f1"};
  parts.labels = labels;
  parts.class_names = {"a", "b"};
  const Dataset data(std::move(parts));
  const Models candidates{model_of(1, {0, 1}), model_of(1, {1, 0})};
  for (const std::size_t heard : {0U, 1U}) {
    std::vector<float> weights(200);
    for (std::size_t r = 0; r < 200; ++r) weights[r] = r % 2 == heard ? 5.0F : 1.0F;
    const auto [train, held] = split(data.weighted(weights), {.test_fraction = 0.2});
    for (const Choice choice : {Choice::ert, Choice::knn, Choice::validation}) {
      const auto merits = judge(train, held, candidates, {.k = 1, .choice = choice, .threads = 1}, {});
      EXPECT_EQ(best(merits), heard) << static_cast<int>(choice);
    }
  }
}

TEST(Choice, ByValidationWeighsTheAccuraciesOfNeighbouringSizes) {
  const auto parts = split(madelon_like({.rows = 500}).data, {.test_fraction = 0.2});
  const Dataset& train = parts.first;
  const Dataset& held = parts.second;
  std::vector<std::size_t> order(500);
  std::iota(order.begin(), order.end(), 0U);
  const Models one{model_of(1, order)};
  const auto accuracy = [&](std::size_t k) { return judge(train, held, one, {.k = k}, {})[0].accuracy; };
  const Merit merit = judge(train, held, one, {.k = 12, .choice = Choice::validation}, {})[0];
  EXPECT_EQ(merit.accuracy, accuracy(12));
  EXPECT_NEAR(merit.merit, 0.5 * accuracy(12) + 0.25 * accuracy(8) + 0.25 * accuracy(18), 1e-12);
}

}  // namespace
}  // namespace obverse
