// The data of a selection before anything is trained on it.
#pragma once

#include <obverse/dataset.h>
#include <obverse/options.h>

namespace obverse {

/// The rows that count, as the task sees them. Throws Error where there is nothing to be learned from its target.
Dataset prepared(const Dataset& data, const SelectOptions& options);

/// What `auto` stands for where the metric is known: each class counts the same for balanced accuracy.
ClassWeights class_weights_for(const SelectOptions& options, Task task);

/// With weights so that each class counts the same, beside those that rows have already.
Dataset balanced(const Dataset& data);

}  // namespace obverse
