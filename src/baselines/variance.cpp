// Population variance of each column: mean_n (x_n - mean)^2.
#include "baselines/baselines.h"
#include "baselines/columns.h"

namespace obverse {
namespace {

double variance(const Column& column) {
  if (is_constant(column)) return 0;
  const auto zeros = static_cast<double>(column.zeros);
  const double rows = zeros + static_cast<double>(column.values.size());
  double sum = 0;
  for (const float x : column.values) sum += x;
  const double mean = sum / rows;
  double squares = zeros * mean * mean;
  for (const float x : column.values) squares += (x - mean) * (x - mean);
  return squares / rows;
}

}  // namespace

std::vector<double> variance_scores(const Dataset& data, const BaselineOptions&, Team& team) {
  std::vector<double> scores(data.features());
  each_column(data, team, [&](std::size_t feature, const Column& column) { scores[feature] = variance(column); });
  return scores;
}

}  // namespace obverse
