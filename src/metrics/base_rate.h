// What scores are to be held against.
#pragma once

#include "metrics/metrics.h"

namespace obverse {

/// What the metric gives on `test` without any feature: for the shares of the classes in `train`, or the means of its
/// values; of data without a target for the means of the features.
double base_rate(const Metric& metric, const Dataset& train, const Dataset& test);

}  // namespace obverse
