// Features that could take the place of selected ones, because their columns say the same.
#pragma once

#include <cstddef>
#include <vector>

namespace obverse {

/// A feature that could take the place of another one.
struct StandIn {
  std::size_t feature = 0;
  /// 0.85 to 1: the rank correlation without its sign; of two codes, columns of few distinct values, the information
  /// that they share, on the same scale. 1 for equal columns.
  double similarity = 0;
  bool equal = false;  ///< the same values in all rows
};

/// The stand-ins of one selected feature.
struct FeatureStandIns {
  std::size_t feature = 0;
  std::size_t count = 0;         ///< of all of them
  std::vector<StandIn> nearest;  ///< the most similar ones, best first: at most 20
};

/// The stand-ins of a selection, found on at most 2,000 rows.
struct StandIns {
  std::vector<FeatureStandIns> features;           ///< the selected features that have any, best first
  std::vector<std::vector<std::size_t>> clusters;  ///< groups of selected features and their stand-ins, ascending
};

}  // namespace obverse
