#include "baselines/features.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <optional>

namespace obverse {
namespace {

// Codes of one category are bytes wherever they are kept.
constexpr std::size_t kMostFlags = 255;

/// Where the flag is set the number is the same everywhere, as what stands for missing values is.
bool is_missing_flag(const Column& number, const Column& flag) {
  std::optional<float> same;
  auto at = number.rows.begin();
  for (const std::uint32_t row : flag.rows) {
    at = std::lower_bound(at, number.rows.end(), row);
    const bool zero = at == number.rows.end() || *at != row;
    const float value = zero ? 0.0F : number.values[static_cast<std::size_t>(at - number.rows.begin())];
    if (same.value_or(value) != value) return false;
    same = value;
  }
  return true;
}

std::size_t row_count(const Column& column) { return column.values.size() + column.zeros; }

}  // namespace

std::vector<ColumnRun> column_runs(const FeatureLayout& layout, std::size_t feature) {
  const std::size_t end = layout.end(feature);
  const auto is_flag = [&](std::size_t c) { return c < end && !layout.flags.empty() && layout.flags[c] != 0; };
  std::vector<ColumnRun> runs;
  for (std::size_t c = layout.first(feature); c < end; c += runs.back().count) {
    std::size_t count = 1;
    if (is_flag(c)) {
      while (is_flag(c + count)) ++count;
    } else if (is_flag(c + 1) && !is_flag(c + 2)) {
      count = 2;
    }
    runs.push_back({c, count, !is_flag(c)});
  }
  return runs;
}

void each_part(const ColumnRun& run, const ColumnReader& read, const std::function<void(const Part&)>& visit) {
  const std::span<const Column> columns = read(run.first, run.count);
  if (run.number) {
    const bool missing = run.count == 2 && is_missing_flag(columns[0], columns[1]);
    visit({.number = &columns[0], .missing = missing ? &columns[1] : nullptr});
    if (run.count == 2 && !missing) visit({.levels = columns.subspan(1)});
    return;
  }
  std::vector<char> taken(row_count(columns.front()));
  std::size_t first = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto& rows = columns[c].rows;
    const bool second = std::any_of(rows.begin(), rows.end(), [&](std::uint32_t row) { return taken[row] != 0; });
    if (second || c - first == kMostFlags) {
      visit({.levels = columns.subspan(first, c - first)});
      std::fill(taken.begin(), taken.end(), char{0});
      first = c;
    }
    for (const std::uint32_t row : rows) taken[row] = 1;
  }
  visit({.levels = columns.subspan(first)});
}

std::vector<std::uint32_t> codes_of(std::span<const Column> levels, std::size_t rows) {
  std::vector<std::uint32_t> codes(rows);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (const std::uint32_t row : levels[level].rows) codes[row] = static_cast<std::uint32_t>(level + 1);
  }
  return codes;
}

std::vector<double> sums_by_feature(const Dataset& data, std::span<const double> columns) {
  std::vector<double> sums(data.features());
  for (std::size_t f = 0; f < sums.size(); ++f) {
    for (std::size_t c = data.layout().first(f); c < data.layout().end(f); ++c) sums[f] += columns[c];
  }
  return sums;
}

double median_of_largest(std::size_t count) {
  if (count < 2) return 0;
  // P(all below z) = 1/2, by halving: 1/2 = Phi(z)^count.
  const double tail = -std::expm1(-std::numbers::ln2 / static_cast<double>(count));
  double low = 0;
  double high = 40;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::midpoint(low, high);
    (std::erfc(middle / std::numbers::sqrt2) / 2 > tail ? low : high) = middle;
  }
  return low;
}

}  // namespace obverse
