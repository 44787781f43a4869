// One result for each family that its authors are known for, on data small enough for a test.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include <obverse/generate.h>
#include <obverse/selector.h>

#include "tasks/tasks_data.h"

namespace obverse {
namespace {

std::set<std::size_t> selected(const Dataset& data, SelectOptions options) {
  options.gamma = {0.1, 1, 10};
  const Selection selection = Selector(options).fit(data);
  const auto top = selection.ranking.top(selection.k);
  return {top.begin(), top.end()};
}

SelectOptions by(const std::string& method, std::size_t k) {
  SelectOptions options = not_repeated();
  options.method = method;
  options.k = static_cast<int>(k);
  return options;
}

/// y = sum of 5, 4, 3, 2 and 1.5 times the first five of thirty features, and noise.
Dataset linear() {
  DatasetParts parts = test::noise(800, 30, 3);
  RandomStream stream(4, Purpose::generation);
  for (std::size_t r = 0; r < 800; ++r) {
    const auto x = test::row_of(parts, r);
    parts.outputs.push_back(5 * x[0] + 4 * x[1] + 3 * x[2] + 2 * x[3] + 1.5F * x[4] +
                            0.5F * static_cast<float>(stream.normal()));
  }
  parts.output_names = {"y"};
  parts.target_name = parts.output_names.front();
  return Dataset(parts);
}

/// Four numbers, of each six noisy copies, and six columns of noise.
Dataset groups() {
  const DatasetParts made = test::noise(800, 34, 5);
  auto values = std::make_shared<float[]>(800 * 30);
  for (std::size_t r = 0; r < 800; ++r) {
    const auto x = test::row_of(made, r);
    for (std::size_t d = 0; d < 30; ++d) values[r * 30 + d] = d < 24 ? x[30 + d / 6] + 0.4F * x[d] : x[d];
  }
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{values, 800, 30};
  for (std::size_t d = 0; d < 30; ++d) parts.feature_names.push_back(made.feature_names[d]);
  return Dataset(parts);
}

/// Orthogonal matching pursuit: one feature after another, the one that is most like what the others leave of y.
std::set<std::size_t> matching_pursuit(const Dataset& data, std::size_t k) {
  const std::size_t rows = data.rows();
  std::vector<std::vector<double>> columns(data.features(), std::vector<double>(rows));
  std::vector<double> rest(rows);
  std::vector<float> row(data.features());
  for (std::size_t r = 0; r < rows; ++r) {
    data.copy_columns(r, all_features(data), row.data());
    for (std::size_t d = 0; d < row.size(); ++d) columns[d][r] = static_cast<double>(row[d]);
    rest[r] = static_cast<double>(data.outputs(r)[0]);
  }
  const auto dot = [&](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t r = 0; r < rows; ++r) sum += a[r] * b[r];
    return sum;
  };
  const auto remove = [&](const std::vector<double>& direction, std::vector<double>& from) {
    const double share = dot(direction, from) / dot(direction, direction);
    for (std::size_t r = 0; r < rows; ++r) from[r] -= share * direction[r];
  };
  std::set<std::size_t> chosen;
  while (chosen.size() < k) {
    std::size_t best = 0;
    double most = -1;
    for (std::size_t d = 0; d < columns.size(); ++d) {
      const double likeness = std::abs(dot(columns[d], rest)) / std::sqrt(dot(columns[d], columns[d]) + 1e-12);
      if (!chosen.contains(d) && likeness > most) {
        most = likeness;
        best = d;
      }
    }
    chosen.insert(best);
    const std::vector<double> direction = columns[best];
    remove(direction, rest);
    for (auto& column : columns) remove(direction, column);
  }
  return chosen;
}

TEST(SlowKnownResults, TheMaskAndItsComplementSolveTheNoisyXor) {
  // No feature tells anything alone, so that filters are blind here.
  const GeneratedData made = shapes({.shapes = Shapes::only_xor, .rows = 1500, .probes = 20});
  EXPECT_EQ(selected(made.data, by("cfm", 2)),
            (std::set<std::size_t>(made.true_features.begin(), made.true_features.end())));
}

TEST(SlowKnownResults, StochasticGatesSolveTheNoisyXor) {
  // Yamada et al. 2020: XOR of two inputs among nuisance ones, 1,500 rows.
  const GeneratedData made = shapes({.shapes = Shapes::only_xor, .rows = 1500, .probes = 18});
  EXPECT_EQ(selected(made.data, by("stg", 2)),
            (std::set<std::size_t>(made.true_features.begin(), made.true_features.end())));
}

TEST(SlowKnownResults, DeepFeatureSelectionIsAnElasticNetOnALine) {
  // Li et al. 2016: the one-to-one layer under an elastic net keeps the variables of a linear model.
  EXPECT_EQ(selected(linear(), by("dfs", 5)), (std::set<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(SlowKnownResults, CancelOutPutsNoiseLast) {
  // Borisov et al. 2019: gates of noise features close, those of informative ones stay open.
  for (const std::string method : {"cancelout", "cancelout-softmax"}) {
    EXPECT_EQ(selected(linear(), by(method, 3)), (std::set<std::size_t>{0, 1, 2})) << method;
  }
}

TEST(SlowKnownResults, ConcreteSelectionTakesOneOfEachGroup) {
  // Abid et al. 2019: features that reconstruct all others, without picking copies of one another.
  SelectOptions options = by("concrete", 4);
  options.task = Task::reconstruction;
  options.recipes.front().train.mask_learning_rate = 0.1;
  std::set<std::size_t> kinds;
  for (const std::size_t feature : selected(groups(), options)) kinds.insert(feature / 6);
  EXPECT_EQ(kinds, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(SlowKnownResults, SequentialAttentionIsMatchingPursuitOnALine) {
  // Yasuda et al. 2023: for least squares it selects what orthogonal matching pursuit selects.
  const Dataset data = linear();
  for (const std::size_t k : {std::size_t{3}, std::size_t{5}}) {
    EXPECT_EQ(selected(data, by("sequential", k)), matching_pursuit(data, k)) << k;
  }
}

TEST(SlowKnownResults, BinaryFiltersCloseOnNoise) {
  // Trelin and Prochazka 2020: features that are of no use are filtered out, the useful ones pass.
  EXPECT_EQ(selected(linear(), by("bsf", 5)), (std::set<std::size_t>{0, 1, 2, 3, 4}));
  const GeneratedData made = shapes({.shapes = Shapes::only_xor, .rows = 1500, .probes = 18});
  EXPECT_EQ(selected(made.data, by("bsf", 2)),
            (std::set<std::size_t>(made.true_features.begin(), made.true_features.end())));
}

TEST(SlowKnownResults, FractalAutoencodersTakeOneOfEachGroup) {
  // Wu and Cheng 2021: diverse features from which the sub-network restores all others. Without the complement one of
  // the four is often noise, which nothing else tells.
  SelectOptions options = by("fae", 4);
  options.task = Task::reconstruction;
  options.complement = Complement::on;
  options.recipes.front().train.mask_penalty = 10;
  std::set<std::size_t> kinds;
  for (const std::size_t feature : selected(groups(), options)) kinds.insert(feature / 6);
  EXPECT_EQ(kinds, (std::set<std::size_t>{0, 1, 2, 3}));
}

TEST(SlowKnownResults, TheGroupLassoKeepsTheRowsOfALine) {
  // Han et al. 2018: rows of the first layer that are of no use vanish under the group lasso.
  EXPECT_EQ(selected(linear(), by("aefs", 5)), (std::set<std::size_t>{0, 1, 2, 3, 4}));
}

TEST(SlowKnownResults, AttentionOfEachFeatureLeavesNoiseAside) {
  // Gui et al. 2019: attention units of irrelevant features close, on pictures with noise.
  const GeneratedData made = madelon_like({.rows = 1500, .informative = 4, .combinations = 4, .probes = 40});
  const std::set<std::size_t> truth(made.true_features.begin(), made.true_features.end());
  SelectOptions options = by("afs", truth.size());
  options.complement = Complement::on;
  std::size_t hits = 0;
  for (const std::size_t feature : selected(made.data, options)) hits += truth.contains(feature) ? 1 : 0;
  EXPECT_GE(hits, 6U);
}

}  // namespace
}  // namespace obverse
