// In place of the operations on CUDA devices in a build without them.
#include <obverse/error.h>

#include "backend/neighbours.h"
#include "backend/ops.h"

namespace obverse {

namespace {

[[noreturn]] void refuse() {
  throw Error(Fault::device,
              "this build knows no CUDA devices: configure it with -DOBVERSE_CUDA=ON, or use the processor");
}

}  // namespace

std::unique_ptr<Ops> cuda_ops(const GroupShape& /*shape*/, int /*device*/) { refuse(); }

std::vector<std::uint32_t> cuda_nearest_rows(std::span<const float> /*train*/, std::span<const float> /*test*/,
                                             const DeviceSearch& /*search*/) {
  refuse();
}

std::vector<std::uint32_t> cuda_nearest_rows(std::span<const std::uint8_t> /*train*/,
                                             std::span<const std::uint8_t> /*test*/, const DeviceSearch& /*search*/) {
  refuse();
}

}  // namespace obverse
