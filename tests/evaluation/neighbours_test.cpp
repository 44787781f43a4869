#include "evaluation/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <obverse/generate.h>
#include <obverse/selector.h>

#include "support/random.h"

namespace obverse {
namespace {

Points random_points(std::size_t rows, std::size_t features, std::size_t classes, std::uint64_t index) {
  RandomStream stream(8, Purpose::generation, index);
  Points points{features, {}, {}};
  for (std::size_t i = 0; i < rows * features; ++i) {
    points.values.push_back(static_cast<float>(stream.below(5)));  // whole numbers: many equal distances, all exact
  }
  for (std::size_t r = 0; r < rows; ++r) {
    points.labels.push_back(static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(classes))));
  }
  return points;
}

// Sorts all rows by (distance, row), votes among the first five.
double plain_accuracy(const Points& train, const Points& test, std::size_t classes, std::size_t neighbours) {
  std::size_t hits = 0;
  for (std::size_t t = 0; t < test.rows(); ++t) {
    std::vector<std::pair<float, std::size_t>> order;
    for (std::size_t r = 0; r < train.rows(); ++r) {
      float distance = 0;
      for (std::size_t d = 0; d < train.features; ++d) {
        const float x = train.values[r * train.features + d] - test.values[t * train.features + d];
        distance += x * x;
      }
      order.emplace_back(distance, r);
    }
    std::sort(order.begin(), order.end());
    order.resize(std::min(order.size(), neighbours));
    std::vector<int> votes(classes, 0);
    for (const auto& [distance, row] : order) ++votes[static_cast<std::size_t>(train.labels[row])];
    const int most = *std::max_element(votes.begin(), votes.end());
    for (const auto& [distance, row] : order) {
      if (votes[static_cast<std::size_t>(train.labels[row])] != most) continue;
      hits += train.labels[row] == test.labels[t] ? 1 : 0;
      break;
    }
  }
  return static_cast<double>(hits) / static_cast<double>(test.rows());
}

TEST(Neighbours, AgreeWithSortingAllRows) {
  Team team(2);
  for (const std::size_t rows : {3, 200, 1500}) {
    const Points train = random_points(rows, 3, 4, rows);
    const Points test = random_points(150, 3, 4, rows + 1);
    EXPECT_DOUBLE_EQ(neighbour_accuracy(train, test, 4, 5, team), plain_accuracy(train, test, 4, 5));
  }
}

TEST(Neighbours, LeaveTheRowItselfOut) {
  Team team(2);
  // A set of pairs of equal rows with unlike labels: with itself left out a row finds its twin first.
  Points twins{1, {}, {}};
  for (int pair = 0; pair < 20; ++pair) {
    for (int label = 0; label < 2; ++label) {
      twins.values.push_back(100.0F * static_cast<float>(pair));
      twins.labels.push_back(label);
    }
  }
  EXPECT_DOUBLE_EQ(leave_one_out_accuracy(twins, 2, 1, team), 0.0);
}

TEST(Neighbours, TellTrueFeaturesFromProbes) {
  const GeneratedData made = madelon_like({.rows = 1200});
  const auto [train, test] = split(made.data, {.test_fraction = 0.25});
  std::vector<std::size_t> probes;
  for (std::size_t d = 0; probes.size() < made.true_features.size(); ++d) {
    if (!std::binary_search(made.true_features.begin(), made.true_features.end(), d)) probes.push_back(d);
  }
  EXPECT_GT(neighbour_accuracy(train, test, made.true_features), 0.75);
  EXPECT_LT(neighbour_accuracy(train, test, probes), 0.6);
}

}  // namespace
}  // namespace obverse
