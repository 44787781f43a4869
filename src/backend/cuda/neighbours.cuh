// Nearest rows on a CUDA device.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/device.h"

namespace obverse::cuda {

/// As Device::nearest_rows has it, on the device of a number.
std::vector<std::uint32_t> nearest_rows(const RowSearch& search, int device, Team& team);

}  // namespace obverse::cuda
