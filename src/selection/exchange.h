// A last look at the selected features: single features are exchanged for others that a candidate ranks high, as long
// as nearest neighbours predict the target better.
#pragma once

#include <cstddef>
#include <vector>

#include <obverse/selector.h>

#include "selection/training.h"

namespace obverse {

struct Exchange {
  std::vector<std::size_t> order;  ///< (D) the selected features first, each part in the order of the model
  std::size_t exchanged = 0;       ///< selected features that were not among the first k
  bool is_cut_short = false;       ///< by the deadline
};

/// True if rows may be judged by each other, there are enough of them, and there are other features to select.
bool can_exchange(const TrainedSelection& trained, std::size_t k);

/// Improves the first k features of a model. Each exchange must gain more than its standard error. Kept features stay,
/// and copies of others stay out. The result does not depend on the number of threads.
Exchange exchanged(const TrainedSelection& trained, std::size_t model, std::size_t k, const ProgressCallback& progress);

}  // namespace obverse
