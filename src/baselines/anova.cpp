// One-way analysis of variance of each feature over the classes.
//   F = [sum_c n_c (mean_c - mean)^2 / (C - 1)] / [sum_n (x_n - mean_c(n))^2 / (N - C)]
// C counts the classes that occur. F is infinite for a feature that varies between the classes and never within one.
#include <algorithm>
#include <limits>

#include "baselines/baselines.h"
#include "baselines/columns.h"

namespace obverse {
namespace {

double f_statistic(const Column& column, const std::vector<std::int32_t>& labels,
                   const std::vector<std::size_t>& counts) {
  if (is_constant(column)) return 0;
  std::vector<double> means(counts.size());
  std::vector<double> zeros(counts.begin(), counts.end());
  double total = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const auto c = static_cast<std::size_t>(labels[column.rows[i]]);
    means[c] += column.values[i];
    zeros[c] -= 1;
    total += column.values[i];
  }
  const auto rows = static_cast<double>(labels.size());
  const double mean = total / rows;
  double between = 0;
  double within = 0;
  double classes = 0;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    const auto count = static_cast<double>(counts[c]);
    means[c] /= count;
    between += count * (means[c] - mean) * (means[c] - mean);
    within += zeros[c] * means[c] * means[c];
    classes += 1;
  }
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double difference = column.values[i] - means[static_cast<std::size_t>(labels[column.rows[i]])];
    within += difference * difference;
  }
  if (within == 0) return std::numeric_limits<double>::infinity();
  return between / (classes - 1) / (within / (rows - classes));
}

}  // namespace

std::vector<double> anova_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const std::vector<std::int32_t> labels = data.labels();
  const std::vector<std::size_t> counts = data.class_counts();
  std::vector<double> scores(data.features());
  each_column(data, team, [&](std::size_t feature, const Column& column) {
    scores[feature] = f_statistic(column, labels, counts);
  });
  return scores;
}

}  // namespace obverse
