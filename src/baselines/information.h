// What features of several columns tell about the class. The score of a feature is that of its best part p of m:
//   I(p; class) - E[I] - sd[I] q_m
// E and sd are those of independent variables with the same counts, and q_m is the median of the largest of m standard
// normal numbers: pure noise is above 0 half of the time, whatever the number of its levels and columns.
#pragma once

#include <functional>

#include "baselines/bins.h"

namespace obverse {

/// The bins of a category are its levels; a missing number has a bin of its own.
struct BinnedFeature {
  BinnedColumn column;     ///< of the best part; one bin where every part is constant
  double information = 0;  ///< at least -log(classes), which constant features have
};

/// Calls body(feature, binned) once for each feature, from all threads of the team, in no particular order.
void each_binned_feature(const Dataset& data, Team& team, const Variable& classes, const RowWeights& weights,
                         std::span<const double> terms,
                         const std::function<void(std::size_t feature, BinnedFeature& binned)>& body);

}  // namespace obverse
