// Scores as pages write them: shares in percent, others as they are.
#pragma once

#include <string>
#include <string_view>

#include "metrics/metrics.h"

namespace obverse {

/// Whether scores of the metric are shares, which are shown in percent.
bool is_share(const Metric& metric);

/// 92.8 %, 0.93 or 12.3; "-" for one that is not finite.
std::string shown_score(const Metric& metric, double score);

/// "95 % interval 90.4 to 95.2 %"; empty where it is not known.
std::string shown_interval(const Metric& metric, double low, double high);

}  // namespace obverse
