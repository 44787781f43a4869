// The answer of a trained selection for a number of features.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <obverse/selector.h>

#include "selection/training.h"

namespace obverse {

/// The model that serves k features best, and with it the ranking, the agreement of all models and the reason.
Selection answer(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress);

/// The features of the model that serves k features best, best first; all of them. As in `answer`, some of the first k
/// may have been exchanged.
std::vector<std::size_t> order_for(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress);

/// The merits of all models for k features; those of a single model are zero, as there is nothing to choose.
std::vector<Merit> merits_for(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress);

/// Throws Error where a score of the ranking is no finite number.
void require_finite(const Selection& selection);

}  // namespace obverse
