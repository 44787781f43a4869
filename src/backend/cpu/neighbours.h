// Nearest rows on the processor.
#pragma once

#include <cstdint>
#include <vector>

#include "backend/device.h"
#include "support/team.h"

namespace obverse::cpu {

/// As Device::nearest_rows has it.
std::vector<std::uint32_t> nearest_rows(const RowSearch& search, Team& team);

}  // namespace obverse::cpu
