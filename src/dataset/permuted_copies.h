// Columns that are known to say nothing about the target: copies of the features with their rows permuted.
#pragma once

#include <cstdint>

#include <obverse/dataset.h>

namespace obverse {

/// The D features, and behind them a copy of each with its rows permuted, in the same storage: feature D + f is the
/// copy of f. All copies share one permutation, so that they depend on each other as the features do, and on nothing
/// else.
Dataset with_permuted_copies(const Dataset& data, std::uint64_t seed);

}  // namespace obverse
