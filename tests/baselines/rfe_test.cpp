// Recursive feature elimination against the same steps written down plainly, with the linear models of the engine.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include <obverse/ranking.h>

#include "baselines/storages.h"
#include "downstream/logistic.h"
#include "downstream/ridge.h"
#include "downstream/target.h"
#include "support/random.h"
#include "tasks/tasks_data.h"

namespace obverse {
namespace {

using test::dense;
using test::Numbers;
using test::numbers_of;
using test::sparse;
using Order = std::vector<std::size_t>;

Order order_of(const Dataset& data, const BaselineOptions& options = {.k = 4}, std::size_t threads = 2) {
  Team team(threads);
  return descending_order(rfe_scores(data, options, team));
}

/// (rows) with a mean of one.
std::vector<double> weights_of(const Dataset& data) {
  std::vector<double> weights;
  double sum = 0;
  for (std::size_t r = 0; r < data.rows(); ++r) sum += static_cast<double>(data.weight(r));
  for (std::size_t r = 0; r < data.rows(); ++r) {
    weights.push_back(static_cast<double>(data.weight(r)) * static_cast<double>(data.rows()) / sum);
  }
  return weights;
}

/// Standardised columns, by the weights of the rows; constant ones are zero.
Affine scaling_of(const Dataset& data) {
  const std::vector<double> weights = weights_of(data);
  Affine map{std::vector<float>(data.columns()), std::vector<float>(data.columns())};
  for (const std::size_t c : all_columns(data)) {
    double sum = 0;
    double squares = 0;
    for (std::size_t r = 0; r < data.rows(); ++r) {
      float x = 0;
      data.copy_columns(r, std::span(&c, 1), &x);
      sum += weights[r] * static_cast<double>(x);
      squares += weights[r] * static_cast<double>(x) * static_cast<double>(x);
    }
    const double mean = sum / static_cast<double>(data.rows());
    const double spread = std::sqrt(std::max(0.0, squares / static_cast<double>(data.rows()) - mean * mean));
    if (spread < 1e-6) continue;
    map.scale[c] = static_cast<float>(1 / spread);
    map.offset[c] = static_cast<float>(-mean / spread);
  }
  return map;
}

/// (features) the sum of the squared weights of each in the model of all of them.
std::vector<double> importances(const Dataset& data, const Order& features) {
  Team team(1);
  const std::vector<double> weights = weights_of(data);
  const LinearRows rows(data, features, scaling_of(data), weights, team);
  std::vector<double> importance(features.size());
  const auto add = [&](const std::vector<double>& parameters) {
    const std::size_t outputs = parameters.size() / (features.size() + 1);
    for (std::size_t i = 0; i < features.size() * outputs; ++i) {
      importance[i / outputs] += parameters[i] * parameters[i];
    }
  };
  for (const Target& target : targets_of(data)) {
    if (!target.is_class()) {
      add(fit_ridge(rows, target.values, weights, team));
    } else {
      add(fit_logistic(rows, target.labels, target.classes, weights, team).parameters);
    }
  }
  return importance;
}

/// The given features, the one with the least weights last.
Order by_weight(const Dataset& data, const Order& features) {
  Order order;
  for (const std::size_t i : descending_order(importances(data, features))) order.push_back(features[i]);
  return order;
}

/// Half of the features go with each model, a quarter from 4k on, an eighth from 2k on; one at least, and never so many
/// that less than k of more than k stay.
Order eliminated(const Dataset& data, Order left, std::size_t k) {
  Order order = constant_features(data);
  while (!left.empty()) {
    const Order all = by_weight(data, left);
    const std::size_t share = left.size() > 4 * k ? 2 : left.size() > 2 * k ? 4 : 8;
    std::size_t stay = left.size() - std::max<std::size_t>(1, left.size() / share);
    if (left.size() > k) stay = std::max(stay, k);
    order.insert(order.begin(), all.begin() + static_cast<std::ptrdiff_t>(stay), all.end());
    left.assign(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(stay));
    std::sort(left.begin(), left.end());
  }
  return order;
}

/// By how much the places of features differ, as a share of their number: 1/3 for two random orders.
double mean_shift(const Order& a, const Order& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum += std::abs(static_cast<double>(std::find(b.begin(), b.end(), a[i]) - b.begin()) - static_cast<double>(i));
  }
  return sum / static_cast<double>(a.size() * a.size());
}

/// Normal numbers of which some in a hundred are zero; the first `told` of them tell the class, or with `classes` of
/// three or more the largest of as many sums does.
Numbers linear_numbers(std::size_t rows, std::size_t features, std::size_t told, std::size_t classes = 2) {
  RandomStream stream(7, Purpose::generation);
  Numbers numbers;
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<double> sums(classes);
    for (std::size_t d = 0; d < features; ++d) {
      const double x = stream.uniform() < 0.3 ? 0 : stream.normal();
      numbers.values.push_back(static_cast<float>(x));
      if (d < told) sums[d % classes] += x;
    }
    numbers.labels.push_back(
        classes == 2 ? (sums[0] + sums[1] + 0.3 * stream.normal() > 0 ? 1 : 0)
                     : static_cast<std::int32_t>(std::max_element(sums.begin(), sums.end()) - sums.begin()));
  }
  return numbers;
}

/// Labels that the first three features tell little of.
Numbers noisy_numbers(std::size_t rows, std::size_t features) {
  Numbers numbers = linear_numbers(rows, features, 3);
  RandomStream stream(8, Purpose::generation);
  for (std::int32_t& label : numbers.labels)
    label = stream.uniform() < 0.5 ? static_cast<std::int32_t>(stream.below(2)) : label;
  return numbers;
}

/// The second feature and a little noise.
Dataset wide_quantities(std::size_t rows, std::size_t features) {
  DatasetParts parts = test::noise(rows, features, 5);
  for (std::size_t r = 0; r < rows; ++r) {
    parts.outputs.push_back(test::row_of(parts, r)[1] + test::row_of(parts, r)[2] / 10);
  }
  parts.output_names = {"length"};
  return Dataset(std::move(parts));
}

Order first_of(const Order& order, std::size_t count) {
  Order first(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  std::sort(first.begin(), first.end());
  return first;
}

Order counted(std::size_t count) {
  Order numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

// The models of quantities are exact but for sums in float32.
TEST(Rfe, DropsTheLeastWeightsOfQuantitiesInEveryStep) {
  const Dataset one = test::quantities(120);
  for (const std::size_t k : {1, 4, 20}) {
    EXPECT_EQ(order_of(one, {.k = k}), eliminated(one, all_features(one), k)) << k;
  }
  std::vector<float> weights(one.rows());
  for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = static_cast<float>(1 + r % 4);
  EXPECT_EQ(order_of(one.weighted(weights)), eliminated(one.weighted(weights), all_features(one), 4));
  EXPECT_NE(order_of(one.weighted(weights)), order_of(one));
  // Fewer rows than columns.
  const Dataset wide = wide_quantities(30, 90);
  EXPECT_EQ(order_of(wide), eliminated(wide, all_features(wide), 4));
}

// A few steps towards the models of logistic regression: what is left of the way decides between features that matter
// alike.
TEST(Rfe, DropsNearlyTheLeastWeightsOfClassesInEveryStep) {
  const auto shift = [](const Dataset& data) {
    return mean_shift(order_of(data), eliminated(data, varying_features(data), 4));
  };
  const Dataset two = dense<float>(noisy_numbers(200, 40));
  EXPECT_LT(shift(two), 0.01);
  std::vector<float> weights(two.rows());
  for (std::size_t r = 0; r < weights.size(); ++r) weights[r] = static_cast<float>(r % 3);
  EXPECT_LT(shift(two.weighted(weights).of_positive_weight()), 0.01);
  EXPECT_GT(mean_shift(order_of(two.weighted(weights)), order_of(two)), 0.05);
  EXPECT_LT(shift(dense<float>(linear_numbers(150, 30, 8, 4))), 0.1);
  EXPECT_LT(shift(dense<float>(numbers_of(test::Reference("baselines"), "small_bytes"))), 0.1);
  EXPECT_LT(shift(test::labels(200)), 0.05);
}

TEST(Rfe, GivesTheSameBitsForEveryStorageAndTeamOfWideData) {
  const Numbers numbers = linear_numbers(90, 1300, 5, 3);
  const Order order = order_of(dense<float>(numbers), {.k = 4}, 1);
  EXPECT_EQ(order_of(dense<float>(numbers), {.k = 4}, 3), order);
  EXPECT_EQ(order_of(sparse(numbers), {.k = 4}, 1), order);
  EXPECT_EQ(order_of(sparse(numbers), {.k = 4}, 4), order);
}

TEST(Rfe, FindsTheColumnsOfALinearRule) {
  EXPECT_EQ(first_of(order_of(dense<float>(linear_numbers(500, 200, 5))), 5), counted(5));
  EXPECT_EQ(first_of(order_of(dense<float>(linear_numbers(600, 200, 6, 3))), 6), counted(6));
  EXPECT_EQ(first_of(order_of(sparse(linear_numbers(1500, 1200, 5))), 5), counted(5));
  EXPECT_EQ(first_of(order_of(dense<float>(linear_numbers(120, 3000, 2))), 2), counted(2));
}

// More rows than any of its models looks at.
TEST(Rfe, SamplesTheRowsOfLargeData) {
  const Dataset data = dense<float>(linear_numbers(kEliminationRows + 2000, 40, 5));
  EXPECT_EQ(first_of(order_of(data), 5), counted(5));
  EXPECT_EQ(order_of(data, {.k = 4, .seed = 1}), order_of(data, {.k = 4, .seed = 1}, 1));
}

TEST(Rfe, FindsTheFeaturesOfQuantitiesAndLabels) {
  EXPECT_EQ(order_of(test::quantities()).front(), 3U);
  EXPECT_EQ(first_of(order_of(test::labels()), 3), (Order{1, 2, 9}));
}

// The unit of a quantity must not decide which of two the features are taken from.
TEST(Rfe, CountsQuantitiesAlikeWhateverTheirUnits) {
  const auto two = [](float unit) {
    DatasetParts parts = test::noise(300, 12);
    for (std::size_t r = 0; r < 300; ++r) {
      parts.outputs.push_back(test::row_of(parts, r)[4] + test::row_of(parts, r)[5] / 2);
      parts.outputs.push_back(unit * test::row_of(parts, r)[8]);
    }
    parts.output_names = {"length", "price"};
    return Dataset(std::move(parts));
  };
  EXPECT_EQ(first_of(order_of(two(1)), 3), (Order{4, 5, 8}));
  EXPECT_EQ(order_of(two(1024)), order_of(two(1)));
}

TEST(Rfe, NeverDropsWhatIsKept) {
  const std::vector<std::size_t> kept{17, 620};
  for (const std::size_t features : {40, 700}) {
    const Dataset data = dense<float>(linear_numbers(200, features, 2));
    const std::span<const std::size_t> some = std::span(kept).first(features == 40 ? 1 : 2);
    const Order order = order_of(data, {.k = 4, .kept = some});
    EXPECT_EQ(first_of(order, some.size()), Order(some.begin(), some.end()));
    EXPECT_TRUE(std::set<std::size_t>(order.begin(), order.begin() + 4).contains(0));
    EXPECT_TRUE(std::set<std::size_t>(order.begin(), order.begin() + 4).contains(1));
  }
}

TEST(Rfe, TakesAnyK) {
  const Dataset data = dense<float>(linear_numbers(150, 40, 5));
  for (const std::size_t k : {1, 5, 40}) {
    EXPECT_EQ(first_of(order_of(data, {.k = k}), 5), counted(5)) << k;
  }
  // All of many features are wanted, and kept.
  const Dataset wide = dense<float>(linear_numbers(60, 1300, 2));
  EXPECT_EQ(order_of(wide, {.k = 1300}).size(), 1300U);
  const Order all = counted(1300);
  EXPECT_EQ(first_of(order_of(wide, {.k = 1300, .kept = all}), 1300), all);
}

// Features 3 and 8 of the set are constant.
TEST(Rfe, ScoresAreRanksWithConstantFeaturesLast) {
  const Dataset data = dense<float>(numbers_of(test::Reference("baselines"), "mixed"));
  std::vector<double> scores = test::scores_of(rfe_scores, data);
  EXPECT_EQ(scores[3], 2.0 / 12);
  EXPECT_EQ(scores[8], 1.0 / 12);
  std::sort(scores.begin(), scores.end());
  for (std::size_t i = 0; i < 12; ++i) EXPECT_EQ(scores[i], static_cast<double>(i + 1) / 12);
}

TEST(Rfe, LeavesOutWhatVariesInRowsOfNoWeightAlone) {
  Numbers numbers = linear_numbers(60, 5, 2);
  std::vector<float> weights(60, 1.0F);
  weights[9] = 0;
  for (std::size_t r = 0; r < 60; ++r) numbers.values[r * 5 + 1] = r == 9 ? 2 : 1;
  EXPECT_EQ(order_of(dense<float>(numbers).weighted(weights)).back(), 1U);
}

TEST(Rfe, ReportsHowFarItIs) {
  const Dataset data = dense<float>(linear_numbers(60, 1100, 2));
  double last = 0;
  std::size_t reports = 0;
  const auto progress = [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LE(done, 1);
    last = done;
    return ++reports < 1000;
  };
  order_of(data, {.k = 4, .progress = progress});
  EXPECT_GT(reports, 5U);
  EXPECT_GT(last, 0.9);
  EXPECT_THROW(order_of(data, {.k = 4, .progress = [](double done) { return done < 0.5; }}), Error);
}

}  // namespace
}  // namespace obverse
