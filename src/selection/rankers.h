// Selections by methods that train no network: alone, or beside the masks of a pool.
#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "baselines/baselines.h"
#include "selection/training.h"
#include "support/clock.h"

namespace obverse {

/// Ranks by a baseline, from all rows at once: there is nothing to choose, and so nothing to hold out.
void rank_by(const Baseline& baseline, TrainedSelection& trained, const std::function<bool(double)>& progress);

/// The rankers that compete with masks on such data: those that rank for its task, count its weights where it has some,
/// and can hold its values.
std::vector<const Baseline*> pool_rankers(const Dataset& data, const SelectOptions& options);

/// What rankers found.
struct RankedFeatures {
  Models models;
  std::vector<std::string_view> left_out;  ///< names of those that the deadline found at work, or not begun
  double seconds = 0;
};

/// The scores that each ranker finds on the training rows of `trained`, at most 20,000 of them. Each forest has `trees`
/// trees.
RankedFeatures ranked_by(std::span<const Baseline* const> rankers, std::size_t trees, const TrainedSelection& trained,
                         Deadline deadline, const std::function<bool(double)>& progress);

}  // namespace obverse
