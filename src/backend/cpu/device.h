// This machine's processor as a device.
#pragma once

#include <memory>

#include "backend/device.h"

namespace obverse::cpu {

/// There is one, number 0.
std::unique_ptr<Device> open_device(int number);

}  // namespace obverse::cpu
