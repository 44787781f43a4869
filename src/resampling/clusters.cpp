#include "resampling/clusters.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kMostRows = 2000;
constexpr float kInterchangeable = 0.85F;  // |Spearman's correlation|

std::vector<std::uint32_t> sampled_rows(std::size_t rows) {
  std::vector<std::uint32_t> sample(rows);
  std::iota(sample.begin(), sample.end(), 0U);
  if (rows <= kMostRows) return sample;
  RandomStream(0, Purpose::sampling).shuffle(std::span(sample));
  sample.resize(kMostRows);
  std::sort(sample.begin(), sample.end());
  return sample;
}

/// Ranks of the values, equal ones with their mean rank, brought to mean 0 and length 1; all 0 for a constant column.
void rank(std::span<float> values) {
  const std::size_t rows = values.size();
  std::vector<std::uint32_t> order(rows);
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return values[a] < values[b]; });
  const double middle = static_cast<double>(rows - 1) / 2;
  std::vector<double> ranks(rows);
  double squares = 0;
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end) {
    while (end < rows && values[order[end]] == values[order[begin]]) ++end;
    const double mean = static_cast<double>(begin + end - 1) / 2 - middle;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
    squares += static_cast<double>(end - begin) * mean * mean;
  }
  const double scale = squares > 0 ? 1 / std::sqrt(squares) : 0;
  for (std::size_t r = 0; r < rows; ++r) values[r] = static_cast<float>(scale * ranks[r]);
}

/// (candidates, rows) the ranks of each.
std::vector<float> ranked_columns(const Dataset& data, std::span<const std::size_t> candidates, std::size_t rows,
                                  std::span<const std::uint32_t> sample, Team& team) {
  std::vector<float> columns(candidates.size() * rows);
  std::vector<float> row(candidates.size());
  for (std::size_t r = 0; r < rows; ++r) {
    data.copy_features(sample[r], candidates, row.data());
    for (std::size_t c = 0; c < candidates.size(); ++c) columns[c * rows + r] = row[c];
  }
  team.run(candidates.size(), [&](std::size_t c) { rank(std::span(columns).subspan(c * rows, rows)); });
  return columns;
}

/// For each candidate the later ones that it can be exchanged with.
std::vector<std::vector<std::size_t>> exchangeable(std::span<const float> columns, std::size_t rows, Team& team) {
  const std::size_t count = columns.size() / rows;
  std::vector<std::vector<std::size_t>> later(count);
  team.run(count, [&](std::size_t a) {
    const auto first = columns.subspan(a * rows, rows);
    for (std::size_t b = a + 1; b < count; ++b) {
      const float correlation = std::inner_product(first.begin(), first.end(), columns.subspan(b * rows).begin(), 0.0F);
      if (std::fabs(correlation) >= kInterchangeable) later[a].push_back(b);
    }
  });
  return later;
}

}  // namespace

std::vector<std::uint32_t> clusters_of(const Dataset& data, std::span<const std::size_t> candidates, Team& team) {
  const std::vector<std::uint32_t> sample = sampled_rows(data.rows());
  const std::vector<float> columns = ranked_columns(data, candidates, sample.size(), sample, team);
  const auto later = exchangeable(columns, sample.size(), team);
  // Every feature points to another of its cluster, the first one to itself.
  std::vector<std::size_t> parent(data.features());
  std::iota(parent.begin(), parent.end(), std::size_t{0});
  const auto root = [&](std::size_t feature) {
    while (parent[feature] != feature) feature = parent[feature] = parent[parent[feature]];
    return feature;
  };
  for (std::size_t a = 0; a < later.size(); ++a) {
    for (const std::size_t b : later[a]) {
      const auto [first, second] = std::minmax({root(candidates[a]), root(candidates[b])});
      parent[second] = first;
    }
  }
  std::vector<std::uint32_t> cluster(parent.size());
  std::uint32_t clusters = 0;
  for (std::size_t f = 0; f < parent.size(); ++f) cluster[f] = root(f) == f ? clusters++ : cluster[root(f)];
  return cluster;
}

}  // namespace obverse
