// In place of what a build with CUDA has for its devices.
#include <obverse/error.h>

#include "backend/device.h"
#include "backend/device_memory.h"
#include "backend/neighbours.h"
#include "backend/ops.h"

namespace obverse {

namespace {

[[noreturn]] void no_cuda() {
  throw Error(Fault::device,
              "this build has no CUDA; configure with -DOBVERSE_CUDA=ON where nvcc is, or use --device cpu");
}

}  // namespace

void require_cuda(int /*device*/) { no_cuda(); }

DeviceMemory cuda_memory(int /*device*/) { no_cuda(); }
std::size_t device_capacity(int /*device*/) { no_cuda(); }
DeviceRoom::DeviceRoom(int device, std::size_t bytes) : device_(device), bytes_(bytes) { no_cuda(); }
DeviceRoom::~DeviceRoom() = default;

std::unique_ptr<Ops> cuda_ops(const GroupShape& /*shape*/, int /*device*/) { no_cuda(); }
std::shared_ptr<const void> cuda_data(const Dataset& /*data*/, int /*device*/) { no_cuda(); }
std::size_t cuda_bytes(const GroupShape& /*shape*/, std::size_t /*hidden*/) { no_cuda(); }

std::vector<std::uint32_t> cuda_nearest_rows(std::span<const float> /*train*/, std::span<const float> /*test*/,
                                             const DeviceSearch& /*search*/) {
  no_cuda();
}
std::vector<std::uint32_t> cuda_nearest_rows(std::span<const std::uint8_t> /*train*/,
                                             std::span<const std::uint8_t> /*test*/, const DeviceSearch& /*search*/) {
  no_cuda();
}

}  // namespace obverse
