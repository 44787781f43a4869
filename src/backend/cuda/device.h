// CUDA devices. In builds with CUDA alone.
#pragma once

#include <memory>

#include "backend/device.h"

namespace obverse::cuda {

/// Counted from 0; throws Error where it cannot be used.
std::unique_ptr<Device> open_device(int number);

}  // namespace obverse::cuda
