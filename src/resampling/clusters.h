// Columns that can take each other's place.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "support/team.h"

namespace obverse {

/// (D) the number of each feature's cluster, from 0 in the order of their first features. Candidates whose ranks
/// correlate by 0.85 or more, of either sign, are in one cluster, and so is what is connected by them; equal columns
/// among them. Every other feature is alone. Looks at 2,000 rows at most.
std::vector<std::uint32_t> clusters_of(const Dataset& data, std::span<const std::size_t> candidates, Team& team);

}  // namespace obverse
