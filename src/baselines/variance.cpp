// Population variance of each column: mean_n (x_n - mean)^2, by the weights of the rows.
#include "baselines/baselines.h"
#include "baselines/columns.h"

namespace obverse {
namespace {

double variance(const Column& column, const RowWeights& weights) {
  if (is_constant(column)) return 0;
  const double zeros = weights.of_zeros(column);
  double rows = zeros;
  double sum = 0;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double weight = weights.of(column.rows[i]);
    rows += weight;
    sum += weight * column.values[i];
  }
  const double mean = sum / rows;
  double squares = zeros * mean * mean;
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const double x = column.values[i];
    squares += weights.of(column.rows[i]) * (x - mean) * (x - mean);
  }
  return squares / rows;
}

}  // namespace

std::vector<double> variance_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  const RowWeights weights(data);
  std::vector<double> scores(data.features());
  each_column(data, team,
              [&](std::size_t feature, const Column& column) { scores[feature] = variance(column, weights); });
  return scores;
}

}  // namespace obverse
