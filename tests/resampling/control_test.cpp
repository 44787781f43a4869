#include "resampling/control.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include <obverse/error.h>
#include <obverse/generate.h>

#include "support/random.h"

namespace obverse {
namespace {

/// `rows` x `features` normal numbers; the class is the sign of the sum of the first `true_features` and some noise, or
/// chance without any.
Dataset of_classes(std::size_t rows, std::size_t features, std::size_t true_features, std::uint64_t seed) {
  DatasetParts parts;
  RandomStream random(seed, Purpose::generation);
  auto values = std::make_shared<float[]>(rows * features);
  std::vector<std::string> names;
  for (std::size_t f = 0; f < features; ++f) names.push_back("f" + std::to_string(f));
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = 0.3 * random.normal();
    for (std::size_t f = 0; f < features; ++f) {
      values[r * features + f] = static_cast<float>(random.normal());
      if (f < true_features) sum += static_cast<double>(values[r * features + f]);
    }
    parts.labels.push_back(sum > 0 ? 1 : 0);
  }
  parts.storage = DenseMatrix<float>{values, rows, features};
  parts.feature_names = FeatureNames(names);
  parts.class_names = {"a", "b"};
  parts.target_name = "y";
  return Dataset(parts);
}

SelectOptions controlled(const std::string& method = "anova", const std::string& control = "pfer=1") {
  SelectOptions options = options_for(Effort::quick);
  options.resample = Resample::on;
  options.method = method;
  options.control = control;
  options.recipes.front().train.epochs = 10;
  options.recipes.front().train.precision = Precision::f32;
  return options;
}

std::set<std::size_t> answer_of(const Selection& selection) {
  const auto top = selection.ranking.top(selection.k);
  return {top.begin(), top.end()};
}

std::string refusal(const std::function<void()>& action, Fault fault) {
  try {
    action();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), fault) << error.what();
    return error.what();
  }
  return "accepted";
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

/// 100 halves that all select the given columns.
HalfSelections alike(std::vector<std::size_t> columns, std::size_t features) {
  return {.columns = std::vector<std::vector<std::size_t>>(100, std::move(columns)), .features = features};
}

TEST(ControlPlan, SelectsAsManyAsTheBoundAllows) {
  std::size_t before = 0;
  for (const double pfer : {0.1, 0.5, 1.0, 3.0}) {
    const ControlPlan plan = control_plan(pfer, 100);
    EXPECT_LE(plan.bound, pfer);
    EXPECT_GT(plan.bound, 0);
    EXPECT_GT(plan.selected, before) << pfer;
    before = plan.selected;
  }
  EXPECT_GT(control_plan(1, 1000).selected, control_plan(1, 100).selected);
}

TEST(ControlPlan, RefusesWhatCannotBePromised) {
  EXPECT_TRUE(holds(refusal([] { control_plan(1e-9, 10); }, Fault::usage), "give a larger pfer"));
  EXPECT_TRUE(holds(refusal([] { control_plan(10, 10); }, Fault::usage), "below the number of features that vary, 10"));
}

TEST(AcceptedFeatures, AreThoseThatMostHalvesSelect) {
  HalfSelections halves = alike({0, 1, 2}, 50);
  for (std::size_t h = 0; h < 26; ++h) halves.columns[h][1] = 3 + h;       // 74 halves are left
  for (std::size_t h = 0; h < 25; ++h) halves.columns[h + 50][2] = 3 + h;  // 75 halves
  std::vector<std::uint32_t> alone(50);
  std::iota(alone.begin(), alone.end(), 0U);
  const Accepted found = accepted_features(halves, alone, std::vector<bool>(50, true), 1);
  EXPECT_EQ(found.features, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(found.control.frequency[1], 0.74);
  EXPECT_EQ(found.control.threshold, 0.75);
  EXPECT_EQ(found.control.halves, 100U);
  EXPECT_EQ(found.control.clusters, 50U);
  EXPECT_EQ(found.control.copies_accepted, 0U);
}

TEST(AcceptedFeatures, CountInterchangeableOnesAsOne) {
  HalfSelections halves = alike({0}, 50);
  for (std::size_t h = 0; h < 100; ++h) halves.columns[h][0] = h < 40 ? 7 : h < 70 ? 8 : 9;
  std::vector<std::uint32_t> cluster(50);
  std::iota(cluster.begin(), cluster.end(), 0U);
  EXPECT_TRUE(accepted_features(halves, cluster, std::vector<bool>(50, true), 1).features.empty());
  for (std::size_t f = 0; f < 50; ++f) cluster[f] = static_cast<std::uint32_t>(f < 8 ? f : f < 10 ? 7 : f - 2);
  const Accepted found = accepted_features(halves, cluster, std::vector<bool>(50, true), 1);
  EXPECT_EQ(found.features, std::vector<std::size_t>{7}) << "the one that most halves select";
  EXPECT_EQ(found.control.frequency[9], 1);
  EXPECT_EQ(found.control.clusters, 48U);
}

TEST(AcceptedFeatures, CountThePermutedCopies) {
  std::vector<std::uint32_t> alone(50);
  std::iota(alone.begin(), alone.end(), 0U);
  const Accepted found = accepted_features(alike({50, 53, 4}, 50), alone, std::vector<bool>(50, true), 1);
  EXPECT_EQ(found.features, std::vector<std::size_t>{4});
  EXPECT_EQ(found.control.copies_accepted, 2U);
}

TEST(ErrorControl, AcceptsPlantedFeaturesAndLittleElse) {
  for (const char* method : {"anova", "cfm"}) {
    const Dataset data = of_classes(400, 30, 3, 5);
    const Selection found = Selector(controlled(method)).fit(data);
    const std::set<std::size_t> answer = answer_of(found);
    EXPECT_GE(answer.count(0) + answer.count(1) + answer.count(2), 2U) << method;
    EXPECT_LE(found.k, 4U) << method;
    ASSERT_TRUE(found.evidence && found.evidence->control);
    EXPECT_LE(found.evidence->control->copies_accepted, 1U) << method;
    EXPECT_LE(found.evidence->control->bound, 1);
    EXPECT_EQ(found.ranking.order.size(), 30U);
    EXPECT_EQ(found.ranking.names.size(), 30U) << "copies stay inside";
    const auto& points = found.evidence->curve.points;
    EXPECT_TRUE(std::any_of(points.begin(), points.end(), [&](const CurvePoint& point) { return point.k == found.k; }));
  }
}

TEST(ErrorControl, AcceptsLittleOfNoise) {
  std::size_t accepted = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Selection found = Selector(controlled()).fit(of_classes(150, 40, 0, 20 + seed));
    accepted += found.k;
    if (found.k > 0) continue;
    EXPECT_EQ(found.evidence->verdict.score, found.evidence->verdict.base_rate);
    EXPECT_EQ(found.options.k, 0);
  }
  EXPECT_LE(accepted, 18U) << "12 are allowed on the mean, whose deviation is about 3";
}

TEST(ErrorControl, IsTheSameForEveryNumberOfThreads) {
  const Dataset data = of_classes(200, 12, 2, 9);
  SelectOptions options = controlled("cfm");
  options.threads = 1;
  const Selection one = Selector(options).fit(data);
  options.threads = 3;
  const Selection three = Selector(options).fit(data);
  EXPECT_EQ(one.ranking.order, three.ranking.order);
  EXPECT_EQ(one.k, three.k);
  EXPECT_EQ(one.evidence->control->frequency, three.evidence->control->frequency);
}

TEST(ErrorControl, RefusesWhatItCannotWorkWith) {
  const Dataset data = of_classes(60, 10, 1, 2);
  const auto refused = [&](const std::function<void(SelectOptions&)>& change, Fault fault = Fault::usage) {
    SelectOptions options = controlled();
    change(options);
    return refusal([&] { Selector(options).fit(data); }, fault);
  };
  for (const char* bad : {"pfer=0", "pfer=-1", "pfer=abc", "pfer=", "pfer", "fdr=0.1"}) {
    EXPECT_TRUE(holds(refused([&](SelectOptions& o) { o.control = bad; }), "pfer=X")) << bad;
  }
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.k = 3; }), "leave out k and rho"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.rho = 0.5; }), "leave out k and rho"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.resample = Resample::off; }), "expected resample on"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.method = "random"; }), "method random does not look at"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.method = "variance"; }), "method variance does not look at"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) {
                      o.method = "cfm";
                      o.task = Task::reconstruction;
                    }),
                    "task reconstruction has none"));
  EXPECT_TRUE(holds(refused([](SelectOptions& o) { o.control = "pfer=10"; }), "below the number of features"));
}

TEST(ErrorControl, RefusesRowsThatAreTooFewForHalves) {
  const Dataset all = of_classes(60, 10, 1, 2);
  for (const std::size_t each : {2U, 3U}) {
    std::vector<std::uint32_t> rows;
    std::array<std::size_t, 2> taken{};
    for (std::uint32_t r = 0; r < all.rows(); ++r) {
      if (taken[static_cast<std::size_t>(all.label(r))]++ < each) rows.push_back(r);
    }
    const std::string message = refusal([&] { Selector(controlled()).fit(all.subset(rows)); }, Fault::input);
    EXPECT_TRUE(holds(message, "the rows are too few")) << message;
    EXPECT_TRUE(holds(message, "leave --control out")) << message;
  }
}

}  // namespace
}  // namespace obverse
