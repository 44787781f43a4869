// What Selector::fit does, for callers that have their own held-out rows.
#pragma once

#include <span>

#include <obverse/selector.h>

#include "resampling/resamples.h"

namespace obverse {

/// As Selector::fit. The folds, if any, take the place of those that would be made.
Selection fit_with_folds(const Dataset& data, const SelectOptions& options, std::span<const RowSplit> folds,
                         const ProgressCallback& progress);

}  // namespace obverse
