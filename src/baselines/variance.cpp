// Population variance of each column: mean_n (x_n - mean)^2, by the weights of the rows. A feature of several numbers
// or categories has the mean of theirs: a category varies by the sum over its flags, a number by itself and the flag of
// its missing values.
#include "baselines/baselines.h"
#include "baselines/columns.h"
#include "baselines/features.h"

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
  std::vector<double> columns(data.columns());
  each_column(data, team, [&](std::size_t c, const Column& column) { columns[c] = variance(column, weights); });
  std::vector<double> scores = sums_by_feature(data, columns);
  if (!has_parts(data)) return scores;
  for (std::size_t f = 0; f < scores.size(); ++f) {
    scores[f] /= static_cast<double>(column_runs(data.layout(), f).size());
  }
  return scores;
}

}  // namespace obverse
