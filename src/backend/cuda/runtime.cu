#include "backend/cuda/runtime.cuh"

#include <algorithm>
#include <cstring>
#include <mutex>

#include <obverse/error.h>

namespace obverse::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw Error(Fault::device, cat("the GPU failed at ", what, ": ", cudaGetErrorString(status)));
}

std::mutex& graph_mutex() {
  static std::mutex one;
  return one;
}

void* allocate_bytes(std::size_t bytes) {
  void* memory = nullptr;
  const std::size_t asked = std::max<std::size_t>(bytes, 16);
  if (cudaMalloc(&memory, asked) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for its memory");
    throw Error(Fault::device, cat("not enough memory on the GPU: ", asked >> 20, " MiB more asked for, ", free >> 20,
                                   " of ", total >> 20, " MiB free; is another program using it?"));
  }
  // Streams do not wait for this one. The whole device must not be waited for: another thread may be writing down a
  // graph.
  check(cudaMemset(memory, 0, asked), "clearing memory");
  check(cudaStreamSynchronize(nullptr), "clearing memory");
  return memory;
}

Ring::Ring(std::size_t slot_bytes) : slot_bytes_((slot_bytes + 255) / 256 * 256) {
  check(cudaMallocHost(reinterpret_cast<void**>(&memory_), kSlots * slot_bytes_), "taking memory of the host");
  std::memset(memory_, 0, kSlots * slot_bytes_);
}

Ring::~Ring() { cudaFreeHost(memory_); }

cudaEvent_t Ring::send(void* to, cudaStream_t stream) {
  const Event& copied = free_[slot_];
  check(cudaMemcpyAsync(to, slot(), slot_bytes_, cudaMemcpyHostToDevice, stream), "copying to the device");
  check(cudaEventRecord(copied, stream), "recording an event");
  const std::byte* before = slot();
  slot_ = (slot_ + 1) % kSlots;
  check(cudaEventSynchronize(free_[slot_]), "waiting for a copy");
  std::memcpy(slot(), before, slot_bytes_);  // what stays the same from step to step need not be written again
  return copied;
}

}  // namespace obverse::cuda
