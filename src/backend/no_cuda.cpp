// In place of the operations on CUDA devices in a build without them.
#include <obverse/error.h>

#include "backend/device.h"
#include "backend/device_memory.h"
#include "backend/ops.h"

namespace obverse {

namespace {

[[noreturn]] void no_cuda() {
  throw Error(Fault::device,
              "this build knows no CUDA devices: configure it with -DOBVERSE_CUDA=ON where nvcc is, or use --device cpu");
}

}  // namespace

void require_cuda(int /*device*/) { no_cuda(); }
DeviceMemory cuda_memory(int /*device*/) { no_cuda(); }
std::size_t device_capacity(int /*device*/) { no_cuda(); }
std::size_t cuda_bytes(const GroupShape& /*shape*/, std::size_t /*hidden*/) { no_cuda(); }
std::shared_ptr<const void> cuda_data(const Dataset& /*data*/, int /*device*/) { no_cuda(); }
std::unique_ptr<Ops> cuda_ops(const GroupShape& /*shape*/, int /*device*/) { no_cuda(); }

DeviceRoom::DeviceRoom(int device, std::size_t bytes) : device_(device), bytes_(bytes) { no_cuda(); }
DeviceRoom::~DeviceRoom() = default;

}  // namespace obverse
