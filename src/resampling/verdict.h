// Whether held-out predictions are better than chance.
#pragma once

#include <cstdint>

#include "resampling/held_out.h"

namespace obverse {

/// How often targets that are permuted among the held-out rows of each fold are predicted at least as well as the true
/// ones, each time at the best of all sizes; (1 + times) / (1 + permutations). Groups whose rows all have one target
/// are permuted as blocks, and the targets of rows with times are shifted. Where features are the target, each of them
/// is permuted by itself, and what counts is the share explained of those that were not selected.
double permutation_p(const HeldOut& held, const Metric& metric, std::uint64_t seed, Team& team);

}  // namespace obverse
