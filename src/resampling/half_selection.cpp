#include "resampling/half_selection.h"

#include <array>
#include <span>

#include <obverse/ranking.h>

#include "downstream/forest.h"
#include "downstream/target.h"
#include "selection/answer.h"

namespace obverse {
namespace {

constexpr std::size_t kTrees = 100;  // few are enough: it is the halves that are counted

/// By the mean decrease of impurity, over all targets.
std::vector<std::size_t> order_of_trees(const TrainedSelection& half, Team& team) {
  const FlushDenormals flush;  // as the other threads of the team do
  ForestOptions options = extra_trees();
  options.trees = kTrees;
  options.seed = half.ranked.options.seed;
  std::vector<double> scores(half.fit.features());
  for (const Target& target : targets_of(half.fit)) {
    const std::vector<double> some = Forest(half.fit, all_features(half.fit), target, options, team).importances();
    for (std::size_t f = 0; f < scores.size(); ++f) scores[f] += some[f];
  }
  return descending_order(scores, half.ranked.constant_features);
}

}  // namespace

std::vector<std::size_t> in_turn(std::span<const std::size_t> first, std::span<const std::size_t> second,
                                 std::size_t selected) {
  std::vector<bool> taken(first.size());
  std::vector<std::size_t> out;
  std::array<std::span<const std::size_t>, 2> left{first, second};
  for (std::size_t turn = 0; out.size() < selected; turn = 1 - turn) {
    while (taken[left[turn].front()]) left[turn] = left[turn].subspan(1);
    out.push_back(left[turn].front());
    taken[out.back()] = true;
  }
  return out;
}

std::vector<std::size_t> half_selection(const TrainedSelection& half, std::size_t selected, Team& team) {
  const std::span<const std::size_t> order = order_for(half, selected, {});
  if (trains_networks(half.ranked.options.method)) return in_turn(order, order_of_trees(half, team), selected);
  const auto top = order.first(selected);
  return {top.begin(), top.end()};
}

}  // namespace obverse
