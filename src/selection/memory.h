// Whether the memory suffices, asked before any of it is taken.
#pragma once

#include <cstdint>

#include <obverse/dataset.h>
#include <obverse/options.h>

namespace obverse {

/// Bytes that ranking the features of the data takes at the very least: one network of the smallest recipe, or the
/// scores of a baseline.
std::uint64_t least_memory(const Dataset& data, const SelectOptions& options);

/// Throws Error where that is more than `max_memory`, or than the machine has where nobody set it.
void require_memory(const Dataset& data, const SelectOptions& options);

}  // namespace obverse
