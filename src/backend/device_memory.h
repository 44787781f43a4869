// The memory of a CUDA device: how much there is, and who of this process has it.
#pragma once

#include <cstddef>

namespace obverse {

struct DeviceMemory {
  std::size_t free = 0;
  std::size_t total = 0;
};
/// Bytes of the device as they are now; throws Error where there is none.
DeviceMemory cuda_memory(int device);

/// Bytes that this process may take of the device: most of what was free when it was first asked, or what the
/// environment variable OBVERSE_GPU_MEMORY (MiB) allows.
std::size_t device_capacity(int device);

/// A share of that for one group of models. Waits until others have returned theirs.
class DeviceRoom {
 public:
  DeviceRoom(int device, std::size_t bytes);
  ~DeviceRoom();
  DeviceRoom(const DeviceRoom&) = delete;
  DeviceRoom& operator=(const DeviceRoom&) = delete;

 private:
  int device_;
  std::size_t bytes_;
};

}  // namespace obverse
