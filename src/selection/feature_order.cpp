#include "selection/feature_order.h"

#include <algorithm>

namespace obverse {
namespace {

/// Judging looks at up to half as many features again as are asked for.
std::size_t most_judged(const TrainedSelection& trained) {
  return std::min(trained.fit.features(), trained.largest + trained.largest / 2 + 1);
}

}  // namespace

FeatureOrder::FeatureOrder(const TrainedSelection& trained)
    : trained_(trained),
      keep_(trained.ranked.options.redundancy == Redundancy::keep),
      without_repeats_(trained.read, trained.ranked.options.redundancy, trained.equal, most_judged(trained),
                       trained.ranked.options.seed) {}

}  // namespace obverse
