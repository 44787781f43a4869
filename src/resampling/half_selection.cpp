#include "resampling/half_selection.h"

#include <algorithm>
#include <cmath>
#include <span>

#include <obverse/ranking.h>

#include "downstream/forest.h"
#include "downstream/target.h"
#include "selection/answer.h"
#include "selection/kept.h"

namespace obverse {
namespace {

// Trees that look at many columns in a node and end early: with few true columns among many, sqrt(columns) of them
// often holds none that says anything, and the deep nodes of whole trees split by noise.
constexpr std::size_t kTrees = 200;
constexpr double kCandidateShare = 0.3;
constexpr std::size_t kDepth = 8;
constexpr std::size_t kTreesTurns = 4;  // for each turn of the mask

/// By the mean decrease of impurity, over all targets.
std::vector<std::size_t> order_of_trees(const TrainedSelection& half, Team& team) {
  const FlushDenormals flush;  // as the other threads of the team do
  ForestOptions options = extra_trees();
  options.trees = kTrees;
  options.candidates = static_cast<std::size_t>(std::ceil(kCandidateShare * static_cast<double>(half.fit.columns())));
  options.depth = kDepth;
  options.seed = half.ranked.options.seed;
  std::vector<double> scores(half.fit.features());
  for (const Target& target : targets_of(half.fit)) {
    const std::vector<double> some = Forest(half.fit, all_columns(half.fit), target, options, team).importances();
    for (std::size_t f = 0; f < scores.size(); ++f) {
      for (std::size_t c = half.fit.layout().first(f); c < half.fit.layout().end(f); ++c) scores[f] += some[c];
    }
  }
  return descending_order(scores, half.ranked.constant_features);
}

}  // namespace

std::vector<std::size_t> in_turn(std::span<const std::size_t> mask, std::span<const std::size_t> trees,
                                 std::size_t selected) {
  std::vector<bool> taken(1 + *std::max_element(mask.begin(), mask.end()));
  std::vector<std::size_t> out;
  while (out.size() < selected) {
    std::span<const std::size_t>& left = out.size() % (1 + kTreesTurns) == 0 ? mask : trees;
    while (taken[left.front()]) left = left.subspan(1);
    out.push_back(left.front());
    taken[out.back()] = true;
  }
  return out;
}

std::vector<std::size_t> half_selection(const TrainedSelection& half, std::size_t selected, Team& team) {
  std::vector<std::size_t> order = without_kept(order_for(half, half.kept.size() + selected, {}), half.kept);
  if (trains_networks(half.ranked.options.method)) {
    return in_turn(order, without_kept(order_of_trees(half, team), half.kept), selected);
  }
  order.resize(selected);
  return order;
}

}  // namespace obverse
