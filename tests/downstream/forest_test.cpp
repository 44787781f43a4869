#include "downstream/forest.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/ranking.h>

namespace obverse {
namespace {

Dataset float_data(std::vector<float> values, std::size_t features, std::vector<std::int32_t> labels = {},
                   std::size_t classes = 2) {
  DatasetParts parts;
  const std::size_t rows = values.size() / features;
  auto memory = std::make_shared<float[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  parts.storage = DenseMatrix<float>{memory, rows, features};
  for (std::size_t f = 0; f < features; ++f) parts.feature_names.push_back(cat("f", f));
  parts.labels = labels.empty() ? std::vector<std::int32_t>(rows, 0) : std::move(labels);
  for (std::size_t c = 0; c < classes; ++c) parts.class_names.push_back(cat("c", c));
  return Dataset(std::move(parts));
}

// Values below `levels`, labels that lean on the first feature.
Dataset noisy_data(std::size_t rows, std::size_t features, std::size_t classes, std::uint32_t levels,
                   std::uint64_t index, float factor = 1) {
  RandomStream stream(3, Purpose::generation, index);
  std::vector<float> values(rows * features);
  std::vector<std::int32_t> labels(rows);
  for (float& x : values) x = factor * static_cast<float>(stream.below(levels));
  for (std::size_t r = 0; r < rows; ++r) {
    const double lean = static_cast<double>(values[r * features] / factor) / levels;
    labels[r] = static_cast<std::int32_t>(std::min<double>(
        static_cast<double>(classes) - 1, static_cast<double>(classes) * (lean + stream.uniform()) / 2));
  }
  return float_data(std::move(values), features, std::move(labels), classes);
}

float value_at(const Dataset& data, std::size_t row, std::size_t feature) {
  float value = 0;
  const std::size_t one[] = {feature};
  data.copy_columns(row, one, &value);
  return value;
}

double impurity(const Target& target, const std::vector<std::uint16_t>& weights, const std::vector<std::size_t>& rows) {
  double weight = 0;
  for (const std::size_t r : rows) weight += weights[r];
  if (weight == 0) return 0;
  if (!target.is_class()) {
    double mean = 0, sum = 0;
    for (const std::size_t r : rows) mean += weights[r] * static_cast<double>(target.values[r]) / weight;
    for (const std::size_t r : rows) sum += weights[r] * std::pow(static_cast<double>(target.values[r]) - mean, 2);
    return sum;
  }
  std::vector<double> counts(target.classes);
  for (const std::size_t r : rows) counts[static_cast<std::size_t>(target.labels[r])] += weights[r];
  double squares = 0;
  for (const double count : counts) squares += count * count;
  return weight - squares / weight;
}

// The smallest weighted impurity over all features and all thresholds.
double plain_best(const Dataset& data, const Target& target, const std::vector<std::uint16_t>& weights) {
  double best = 1e300;
  for (std::size_t f = 0; f < data.features(); ++f) {
    std::vector<float> values;
    for (std::size_t r = 0; r < data.rows(); ++r) {
      if (weights[r] > 0) values.push_back(value_at(data, r, f));
    }
    std::sort(values.begin(), values.end());
    values.erase(std::unique(values.begin(), values.end()), values.end());
    for (std::size_t i = 0; i + 1 < values.size(); ++i) {
      std::vector<std::size_t> sides[2];
      for (std::size_t r = 0; r < data.rows(); ++r) sides[value_at(data, r, f) <= values[i] ? 0 : 1].push_back(r);
      best = std::min(best, impurity(target, weights, sides[0]) + impurity(target, weights, sides[1]));
    }
  }
  return best;
}

double reached(const Dataset& data, const Target& target, const std::vector<std::uint16_t>& weights, const Tree& tree) {
  const Tree::Node& root = tree.nodes.front();
  std::vector<std::size_t> sides[2];
  for (std::size_t r = 0; r < data.rows(); ++r) {
    sides[value_at(data, r, root.feature) <= root.threshold ? 0 : 1].push_back(r);
  }
  return impurity(target, weights, sides[0]) + impurity(target, weights, sides[1]);
}

Target values_of(const Dataset& data) {
  Target target;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    target.values.push_back(1000.0F + static_cast<float>(data.label(r)) + 0.1F * value_at(data, r, 1));
  }
  return target;
}

struct SplitCase {
  std::size_t rows;
  std::uint32_t levels;  // above 256: codes of 16 bits
  std::size_t classes;
  bool weighed;
};

class BestSplit : public testing::TestWithParam<SplitCase> {};

TEST_P(BestSplit, IsThatOfThePlainDefinition) {
  const auto [rows, levels, classes, weighed] = GetParam();
  Team team(1);
  for (std::uint64_t index = 0; index < 5; ++index) {
    const Dataset data = noisy_data(rows, 3, classes, levels, index, 0.37F);
    std::vector<std::uint16_t> weights(rows, 1);
    RandomStream stream(9, Purpose::forest, index);
    if (weighed)
      std::generate(weights.begin(), weights.end(), [&] { return static_cast<std::uint16_t>(stream.below(4)); });
    const CodedColumns columns(data, all_features(data), team);
    EXPECT_EQ(columns.bytes(), std::min<std::size_t>(levels, rows) <= 256);
    for (const Target& target : {target_of(data), values_of(data)}) {
      const Tree tree = grow_tree(columns, target,
                                  weighed ? std::span<const std::uint16_t>(weights) : std::span<const std::uint16_t>(),
                                  {.candidates = 3, .depth = 1}, stream);
      ASSERT_EQ(tree.nodes.size(), 3U);
      const double best = plain_best(data, target, weights);
      EXPECT_NEAR(reached(data, target, weights, tree), best, 1e-6 * best);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, BestSplit,
                         testing::Values(SplitCase{12, 5, 2, false}, SplitCase{20, 200, 3, true},
                                         SplitCase{100, 7, 4, false}, SplitCase{300, 250, 10, true},
                                         SplitCase{1000, 30, 3, true}, SplitCase{1000, 250, 70, false},
                                         SplitCase{20, 5000, 2, true}, SplitCase{300, 5000, 3, false},
                                         SplitCase{700, 5000, 4, true}));

TEST(CodedColumns, KeepTheOrderOfTheValues) {
  Team team(2);
  const Dataset data = noisy_data(2000, 2, 2, 5000, 1, -0.25F);
  const CodedColumns columns(data, all_features(data), team);
  ASSERT_FALSE(columns.bytes());
  for (std::size_t f = 0; f < 2; ++f) {
    for (std::size_t r = 0; r < 2000; ++r) {
      const std::uint16_t code = columns.wide(f)[r];
      EXPECT_EQ(columns.highest(f, code), value_at(data, r, f));
      EXPECT_EQ(columns.last_code_within(f, value_at(data, r, f)), code);
    }
  }
}

TEST(CodedColumns, ShareCodesAmongTooManyValues) {
  const std::size_t rows = 100000;
  RandomStream stream(1, Purpose::generation);
  std::vector<float> values(rows);
  for (float& x : values) x = static_cast<float>(stream.normal());
  Team team(1);
  const CodedColumns columns(float_data(values, 1), std::vector<std::size_t>{0}, team);
  EXPECT_FALSE(columns.exact(0));
  for (std::size_t r = 0; r < rows; ++r) {
    const std::uint16_t code = columns.wide(0)[r];
    ASSERT_LE(columns.lowest(0, code), values[r]);
    ASSERT_GE(columns.highest(0, code), values[r]);
  }
  for (std::size_t code = 1; code < 60000; ++code) {
    ASSERT_LT(columns.highest(0, code - 1), columns.lowest(0, code));
    const float middle = columns.between(0, code - 1, code);
    ASSERT_LE(columns.highest(0, code - 1), middle);
    ASSERT_GT(columns.lowest(0, code), middle);
  }
}

TEST(CodedColumns, AreBytesWhereNoMoreCodesAreAskedFor) {
  const std::size_t rows = 3000;
  RandomStream stream(2, Purpose::generation);
  std::vector<float> values(3 * rows);
  for (std::size_t r = 0; r < rows; ++r) {
    values[3 * r] = static_cast<float>(stream.normal());
    values[3 * r + 1] = stream.below(3) > 0 ? 0.0F : static_cast<float>(stream.normal());
    values[3 * r + 2] = static_cast<float>(stream.below(1000));  // whole numbers, too many of them
  }
  const Dataset data = float_data(values, 3);
  Team team(2);
  const CodedColumns columns(data, all_features(data), team, kByteCodes);
  ASSERT_TRUE(columns.bytes());
  for (std::size_t f = 0; f < 3; ++f) {
    EXPECT_FALSE(columns.exact(f));
    std::vector<std::size_t> counts(kByteCodes);
    std::vector<std::size_t> zeros(kByteCodes);
    for (std::size_t r = 0; r < rows; ++r) {
      const std::uint8_t code = columns.narrow(f)[r];
      ASSERT_LE(columns.lowest(f, code), values[3 * r + f]);
      ASSERT_GE(columns.highest(f, code), values[3 * r + f]);
      ++counts[code];
      if (values[3 * r + f] == 0) ++zeros[code];
    }
    // Equal values have one code; all others share the rows evenly.
    EXPECT_LE(std::count_if(zeros.begin(), zeros.end(), [](std::size_t count) { return count > 0; }), 1);
    for (std::size_t code = 0; code < kByteCodes; ++code) {
      EXPECT_LE(counts[code] - zeros[code], 2 * rows / kByteCodes + 1);
    }
  }
}

TEST(CodedColumns, ThresholdLiesBetweenNeighbouringFloats) {
  const float low = 1.0F;
  const float high = std::nextafter(low, 2.0F);
  Team team(1);
  const CodedColumns columns(float_data({low, high, -3.5F}, 1), std::vector<std::size_t>{0}, team);
  EXPECT_EQ(columns.between(0, 1, 2), low);
}

TEST(Forest, FullyGrownTreesKnowTheirRows) {
  Team team(2);
  const GeneratedData made = madelon_like({.rows = 300});
  const Target target = target_of(made.data);
  for (ForestOptions options : {random_forest(), extra_trees()}) {
    options.bootstrap = false;
    options.trees = 5;
    const Forest forest(made.data, all_features(made.data), target, options, team);
    const Prediction prediction = forest.predict(made.data, team);
    for (std::size_t r = 0; r < made.data.rows(); ++r) {
      EXPECT_EQ(prediction.label(r), target.labels[r]);
      EXPECT_FLOAT_EQ(prediction.values[2 * r + static_cast<std::size_t>(target.labels[r])], 1.0F);
    }
  }
}

TEST(Forest, TellsTrueFeaturesFromProbes) {
  Team team(2);
  const GeneratedData made = madelon_like({.rows = 1500});
  const auto [train, test] = split(made.data, {.test_fraction = 0.3});
  for (const ForestOptions& options : {random_forest(1), extra_trees(1)}) {
    const Forest forest(train, made.true_features, target_of(train), options, team);
    const Prediction prediction = forest.predict(test, team);
    std::size_t right = 0;
    for (std::size_t r = 0; r < test.rows(); ++r) right += prediction.label(r) == test.label(r) ? 1 : 0;
    EXPECT_GT(static_cast<double>(right) / static_cast<double>(test.rows()), 0.75);

    const Forest whole(train, all_features(train), target_of(train), options, team);
    const auto order = descending_order(whole.importances());
    std::size_t found = 0;
    for (std::size_t i = 0; i < made.true_features.size(); ++i) {
      found += std::binary_search(made.true_features.begin(), made.true_features.end(), order[i]) ? 1 : 0;
    }
    EXPECT_GE(found, made.true_features.size() / 2);
    EXPECT_NEAR(std::accumulate(whole.importances().begin(), whole.importances().end(), 0.0), 1.0, 1e-9);
  }
}

TEST(Forest, OfFewCodesFindsTheSameFeatures) {
  Team team(2);
  const GeneratedData made = madelon_like({.rows = 1500});
  const Target target = target_of(made.data);
  std::vector<std::size_t> found;
  for (const std::size_t codes : {kWideCodes, kByteCodes}) {
    ForestOptions options = random_forest();
    options.codes = codes;
    const auto order =
        descending_order(Forest(made.data, all_features(made.data), target, options, team).importances());
    const auto end = order.begin() + static_cast<std::ptrdiff_t>(made.true_features.size());
    found.push_back(static_cast<std::size_t>(std::count_if(order.begin(), end, [&](std::size_t f) {
      return std::binary_search(made.true_features.begin(), made.true_features.end(), f);
    })));
  }
  EXPECT_GE(found[1] + 1, found[0]);
  EXPECT_GE(found[1], made.true_features.size() / 2);
}

TEST(Forest, OutOfBagJudgesRowsByTreesThatHaveNotSeenThem) {
  Team team(2);
  const Dataset noise = float_data(
      [] {
        RandomStream stream(2, Purpose::generation);
        std::vector<float> values(2000);
        for (float& x : values) x = static_cast<float>(stream.normal());
        return values;
      }(),
      4,
      [] {
        std::vector<std::int32_t> labels(500);
        for (std::size_t r = 0; r < 500; ++r) labels[r] = static_cast<std::int32_t>(r % 2);
        return labels;
      }());
  const auto right = [&](const Prediction& prediction) {
    std::size_t count = 0;
    for (std::size_t r = 0; r < noise.rows(); ++r) count += prediction.label(r) == noise.label(r) ? 1 : 0;
    return static_cast<double>(count) / static_cast<double>(noise.rows());
  };
  ForestOptions options = extra_trees(1);
  EXPECT_THROW(Forest(noise, all_features(noise), target_of(noise), options, team).predict_out_of_bag(noise, team),
               Error);
  options.bootstrap = true;
  const Forest forest(noise, all_features(noise), target_of(noise), options, team);
  EXPECT_GT(right(forest.predict(noise, team)), 0.95);
  EXPECT_NEAR(right(forest.predict_out_of_bag(noise, team)), 0.5, 0.1);
  // One tree: rows it has seen have no vote at all.
  options.trees = 1;
  const Forest single(noise, all_features(noise), target_of(noise), options, team);
  const Prediction prediction = single.predict_out_of_bag(noise, team);
  std::size_t unseen = 0;
  for (std::size_t r = 0; r < noise.rows(); ++r) {
    unseen += prediction.values[2 * r] + prediction.values[2 * r + 1] > 0.5F ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(unseen) / 500.0, 0.368, 0.06);
}

TEST(Forest, IsTheSameForAnyNumberOfThreads) {
  const Dataset data = noisy_data(900, 10, 4, 300, 2);
  std::vector<std::vector<float>> seen;
  for (const std::size_t threads : {1U, 2U, 5U}) {
    Team team(threads);
    for (const ForestOptions& options : {random_forest(3), extra_trees(3)}) {
      const Forest forest(data, all_features(data), target_of(data), options, team);
      seen.push_back(forest.predict(data, team).values);
      seen.back().insert(seen.back().end(), forest.importances().begin(), forest.importances().end());
    }
  }
  EXPECT_EQ(seen[0], seen[2]);
  EXPECT_EQ(seen[0], seen[4]);
  EXPECT_EQ(seen[1], seen[3]);
  EXPECT_EQ(seen[1], seen[5]);
  EXPECT_NE(seen[0], seen[1]);
}

TEST(Forest, IsTheSameForEveryStorage) {
  const Dataset floats = noisy_data(700, 6, 3, 200, 4);
  DatasetParts bytes, sparse;
  auto memory = std::make_shared<std::uint8_t[]>(700 * 6);
  SparseMatrix matrix;
  matrix.cols = 6;
  matrix.row_begin.push_back(0);
  for (std::size_t r = 0; r < 700; ++r) {
    for (std::size_t f = 0; f < 6; ++f) {
      const float x = value_at(floats, r, f);
      memory[r * 6 + f] = static_cast<std::uint8_t>(x);
      if (x == 0) continue;
      matrix.columns.push_back(static_cast<std::uint32_t>(f));
      matrix.values.push_back(x);
    }
    matrix.row_begin.push_back(matrix.values.size());
  }
  bytes.storage = DenseMatrix<std::uint8_t>{memory, 700, 6};
  sparse.storage = matrix;
  for (DatasetParts* parts : {&bytes, &sparse}) {
    parts->feature_names = floats.feature_names();
    parts->class_names = floats.class_names();
    parts->labels = floats.labels();
  }
  Team team(2);
  for (const ForestOptions& options : {random_forest(5), extra_trees(5)}) {
    std::vector<std::vector<float>> seen;
    for (const Dataset& data : {floats, Dataset(bytes), Dataset(sparse)}) {
      const Forest forest(data, all_features(data), target_of(data), options, team);
      seen.push_back(forest.predict(data, team).values);
    }
    EXPECT_EQ(seen[0], seen[1]);
    EXPECT_EQ(seen[0], seen[2]);
  }
}

TEST(Forest, LearnsValues) {
  Team team(2);
  const Dataset data = noisy_data(800, 4, 5, 100, 6);
  const Target target = values_of(data);
  for (const ForestOptions& options : {random_forest(2), extra_trees(2)}) {
    const Forest forest(data, all_features(data), target, options, team);
    const Prediction prediction = forest.predict(data, team);
    ASSERT_EQ(prediction.outputs, 1U);
    double error = 0, spread = 0;
    for (std::size_t r = 0; r < data.rows(); ++r) {
      error += std::pow(static_cast<double>(prediction.values[r] - target.values[r]), 2);
      spread += std::pow(static_cast<double>(target.values[r]) - 1006, 2);
    }
    EXPECT_LT(error, 0.1 * spread);
  }
}

TEST(Forest, TakesConstantFeaturesAndEqualRows) {
  Team team(2);
  const Dataset same = float_data({7, 7, 7, 7}, 1, {0, 1, 1, 1});
  for (ForestOptions options : {random_forest(), extra_trees()}) {
    options.bootstrap = false;
    const Forest forest(same, std::vector<std::size_t>{0}, target_of(same), options, team);
    EXPECT_EQ(forest.predict(same, team).values, (std::vector<float>{0.25, 0.75, 0.25, 0.75, 0.25, 0.75, 0.25, 0.75}));
    EXPECT_EQ(forest.importances(), std::vector<double>{0.0});
  }
  // One feature varies: it must be found among many that do not.
  std::vector<float> values(40 * 30, 1.0F);
  std::vector<std::int32_t> labels(40);
  for (std::size_t r = 0; r < 40; ++r) {
    values[r * 30 + 17] = static_cast<float>(r);
    labels[r] = r < 13 ? 0 : 1;
  }
  const Dataset hidden = float_data(values, 30, labels);
  for (const ForestOptions& options : {random_forest(), extra_trees()}) {
    const Forest forest(hidden, all_features(hidden), target_of(hidden), options, team);
    EXPECT_DOUBLE_EQ(forest.importances()[17], 1.0);
  }
}

TEST(Forest, ObeysDepthAndLeaf) {
  Team team(1);
  const Dataset data = noisy_data(400, 5, 3, 50, 8);
  for (ForestOptions options : {random_forest(), extra_trees()}) {
    options.trees = 3;
    options.bootstrap = false;
    options.leaf = 30;
    const Forest large(data, all_features(data), target_of(data), options, team);
    for (const Tree& tree : large.trees()) {
      std::vector<std::size_t> rows(tree.nodes.size());
      std::vector<std::uint32_t> leaf(1);
      for (std::size_t r = 0; r < data.rows(); ++r) {
        float row[5];
        data.copy_columns(r, all_features(data), row);
        std::uint32_t at = 0;
        while (tree.nodes[at].next != at) {
          at = tree.nodes[at].next + (row[tree.nodes[at].feature] <= tree.nodes[at].threshold ? 0U : 1U);
        }
        ++rows[at];
        tree.find_leaves(row, 1, 5, leaf.data());
        EXPECT_EQ(leaf[0], tree.nodes[at].leaf);
      }
      for (std::size_t n = 0; n < rows.size(); ++n) {
        if (tree.nodes[n].next == n) {
          EXPECT_GE(rows[n], 30U);
        }
      }
    }
    options.leaf = 1;
    options.depth = 2;
    const Forest flat(data, all_features(data), target_of(data), options, team);
    for (const Tree& tree : flat.trees()) EXPECT_LE(tree.nodes.size(), 7U);
  }
}

TEST(Forest, RefusesWhatItCannotLearn) {
  Team team(1);
  const Dataset data = float_data({1, 2}, 1, {0, 1});
  EXPECT_THROW(Forest(data, {}, target_of(data), random_forest(), team), Error);
  EXPECT_THROW(Forest(data.subset({}), std::vector<std::size_t>{0}, {2, {}, {}}, random_forest(), team), Error);
  EXPECT_THROW(Forest(data, std::vector<std::size_t>{0}, {2, {0}, {}}, random_forest(), team), Error);
}

/// Row r as many times as its weight says.
Dataset repeated_rows(const Dataset& data, const std::vector<float>& times) {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t r = 0; r < data.rows(); ++r) {
    for (float i = 0; i < times[r]; ++i) rows.push_back(r);
  }
  return data.subset(rows);
}

TEST(Forest, CountsARowOfWeightTwoAsTwoRows) {
  Team team(2);
  for (const std::uint32_t levels : {7U, 5000U}) {
    const Dataset data = noisy_data(400, 4, 3, levels, 5);
    std::vector<float> times(data.rows());
    for (std::size_t r = 0; r < times.size(); ++r) times[r] = static_cast<float>(r % 4);
    const Dataset repeated = repeated_rows(data, times), weighted = data.weighted(times);
    for (const SplitKind split : {SplitKind::best, SplitKind::random}) {
      ForestOptions options = extra_trees(3);
      options.split = split;
      options.trees = 20;
      const Forest expected(repeated, all_features(data), target_of(repeated), options, team);
      const Forest found(weighted, all_features(data), target_of(weighted), options, team);
      EXPECT_EQ(found.predict(data, team).values, expected.predict(data, team).values);
      for (std::size_t f = 0; f < 4; ++f) EXPECT_NEAR(found.importances()[f], expected.importances()[f], 1e-9);
    }
  }
}

TEST(Forest, LeavesOutRowsOfWeightZeroAndTakesEveryUnit) {
  Team team(2);
  const Dataset data = noisy_data(300, 4, 3, 9, 6);
  std::vector<float> weights(data.rows()), thousands(data.rows());
  for (std::size_t r = 0; r < weights.size(); ++r) {
    weights[r] = r % 3 == 0 ? 0.0F : 0.5F;
    thousands[r] = 1024 * weights[r];
  }
  const Dataset weighted = data.weighted(weights), large = data.weighted(thousands);
  const Dataset kept = repeated_rows(data, weights);
  for (const bool classes : {true, false}) {
    const auto answer = [&](const Dataset& train) {
      Target target = classes ? target_of(train) : values_of(train);
      target.weights = train.weights();
      return Forest(train, all_features(data), target, random_forest(4), team).predict(data, team).values;
    };
    EXPECT_EQ(answer(weighted), answer(kept));
    EXPECT_EQ(answer(weighted), answer(large));
  }
  Target silent = target_of(data);
  silent.weights.assign(data.rows(), 0.0F);
  EXPECT_THROW(Forest(data, all_features(data), silent, random_forest(), team), Error);
}

}  // namespace
}  // namespace obverse
