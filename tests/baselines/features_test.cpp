// Features that have several columns: every baseline scores each of them once, and no kind of them is preferred.
#include "baselines/features.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include <obverse/ranking.h>

#include "baselines/storages.h"
#include "dataset/encoding.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr float kMissing = std::numeric_limits<float>::quiet_NaN();

/// Columns of a table before it is one.
class TableMaker {
 public:
  TableMaker(std::size_t rows, std::uint64_t seed) : stream_(seed, Purpose::generation), labels_(rows) {
    for (std::size_t r = 0; r < rows; ++r) labels_[r] = static_cast<std::int32_t>(r % 2);
    stream_.shuffle(std::span(labels_));
  }

  std::size_t draw(std::size_t below) {
    return std::min(below - 1, static_cast<std::size_t>(stream_.uniform() * static_cast<double>(below)));
  }
  float draw() { return static_cast<float>(stream_.uniform()); }
  std::size_t label(std::size_t row) const { return static_cast<std::size_t>(labels_[row]); }

  /// value(row) for each row.
  template <class Value>
  void add(ColumnKind kind, std::vector<std::string> levels, Value&& value) {
    kinds_.push_back(kind);
    levels_.push_back(std::move(levels));
    columns_.emplace_back();
    for (std::size_t r = 0; r < labels_.size(); ++r) columns_.back().push_back(static_cast<float>(value(r)));
  }
  void add_number() {
    add(ColumnKind::number, {}, [&](std::size_t) { return draw(); });
  }
  void add_category(std::size_t levels) {
    add(ColumnKind::category, level_names(levels), [&](std::size_t) { return draw(levels); });
  }
  /// Even levels have more rows of the first class, odd ones of the second.
  void add_informative_category(std::size_t levels, double share) {
    add(ColumnKind::category, level_names(levels), [&](std::size_t r) {
      const bool told = static_cast<double>(draw()) < share;
      return told ? 2 * draw(levels / 2) + label(r) : draw(levels);
    });
  }

  /// Of classes, or of a quantity where there are outputs.
  Dataset encoded_table(std::vector<float> outputs = {}) const {
    const std::size_t rows = labels_.size();
    DatasetParts parts;
    const std::shared_ptr<float[]> values(new float[rows * columns_.size()]);
    for (std::size_t i = 0; i < rows * columns_.size(); ++i) {
      values[i] = columns_[i % columns_.size()][i / columns_.size()];
    }
    parts.storage = DenseMatrix<float>{values, rows, columns_.size()};
    for (std::size_t c = 0; c < columns_.size(); ++c) parts.feature_names.push_back(cat("f", c));
    if (outputs.empty()) {
      parts.labels = labels_;
      parts.class_names = {"a", "b"};
      parts.target_name = "class";
    } else {
      parts.outputs = std::move(outputs);
      parts.output_names = {"quantity"};
    }
    parts.layout.kinds = kinds_;
    parts.layout.levels = levels_;
    return encoded(Dataset(std::move(parts)));
  }

  static std::vector<std::string> level_names(std::size_t levels) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < levels; ++i) names.push_back(cat("level ", 100 + i));
    return names;
  }

 private:
  RandomStream stream_;
  std::vector<std::int32_t> labels_;
  std::vector<ColumnKind> kinds_;
  std::vector<std::vector<std::string>> levels_;
  std::vector<std::vector<float>> columns_;
};

/// A number with holes, a category with holes, a date with holes, a boolean, two constant features and one more number.
Dataset every_kind(std::size_t rows, std::uint64_t seed) {
  TableMaker table(rows, seed);
  table.add(ColumnKind::number, {}, [&](std::size_t r) { return r % 7 == 0 ? kMissing : table.draw(); });
  table.add(ColumnKind::category, TableMaker::level_names(5),
            [&](std::size_t r) { return r % 9 == 0 ? kMissing : static_cast<float>(table.draw(5)); });
  std::vector<std::string> days;
  for (int year = 2019; year < 2022; ++year) {
    for (int month = 1; month <= 9; ++month) days.push_back(cat(year, "-0", month, "-11"));
  }
  table.add(ColumnKind::date, days,
            [&](std::size_t r) { return r % 11 == 0 ? kMissing : static_cast<float>(table.draw(days.size())); });
  table.add(ColumnKind::boolean, {}, [&](std::size_t) { return table.draw(2); });
  table.add(ColumnKind::category, {"same"}, [](std::size_t) { return 0; });
  table.add(ColumnKind::number, {}, [](std::size_t) { return 0.1F; });
  table.add_number();
  return table.encoded_table();
}

TEST(FeaturesOfSeveralColumns, HaveOneScoreEachAndConstantOnesTheLeast) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = every_kind(150, seed);
    ASSERT_GT(data.columns(), data.features());
    for (const Baseline& baseline : baselines()) {
      const std::vector<double> scores = test::scores_of(baseline.scores, data);
      ASSERT_EQ(scores.size(), 7U) << baseline.name;
      for (std::size_t f = 0; f < scores.size(); ++f) {
        EXPECT_TRUE(std::isfinite(scores[f])) << baseline.name << ", feature " << f;
        if (f == 4 || f == 5) continue;
        EXPECT_GT(scores[f], std::max(scores[4], scores[5])) << baseline.name << ", feature " << f;
      }
    }
  }
}

/// The same values as sparse rows.
Dataset sparse_copy(const Dataset& data) {
  const auto& dense = std::get<DenseMatrix<float>>(data.storage());
  DatasetParts parts;
  SparseMatrix matrix;
  matrix.cols = dense.cols;
  matrix.row_begin = {0};
  for (std::size_t r = 0; r < dense.rows; ++r) {
    for (std::size_t c = 0; c < dense.cols; ++c) {
      if (dense.row(r)[c] == 0) continue;
      matrix.columns.push_back(static_cast<std::uint32_t>(c));
      matrix.values.push_back(dense.row(r)[c]);
    }
    matrix.row_begin.push_back(matrix.values.size());
  }
  parts.storage = std::move(matrix);
  parts.feature_names = data.feature_names();
  parts.labels = data.labels();
  parts.class_names = data.class_names();
  parts.target_name = data.target_name();
  parts.layout = data.layout();
  return Dataset(std::move(parts));
}

TEST(FeaturesOfSeveralColumns, HaveTheSameScoresForEveryStorageAndTeam) {
  const Dataset data = every_kind(150, 1);
  for (const Baseline& baseline : baselines()) {
    const std::vector<double> scores = test::scores_of(baseline.scores, data, 1);
    EXPECT_EQ(test::scores_of(baseline.scores, sparse_copy(data), 1), scores) << baseline.name;
    EXPECT_EQ(test::scores_of(baseline.scores, data, 3), scores) << baseline.name;
  }
}

// One row of each level, and labels that a level cannot help to tell.
TEST(FeaturesOfSeveralColumns, AreNotPreferredForALevelInEveryRow) {
  TableMaker table(40, 1);
  table.add(ColumnKind::category, TableMaker::level_names(40), [](std::size_t r) { return r; });
  table.add(ColumnKind::number, {}, [&](std::size_t r) { return table.draw() + static_cast<float>(table.label(r)); });
  const Dataset data = table.encoded_table();
  for (const std::string_view name : {"rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    const std::vector<double> scores = test::scores_of(find_baseline(name)->scores, data);
    EXPECT_GT(scores[1], scores[0]) << name;
  }
}

TEST(FeaturesOfSeveralColumns, AreFoundAmongFiftyOfNoise) {
  for (const std::string_view name : {"rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      TableMaker table(600, seed);
      for (std::size_t f = 0; f < 25; ++f) table.add_number();
      table.add_informative_category(40, 0.6);
      for (std::size_t f = 0; f < 25; ++f) table.add_number();
      const auto order = descending_order(test::scores_of(find_baseline(name)->scores, table.encoded_table()));
      EXPECT_EQ(order.front(), 25U) << name << ", seed " << seed;
    }
  }
}

TEST(FeaturesOfSeveralColumns, AreFoundForAQuantityAndByWeightedRows) {
  TableMaker table(300, 2);
  for (std::size_t f = 0; f < 10; ++f) table.add_number();
  table.add_informative_category(20, 0.7);
  std::vector<float> quantity(300), weights(300);
  for (std::size_t r = 0; r < quantity.size(); ++r) {
    quantity[r] = table.draw() + static_cast<float>(table.label(r));
    weights[r] = static_cast<float>(1 + r % 3);
  }
  Team team(2);
  const BaselineOptions options{.k = 4, .seed = 3, .trees = 50};
  const auto best = [&](const Baseline& baseline, const Dataset& data) {
    return descending_order(baseline.scores(data, options, team)).front();
  };
  for (const Baseline& baseline : baselines()) {
    if (baseline.needs == Baseline::Needs::nothing) continue;
    EXPECT_EQ(best(baseline, table.encoded_table().weighted(weights)), 10U) << baseline.name;
    if (baseline.needs == Baseline::Needs::classes) continue;
    EXPECT_EQ(best(baseline, table.encoded_table(quantity)), 10U) << baseline.name;
    EXPECT_EQ(best(baseline, table.encoded_table(quantity).weighted(weights)), 10U) << baseline.name;
  }
}

// The number that is missing says it all.
TEST(FeaturesOfSeveralColumns, AreFoundByTheirMissingValues) {
  for (const std::string_view name : {"rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    TableMaker table(300, 5);
    for (std::size_t f = 0; f < 10; ++f) table.add_number();
    table.add(ColumnKind::number, {},
              [&](std::size_t r) { return table.draw(10) < 2 + 6 * table.label(r) ? kMissing : table.draw(); });
    const auto order = descending_order(test::scores_of(find_baseline(name)->scores, table.encoded_table()));
    EXPECT_EQ(order.front(), 10U) << name;
  }
}

TEST(FeaturesOfSeveralColumns, AreMadeOfNumbersAndRunsOfFlags) {
  const FeatureLayout layout{.begin = {0, 2, 5, 10}, .flags = {0, 1, 1, 1, 1, 0, 0, 1, 0, 0}};
  const auto firsts = [&](std::size_t feature) {
    std::vector<std::size_t> list;
    for (const ColumnRun& run : column_runs(layout, feature)) list.push_back(run.first);
    return list;
  };
  EXPECT_EQ(firsts(0), (std::vector<std::size_t>{0}));
  EXPECT_EQ(firsts(1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(firsts(2), (std::vector<std::size_t>{5, 6, 8, 9}));
}

// Phi(z)^m = 1/2, by tables: Phi(0.5450) = 0.7071 and Phi(1.4988) = 0.9330.
TEST(FeaturesOfSeveralColumns, AreHeldToTheLargestOfSeveral) {
  EXPECT_EQ(median_of_largest(1), 0);
  EXPECT_NEAR(median_of_largest(2), 0.5450, 1e-3);
  EXPECT_NEAR(median_of_largest(10), 1.4987, 1e-3);
}

/// Seeds of 100 in which noise in 60 levels comes before noise in numbers.
std::size_t times_first(std::string_view name, std::size_t rows) {
  Team team(2);
  std::size_t first = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::size_t category = seed % 2;  // so that the order of features cannot matter
    TableMaker table(rows, seed);
    for (std::size_t f = 0; f < 2; ++f) f == category ? table.add_category(60) : table.add_number();
    const BaselineOptions options{.k = 1, .seed = seed, .trees = 50};
    const auto scores = find_baseline(name)->scores(table.encoded_table(), options, team);
    first += scores[category] > scores[1 - category] ? 1 : 0;
  }
  return first;
}

TEST(FeaturesOfSeveralColumns, OfNoiseAreNotPreferredForTheirLevels) {
  for (const std::string_view name : {"rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    const std::size_t first = times_first(name, 300);
    EXPECT_GE(first, 40U) << name;
    EXPECT_LE(first, 60U) << name;
    RecordProperty(std::string(name), static_cast<int>(first));
  }
}

}  // namespace
}  // namespace obverse
