// Where networks are trained and neighbours are found: on the processor, or on a CUDA device.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <obverse/options.h>

namespace obverse {

/// What the option `device` names, as the backend counts devices: -1 for `cpu`, 0 for `cuda`, N for `cuda:N`, and for
/// `auto` 0 or -1. Throws Error for any other word.
int device_number(std::string_view word);

/// Throws Error unless this build has CUDA and the device of that number can be used.
void require_cuda(int device);

/// The number of a device that can be used; throws Error for one that cannot.
int usable_device(std::string_view word);

/// Puts `cuda` or `cpu` in the place of `auto`, and the reason among the notes for the user.
void settle_device(std::string& word, std::vector<std::string>& notes);

/// Resolves `auto` to a precision for the device; returns any other precision unchanged.
Precision precision_on(int device, Precision asked);

}  // namespace obverse
