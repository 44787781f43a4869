// One-way analysis of variance of each feature over the classes.
//   F = [sum_c n_c (mean_c - mean)^2 / (C - 1)] / [sum_n (x_n - mean_c(n))^2 / (N - C)]
// C counts the classes that occur. F is infinite for a feature that varies between the classes and never within one.
// For a quantity y it is that of the line through it: F = r^2 / (1 - r^2) (N - 2), r the correlation with the feature.
// Of several labels or quantities the mean counts. Sums over rows are by their weights, which have a mean of one.
#include <algorithm>
#include <limits>

#include "baselines/baselines.h"
#include "baselines/columns.h"
#include "downstream/target.h"

namespace obverse {
namespace {

double f_statistic(const Column& column, const std::vector<std::int32_t>& labels, const std::vector<double>& counts,
                   const RowWeights& weights) {
  if (is_constant(column)) return 0;
  std::vector<double> means(counts.size());
  std::vector<double> zeros = counts;
  double total = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[column.rows[i]]);
    const double weight = weights.of(column.rows[i]);
    means[c] += weight * column.values[i];
    zeros[c] -= weight;
    total += weight * column.values[i];
  }
  const auto rows = static_cast<double>(labels.size());
  const double mean = total / rows;
  double between = 0;
  double within = 0;
  double classes = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    means[c] /= counts[c];
    between += counts[c] * (means[c] - mean) * (means[c] - mean);
    within += std::max(0.0, zeros[c]) * means[c] * means[c];
    classes += 1;
  }
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double difference = column.values[i] - means[static_cast<std::size_t>(labels[column.rows[i]])];
    within += weights.of(column.rows[i]) * difference * difference;
  }
  if (within == 0) return std::numeric_limits<double>::infinity();
  return between / (classes - 1) / (within / (rows - classes));
}

double f_of_line(const Column& column, const std::vector<float>& values, const RowWeights& weights) {
  if (is_constant(column)) return 0;
  const auto rows = static_cast<double>(values.size());
  double mean_y = 0;
  for (std::size_t r = 0; r < values.size(); ++r) mean_y += weights.of(r) * static_cast<double>(values[r]);
  mean_y /= rows;
  double squares_y = 0;
  for (std::size_t r = 0; r < values.size(); ++r) {
    const double apart = static_cast<double>(values[r]) - mean_y;
    squares_y += weights.of(r) * apart * apart;
  }
  double mean_x = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    mean_x += weights.of(column.rows[i]) * static_cast<double>(column.values[i]);
  }
  mean_x /= rows;
  double squares_x = weights.of_zeros(column) * mean_x * mean_x;
  double products = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double x = column.values[i];
    const double weight = weights.of(column.rows[i]);
    squares_x += weight * (x - mean_x) * (x - mean_x);
    products += weight * x * (static_cast<double>(values[column.rows[i]]) - mean_y);
  }
  const double explained = products * products;
  const double whole = squares_x * squares_y;
  if (whole == 0) return 0;
  if (explained >= whole) return std::numeric_limits<double>::infinity();
  return explained / (whole - explained) * (rows - 2);
}

double f_statistic(const Column& column, const Target& target, const RowWeights& weights) {
  if (!target.is_class()) return f_of_line(column, target.values, weights);
  std::vector<double> counts(target.classes);
  for (std::size_t r = 0; r < target.labels.size(); ++r) {
    counts[static_cast<std::size_t>(target.labels[r])] += weights.of(r);
  }
  return f_statistic(column, target.labels, counts, weights);
}

}  // namespace

std::vector<double> anova_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const std::vector<Target> targets = targets_of(data);
  const RowWeights weights(data);
  std::vector<double> scores(data.features());
  each_column(data, team, [&](std::size_t feature, const Column& column) {
    for (const Target& target : targets) {
      scores[feature] += f_statistic(column, target, weights) / static_cast<double>(targets.size());
    }
  });
  return scores;
}

}  // namespace obverse
