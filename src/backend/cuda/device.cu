#include "backend/cuda/device.cuh"

#include <cstring>

namespace obverse::cuda {

void check(cudaError_t status, const char* what) {
  if (status == cudaSuccess) return;
  throw Error(Fault::device, cat("the GPU failed at ", what, ": ", cudaGetErrorString(status)));
}

void check(cublasStatus_t status, const char* what) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(Fault::device, cat("cuBLAS failed at ", what, ": ", cublasGetStatusString(status)));
}

void* allocate_bytes(std::size_t bytes) {
  void* memory = nullptr;
  const std::size_t asked = bytes == 0 ? 16 : bytes;
  if (cudaMalloc(&memory, asked) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total), "asking for its memory");
    throw Error(Fault::device, cat("not enough memory on the GPU: ", asked >> 20, " MiB asked for, ", free >> 20,
                                   " of ", total >> 20, " MiB free; try fewer seeds at once or a smaller width"));
  }
  check(cudaMemset(memory, 0, asked), "clearing memory");
  return memory;
}

Ring::Ring(std::size_t slot_bytes, cudaStream_t stream) : slot_bytes_((slot_bytes + 255) / 256 * 256), stream_(stream) {
  check(cudaMallocHost(reinterpret_cast<void**>(&memory_), kSlots * slot_bytes_), "taking memory of the host");
  for (cudaEvent_t& event : free_) check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "making an event");
}

Ring::~Ring() {
  for (cudaEvent_t event : free_) cudaEventDestroy(event);
  cudaFreeHost(memory_);
}

void Ring::send(void* to) {
  check(cudaMemcpyAsync(to, slot(), slot_bytes_, cudaMemcpyHostToDevice, stream_), "copying to the device");
  check(cudaEventRecord(free_[slot_], stream_), "recording an event");
  // What stays the same from step to step need not be written again.
  const std::byte* before = slot();
  slot_ = (slot_ + 1) % kSlots;
  check(cudaEventSynchronize(free_[slot_]), "waiting for a copy");
  std::memcpy(slot(), before, slot_bytes_);
}

}  // namespace obverse::cuda
