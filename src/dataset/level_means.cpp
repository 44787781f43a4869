#include "dataset/level_means.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "dataset/join.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kFolds = 5;
constexpr std::size_t kMostNumbers = 8;
constexpr double kSmoothing = 5;  // rows that say what all rows say

bool is_replaced(const Dataset& data, std::size_t column) {
  return data.layout().kinds[column] == ColumnKind::category && data.layout().levels[column].size() > 2;
}

/// How many numbers the target of a row is.
std::size_t numbers_of(const Dataset& data) {
  const std::size_t all = data.has_labels() ? std::max<std::size_t>(2, data.classes()) - 1 : data.output_names().size();
  return std::min(all, kMostNumbers);
}

double target_of(const Dataset& data, std::size_t row, std::size_t number) {
  if (!data.has_labels()) return static_cast<double>(data.outputs(row)[number]);
  return data.label(row) == static_cast<std::int32_t>(number) + 1 ? 1 : 0;
}

/// (rows) a fold for each; rows of one group are in one.
std::vector<std::size_t> folds_of(const Dataset& train, std::uint64_t seed) {
  const std::size_t units = train.has_row_groups() ? train.row_group_names().size() : train.rows();
  std::vector<std::size_t> order(units);
  std::iota(order.begin(), order.end(), std::size_t{0});
  RandomStream(seed, Purpose::folds, 1).shuffle(std::span(order));
  std::vector<std::size_t> folds(train.rows());
  for (std::size_t r = 0; r < folds.size(); ++r) {
    folds[r] = order[train.has_row_groups() ? train.row_group(r) : r] % kFolds;
  }
  return folds;
}

/// Sums of a target and of weights by fold and level; the last level is that of missing values.
class LevelSums {
 public:
  explicit LevelSums(std::size_t levels) : levels_(levels + 1), sums_(kFolds * levels_), weights_(kFolds * levels_) {}

  std::size_t level_of(float value) const {
    const std::size_t missing = levels_ - 1;
    return std::isnan(value) ? missing : std::min(static_cast<std::size_t>(value), missing);
  }
  void add(std::size_t fold, std::size_t level, double target, double weight) {
    sums_[fold * levels_ + level] += weight * target;
    weights_[fold * levels_ + level] += weight;
    all_sum_ += weight * target;
    all_weight_ += weight;
  }
  /// Of a level, without the rows of a fold; kFolds leaves none out.
  float mean(std::size_t level, std::size_t without) const {
    double sum = 0;
    double weight = 0;
    for (std::size_t fold = 0; fold < kFolds; ++fold) {
      if (fold == without) continue;
      sum += sums_[fold * levels_ + level];
      weight += weights_[fold * levels_ + level];
    }
    return static_cast<float>((sum + kSmoothing * all_sum_ / all_weight_) / (weight + kSmoothing));
  }

 private:
  std::size_t levels_;
  std::vector<double> sums_;  // (folds, levels)
  std::vector<double> weights_;
  double all_sum_ = 0;
  double all_weight_ = 0;
};

FeatureLayout new_layout(const Dataset& data, std::size_t numbers) {
  FeatureLayout layout;
  layout.begin = {0};
  for (std::size_t f = 0; f < data.features(); ++f) {
    for (std::size_t c = data.layout().first(f); c < data.layout().end(f); ++c) {
      const bool replaced = is_replaced(data, c);
      const std::size_t count = replaced ? numbers : 1;
      layout.kinds.insert(layout.kinds.end(), count, replaced ? ColumnKind::number : data.layout().kinds[c]);
      layout.levels.insert(layout.levels.end(), count, replaced ? std::vector<std::string>{} : data.layout().levels[c]);
    }
    layout.begin.push_back(layout.kinds.size());
  }
  return layout;
}

}  // namespace

TrainTest with_level_means(const TrainTest& split, std::uint64_t seed) {
  const Dataset& train = split.train;
  if (!train.is_table() || !train.has_target()) return split;
  const Dataset both = train.followed_by(split.test);
  const std::size_t numbers = numbers_of(train);
  const std::vector<std::size_t> folds = folds_of(train, seed);
  DatasetParts parts = row_parts(both);
  parts.feature_names = train.feature_names();
  parts.layout = new_layout(train, numbers);
  const std::size_t width = parts.layout.kinds.size();
  const auto values = std::make_shared<float[]>(both.rows() * width);
  for (std::size_t c = 0, at = 0; c < train.columns(); at += is_replaced(train, c) ? numbers : 1, ++c) {
    std::vector<float> column(both.rows());
    for (std::size_t r = 0; r < column.size(); ++r) both.copy_columns(r, {&c, 1}, &column[r]);
    if (!is_replaced(train, c)) {
      for (std::size_t r = 0; r < column.size(); ++r) values[r * width + at] = column[r];
      continue;
    }
    for (std::size_t n = 0; n < numbers; ++n) {
      LevelSums sums(train.layout().levels[c].size());
      for (std::size_t r = 0; r < train.rows(); ++r) {
        sums.add(folds[r], sums.level_of(column[r]), target_of(train, r, n), static_cast<double>(train.weight(r)));
      }
      for (std::size_t r = 0; r < column.size(); ++r) {
        const std::size_t without = r < train.rows() ? folds[r] : kFolds;
        values[r * width + at + n] = sums.mean(sums.level_of(column[r]), without);
      }
    }
  }
  parts.storage = DenseMatrix<float>{values, both.rows(), width};
  const Dataset all(std::move(parts));
  std::vector<std::uint32_t> rows(all.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return {all.subset(std::span(rows).first(train.rows())), all.subset(std::span(rows).subspan(train.rows()))};
}

}  // namespace obverse
