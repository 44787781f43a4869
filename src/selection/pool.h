// Masks and rankers that compete: method auto.
#pragma once

#include <span>
#include <vector>

#include "selection/training.h"

namespace obverse {

/// Finds the candidates of every task. Rankers come first, then the masks of all tasks as one sweep; of many masks only
/// the best are trained to their end. Where folds choose between candidates, the rankers and the best masks are fitted
/// again without the rows of each, the masks in a second sweep.
void train_pools(std::vector<TrainedSelection>& all, std::span<const SelectionTask> tasks,
                 const ProgressCallback& progress, Deadline deadline);

}  // namespace obverse
