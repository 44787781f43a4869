// The answer of a trained selection for a number of features.
#pragma once

#include <cstddef>

#include <obverse/selector.h>

#include "selection/training.h"

namespace obverse {

/// The model that serves k features best, and with it the ranking, the agreement of all models and the reason.
Selection answer(const TrainedSelection& trained, std::size_t k, const ProgressCallback& progress);

/// The features of the model that serves k features best, best first; all of them.
std::span<const std::size_t> order_for(const TrainedSelection& trained, std::size_t k,
                                       const ProgressCallback& progress);

/// Throws Error where a score of the ranking is no finite number.
void require_finite(const Selection& selection);

}  // namespace obverse
