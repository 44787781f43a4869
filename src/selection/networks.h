// The networks of selections: what they see of the data, and their models as candidates.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selection/training.h"
#include "trainer/sweep.h"

namespace obverse {

/// The models of each selection, and what they are trained on; its tables are numbers from here on.
std::vector<SweepPart> sweep_parts(std::span<TrainedSelection> all);

/// The models of these numbers; all of them where none are named.
std::vector<ModelSpec> those_of(std::vector<ModelSpec> models, std::span<const std::size_t> numbers);

/// Leaves a tenth of the time to the choice between models.
Deadline share_for_training(Deadline deadline);

/// The networks of all selections as one sweep; returns the seconds it took. A note says which ones the deadline found
/// in training.
double train_networks(std::span<TrainedSelection> all, std::span<const SweepPart> parts,
                      const ProgressCallback& progress, Deadline deadline);

}  // namespace obverse
