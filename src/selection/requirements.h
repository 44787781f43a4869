// Whether a selection can be made at all, asked before anything is done for it.
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

/// Throws Error where the method, its complementary loss, its weights or its choice do not go with `options.task`,
/// which is resolved.
void require_task(const SelectOptions& options);

/// Throws Error unless the device of the options can be used and computes in the precision of every recipe that is
/// going to be trained. Cheap: commands ask before they read data.
void require_device(const SelectOptions& options);

/// Throws Error where `control` is asked for together with what it decides by itself, without parts of the rows, or for
/// a method that ranks without a look at the target.
void require_control(const SelectOptions& options);

/// Everything that can be asked of the options before the data are looked at: their bounds, the device, the memory.
void require_usable(const Dataset& data, const SelectOptions& options);

}  // namespace obverse
