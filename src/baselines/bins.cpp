#include "baselines/bins.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace obverse {
namespace {

constexpr std::size_t kBins = 16;
constexpr std::size_t kMostBins = 256;
constexpr std::size_t kRowsOfBin = 100;
// A row number and a bin take five bytes, a bin alone one.
constexpr std::size_t kSparseCost = 5;

struct Group {
  float value;
  std::size_t count;
};

/// The distinct values of a column, ascending.
std::vector<Group> groups_of(const Column& column) {
  std::vector<float> values(column.values.begin(), column.values.end());
  std::sort(values.begin(), values.end());
  std::vector<Group> groups;
  const auto add = [&](float value, std::size_t count) {
    if (groups.empty() || groups.back().value != value) groups.push_back({value, 0});
    groups.back().count += count;
  };
  const auto positive = std::lower_bound(values.begin(), values.end(), 0.0F);
  std::for_each(values.begin(), positive, [&](float value) { add(value, 1); });
  if (column.zeros > 0) add(0, column.zeros);
  std::for_each(positive, values.end(), [&](float value) { add(value, 1); });
  return groups;
}

/// The least value of each bin.
std::vector<float> bin_edges(const Column& column) {
  const std::vector<Group> groups = groups_of(column);
  const std::size_t rows = column.values.size() + column.zeros;
  const bool by_value = groups.size() <= std::clamp(rows / kRowsOfBin, kBins, kMostBins);
  std::vector<float> edges;
  std::size_t bin = 0;
  std::size_t before = 0;  // rows with smaller values
  for (const Group& group : groups) {
    const std::size_t own = kBins * (2 * before + group.count) / (2 * rows);
    if (edges.empty() || by_value || own != bin) edges.push_back(group.value);
    bin = own;
    before += group.count;
  }
  return edges;
}

void count_pairs(const BinnedColumn& column, const Variable& other, std::vector<std::uint32_t>& pairs) {
  const std::size_t width = other.counts.size();
  pairs.assign(column.count * width, 0);
  if (column.rows.empty()) {
    for (std::size_t r = 0; r < column.bins.size(); ++r) ++pairs[column.bins[r] * width + other.numbers[r]];
    return;
  }
  std::uint32_t* const zeros = pairs.data() + column.zero_bin * width;
  std::copy(other.counts.begin(), other.counts.end(), zeros);
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const std::uint32_t number = other.numbers[column.rows[i]];
    --zeros[number];
    ++pairs[column.bins[i] * width + number];
  }
}

double weighted_information(const BinnedColumn& column, const Variable& other, const RowWeights& weights) {
  const std::size_t width = other.counts.size();
  std::vector<double> pairs(column.count * width), own(column.count), others(width);
  const auto add = [&](std::size_t row, std::size_t bin, double weight) {
    pairs[bin * width + other.numbers[row]] += weight;
    own[bin] += weight;
  };
  double all = 0;
  for (std::size_t r = 0; r < other.numbers.size(); ++r) {
    const double weight = weights.of(r);
    add(r, column.rows.empty() ? column.bins[r] : column.zero_bin, weight);
    others[other.numbers[r]] += weight;
    all += weight;
  }
  for (std::size_t i = 0; i < column.rows.size(); ++i) {
    const std::size_t row = column.rows[i];
    add(row, column.zero_bin, -weights.of(row));
    add(row, column.bins[i], weights.of(row));
  }
  double sum = 0;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double apart = own[i / width] * others[i % width];
    if (pairs[i] > 0 && apart > 0) sum += pairs[i] * std::log(all * pairs[i] / apart);
  }
  return std::max(0.0, sum / all);
}

/// How many bins have each number of rows.
using Multiplicities = std::map<std::uint32_t, double>;

Multiplicities multiplicities(std::span<const std::uint32_t> counts) {
  Multiplicities result;
  for (const std::uint32_t count : counts) {
    if (count > 0) ++result[count];
  }
  return result;
}

/// E[n log n] of the rows n that two bins of a and b rows out of N share by chance: hypergeometric, summed from the
/// most likely n to both sides as long as anything is added.
double expected_term(double a, double b, double N, std::span<const double> terms) {
  constexpr double kNothing = 1e-16;
  const double mode = std::floor((a + 1) * (b + 1) / (N + 2));
  double total = 1;
  double sum = terms[static_cast<std::size_t>(mode)];
  const auto add = [&](double n, double chance) {
    total += chance;
    sum += chance * terms[static_cast<std::size_t>(n)];
    return chance > kNothing;
  };
  double chance = 1;  // as a multiple of that of the mode
  for (double n = mode; n < std::min(a, b); ++n) {
    chance *= (a - n) * (b - n) / ((n + 1) * (N - a - b + n + 1));
    if (!add(n + 1, chance)) break;
  }
  chance = 1;
  for (double n = mode; n > std::max(0.0, a + b - N); --n) {
    chance *= n * (N - a - b + n) / ((a - n + 1) * (b - n + 1));
    if (!add(n - 1, chance)) break;
  }
  return sum / total;
}

double expected_information(std::span<const std::uint32_t> own, std::span<const std::uint32_t> others,
                            std::span<const double> terms) {
  const auto N = static_cast<double>(terms.size() - 1);
  const Multiplicities rows = multiplicities(own);
  const Multiplicities columns = multiplicities(others);
  double sum = terms.back();
  for (const auto& [a, times] : rows) {
    sum -= times * terms[a];
    for (const auto& [b, other_times] : columns) sum += times * other_times * expected_term(a, b, N, terms);
  }
  for (const auto& [b, times] : columns) sum -= times * terms[b];
  return std::max(0.0, sum / N);
}

}  // namespace

BinnedColumn binned(const Column& column) {
  const std::vector<float> edges = bin_edges(column);
  const auto bin_of = [&](float value) {
    return static_cast<std::uint8_t>(std::upper_bound(edges.begin(), edges.end(), value) - edges.begin() - 1);
  };
  const std::size_t rows = column.values.size() + column.zeros;
  BinnedColumn result;
  result.count = edges.size();
  if (column.zeros > 0) result.zero_bin = bin_of(0);
  if (!column.values.empty() && kSparseCost * column.values.size() < rows) {
    result.rows.assign(column.rows.begin(), column.rows.end());
    for (const float value : column.values) result.bins.push_back(bin_of(value));
  } else {
    result.bins.assign(rows, result.zero_bin);
    for (std::size_t i = 0; i < column.rows.size(); ++i) result.bins[column.rows[i]] = bin_of(column.values[i]);
  }
  return result;
}

Variable variable_of(std::span<const std::int32_t> labels, std::size_t classes) {
  Variable variable{{labels.begin(), labels.end()}, std::vector<std::uint32_t>(classes)};
  for (const std::uint32_t number : variable.numbers) ++variable.counts[number];
  return variable;
}

Variable variable_of(const BinnedColumn& column, std::size_t rows) {
  Variable variable{std::vector<std::uint32_t>(rows, column.zero_bin), std::vector<std::uint32_t>(column.count)};
  for (std::size_t i = 0; i < column.bins.size(); ++i) {
    variable.numbers[column.rows.empty() ? i : column.rows[i]] = column.bins[i];
  }
  for (const std::uint32_t number : variable.numbers) ++variable.counts[number];
  return variable;
}

std::vector<double> entropy_terms(std::size_t rows) {
  std::vector<double> terms(rows + 1);
  for (std::size_t n = 2; n <= rows; ++n) terms[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
  return terms;
}

double mutual_information(const BinnedColumn& column, const Variable& other, const RowWeights& weights,
                          std::span<const double> terms) {
  const std::size_t rows = other.numbers.size();
  const auto constant = [rows](std::uint32_t count) { return count == rows; };
  if (column.count < 2 || std::any_of(other.counts.begin(), other.counts.end(), constant)) return 0;
  if (weights.vary()) return weighted_information(column, other, weights);
  std::vector<std::uint32_t> pairs;
  count_pairs(column, other, pairs);
  const std::size_t width = other.counts.size();
  double together = 0;
  double apart = 0;
  for (std::size_t bin = 0; bin < column.count; ++bin) {
    std::uint32_t count = 0;
    for (std::size_t i = bin * width; i < (bin + 1) * width; ++i) {
      together += terms[pairs[i]];
      count += pairs[i];
    }
    apart += terms[count];
  }
  for (const std::uint32_t count : other.counts) apart += terms[count];
  return std::max(0.0, (terms[rows] + together - apart) / static_cast<double>(rows));
}

double excess_information(const BinnedColumn& column, const Variable& other, const RowWeights& weights,
                          std::span<const double> terms) {
  const std::size_t rows = other.numbers.size();
  const auto constant = [rows](std::uint32_t count) { return count == rows; };
  if (column.count < 2 || std::any_of(other.counts.begin(), other.counts.end(), constant)) return 0;
  std::vector<std::uint32_t> counts(column.count);
  for (const std::uint8_t bin : column.bins) ++counts[bin];
  if (!column.rows.empty()) counts[column.zero_bin] += static_cast<std::uint32_t>(rows - column.rows.size());
  // Unequal weights leave fewer rows in effect (Kish 1965).
  return mutual_information(column, other, weights, terms) -
         expected_information(counts, other.counts, terms) * weights.mean_square();
}

}  // namespace obverse
