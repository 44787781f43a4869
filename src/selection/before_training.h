// A selection up to its training.
#pragma once

#include "selection/training.h"

namespace obverse {

/// Completes the options, checks them with the data, and finds the features that need no training: constant, equal and
/// kept ones.
TrainedSelection before_training(const SelectionTask& task);

}  // namespace obverse
