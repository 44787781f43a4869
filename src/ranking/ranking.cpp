// Order and agreement of scores.
#include <obverse/ranking.h>

#include <algorithm>
#include <numeric>

namespace obverse {

std::vector<std::size_t> descending_order(std::span<const double> scores, std::span<const std::size_t> last) {
  std::vector<char> is_last(scores.size(), 0);
  for (const std::size_t feature : last) is_last[feature] = 1;
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (is_last[a] != is_last[b]) return is_last[a] < is_last[b];
    return scores[a] > scores[b];
  });
  return order;
}

namespace {

double mean_jaccard(std::span<const std::vector<std::size_t>> selections, std::size_t features) {
  std::vector<std::size_t> mark(features, 0);
  double sum = 0;
  std::size_t pairs = 0;
  for (std::size_t i = 0; i < selections.size(); ++i) {
    for (const std::size_t feature : selections[i]) mark[feature] = i + 1;
    for (std::size_t j = i + 1; j < selections.size(); ++j) {
      const auto shared = static_cast<std::size_t>(
          std::count_if(selections[j].begin(), selections[j].end(), [&](std::size_t f) { return mark[f] == i + 1; }));
      const std::size_t either = selections[i].size() + selections[j].size() - shared;
      sum += either == 0 ? 1.0 : static_cast<double>(shared) / static_cast<double>(either);
      ++pairs;
    }
  }
  return pairs == 0 ? 1.0 : sum / static_cast<double>(pairs);
}

/// Of selections without the kept features.
Agreement agreement_of(std::span<const std::vector<std::size_t>> selections, std::size_t features,
                       std::span<const std::size_t> kept) {
  Agreement result;
  result.frequency.assign(features, 0.0);
  if (selections.empty()) return result;
  for (const std::size_t feature : kept) result.frequency[feature] = 1.0;
  const auto count = static_cast<double>(selections.size());
  const auto all = static_cast<double>(features - kept.size());
  double mean_size = 0;
  for (const auto& selection : selections) {
    for (const std::size_t feature : selection) result.frequency[feature] += 1.0 / count;
    mean_size += static_cast<double>(selection.size()) / count;
  }
  result.jaccard = mean_jaccard(selections, features);
  // Nogueira, Sechidis and Brown 2018: 1 - mean_f s_f^2 / (k/D (1 - k/D)), s_f^2 the unbiased variance of "f is
  // selected".
  const double chance = mean_size / all * (1.0 - mean_size / all);
  if (selections.size() > 1 && chance > 0) {
    double variance = 0;
    for (const double p : result.frequency) variance += count / (count - 1.0) * p * (1.0 - p) / all;
    result.stability = 1.0 - variance / chance;
  }
  return result;
}

}  // namespace

Agreement agreement(std::span<const std::vector<std::size_t>> selections, std::size_t features,
                    std::span<const std::size_t> kept) {
  if (kept.empty()) return agreement_of(selections, features, kept);
  std::vector<std::vector<std::size_t>> others(selections.begin(), selections.end());
  for (auto& selection : others) {
    std::erase_if(selection, [&](std::size_t f) { return std::binary_search(kept.begin(), kept.end(), f); });
  }
  return agreement_of(others, features, kept);
}

}  // namespace obverse
