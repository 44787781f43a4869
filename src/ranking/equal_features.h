// Columns that hold the same values in all rows, in any storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "support/team.h"

namespace obverse {

/// A feature and the first one whose values are the same in all rows.
struct EqualFeatures {
  std::size_t first = 0;
  std::size_t second = 0;
};

/// Each feature that is equal to an earlier one, ascending. Features in `constant` are compared with none. Values too
/// small for normal form count as zero, as in training.
std::vector<EqualFeatures> equal_features(const Dataset& data, std::span<const std::size_t> constant, Team& team);

}  // namespace obverse
