#include "baselines/information.h"

#include <algorithm>
#include <cmath>

#include "baselines/features.h"

namespace obverse {
namespace {

/// Bins 0 .. count-1 in the order of the codes that occur; `otherwise` where they do not fit into a byte.
BinnedColumn by_code(std::span<const std::uint32_t> codes, BinnedColumn otherwise) {
  constexpr std::size_t kMostBins = 256;
  std::vector<std::uint32_t> numbers(1 + *std::max_element(codes.begin(), codes.end()));
  for (const std::uint32_t code : codes) numbers[code] = 1;
  BinnedColumn result;
  for (std::uint32_t& number : numbers) {
    if (number != 0) number = static_cast<std::uint32_t>(result.count++);
  }
  if (result.count > kMostBins) return otherwise;
  result.bins.reserve(codes.size());
  for (const std::uint32_t code : codes) result.bins.push_back(static_cast<std::uint8_t>(numbers[code]));
  return result;
}

BinnedColumn binned(const Part& part, std::size_t rows) {
  if (part.number == nullptr) return by_code(codes_of(part.levels, rows), {});
  BinnedColumn number = binned(*part.number);
  if (part.missing == nullptr) return number;
  std::vector<std::uint32_t> codes = variable_of(number, rows).numbers;
  for (const std::uint32_t row : part.missing->rows) codes[row] = static_cast<std::uint32_t>(number.count);
  return by_code(codes, std::move(number));
}

/// By how much the mutual information of independent variables lies above its median where a standard normal number is
/// z. 2 N I is about chi-squared with f = (V-1)(C-1) degrees of freedom, whose cube root is about normal with deviation
/// sqrt(2 / 9f) (Wilson and Hilferty): of many columns the largest is farther out than that of a symmetric
/// distribution.
double above_median(double z, const BinnedColumn& column, const Variable& classes, const RowWeights& weights) {
  const auto occur = [](std::uint32_t count) { return count > 0; };
  const auto C = static_cast<double>(std::count_if(classes.counts.begin(), classes.counts.end(), occur));
  const double freedom = (static_cast<double>(column.count) - 1) * (C - 1);
  if (z == 0 || freedom <= 0) return 0;
  const double variance = 2 / (9 * freedom);
  const double middle = 1 - variance;
  const double distance = std::pow(middle + z * std::sqrt(variance), 3) - std::pow(middle, 3);
  return freedom * distance / (2 * static_cast<double>(classes.numbers.size())) * weights.mean_square();
}

}  // namespace

void each_binned_feature(const Dataset& data, Team& team, const Variable& classes, const RowWeights& weights,
                         std::span<const double> terms,
                         const std::function<void(std::size_t feature, BinnedFeature& binned)>& body) {
  const double least = -std::log(static_cast<double>(std::max<std::size_t>(2, classes.counts.size())));
  each_feature(data, team, [&](std::size_t feature, const ColumnReader& read) {
    BinnedFeature best{.column = by_code(std::vector<std::uint32_t>(data.rows()), {}), .information = least};
    const std::vector<ColumnRun> runs = column_runs(data.layout(), feature);
    const double largest = median_of_largest(runs.size());
    for (const ColumnRun& run : runs) {
      each_part(run, read, [&](const Part& part) {
        BinnedColumn column = binned(part, data.rows());
        if (column.count < 2) return;
        const double information = std::max(
            excess_information(column, classes, weights, terms) - above_median(largest, column, classes, weights),
            least);
        if (best.column.count < 2 || information > best.information) best = {std::move(column), information};
      });
    }
    body(feature, best);
  });
}

}  // namespace obverse
