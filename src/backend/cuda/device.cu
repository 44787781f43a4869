#include "backend/cuda/device.cuh"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>

#include <obverse/error.h>

#include "backend/device.h"
#include "backend/device_memory.h"

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

namespace obverse {

namespace {

// What this process may take of each device, and what it has given out.
struct Ledger {
  std::mutex mutex;
  std::condition_variable returned;
  std::map<int, std::size_t> capacity;
  std::map<int, std::size_t> taken;
};
Ledger& ledger() {
  static Ledger one;
  return one;
}

// Most of what was free when first asked, a part is for libraries; less where the environment says so.
std::size_t capacity_of(Ledger& book, int device) {
  auto found = book.capacity.find(device);
  if (found == book.capacity.end()) found = book.capacity.emplace(device, cuda_memory(device).free / 100 * 92).first;
  const char* text = std::getenv("OBVERSE_GPU_MEMORY");
  if (text == nullptr || *text == '\0') return found->second;
  char* end = nullptr;
  const unsigned long long limit = std::strtoull(text, &end, 10);
  if (*end != '\0' || limit == 0 || limit > (1ULL << 32)) {
    throw Error(Fault::usage, cat("OBVERSE_GPU_MEMORY is '", text, "'; expected a number of MiB such as 4096"));
  }
  return std::min<std::size_t>(found->second, limit << 20);
}

}  // namespace

void require_cuda(int device) {
  int driver = 0;
  if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) {
    static_cast<void>(cudaGetLastError());
    throw Error(Fault::device, "no CUDA driver on this machine; install NVIDIA's, or use --device cpu");
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  static_cast<void>(cudaGetLastError());
  if (status == cudaErrorInsufficientDriver) {
    throw Error(Fault::device, cat("the CUDA driver is too old: it knows CUDA ", driver / 1000, '.', driver % 1000 / 10,
                                   ", this build needs ", CUDART_VERSION / 1000, '.', CUDART_VERSION % 1000 / 10,
                                   "; install a newer driver, or use --device cpu"));
  }
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    throw Error(Fault::device, "no CUDA device on this machine; use --device cpu");
  }
  cuda::check(status, "looking for devices");
  if (device >= count) {
    throw Error(Fault::device,
                cat("there is no CUDA device ", device, ": this machine has ", count,
                    count == 1 ? " (cuda:0)" : cat(" (cuda:0 to cuda:", count - 1, ")"), "; try --device cuda:0"));
  }
  int major = 0;
  cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device), "asking what it can do");
  if (major < 8) {
    throw Error(Fault::device, cat("CUDA device ", device, " has compute capability ", major,
                                   ".x; 8.0 (Ampere) or later is needed; use --device cpu"));
  }
}

DeviceMemory cuda_memory(int device) {
  require_cuda(device);
  cuda::check(cudaSetDevice(device), "choosing the device");
  DeviceMemory memory;
  cuda::check(cudaMemGetInfo(&memory.free, &memory.total), "asking for its memory");
  return memory;
}

std::size_t device_capacity(int device) {
  Ledger& book = ledger();
  const std::lock_guard lock(book.mutex);
  return capacity_of(book, device);
}

DeviceRoom::DeviceRoom(int device, std::size_t bytes) : device_(device), bytes_(bytes) {
  Ledger& book = ledger();
  std::unique_lock lock(book.mutex);
  const std::size_t capacity = capacity_of(book, device);
  std::size_t& taken = book.taken[device];
  book.returned.wait(lock, [&] { return taken == 0 || taken + bytes <= capacity; });
  taken += bytes;
}

DeviceRoom::~DeviceRoom() {
  Ledger& book = ledger();
  const std::lock_guard lock(book.mutex);
  book.taken[device_] -= bytes_;
  book.returned.notify_all();
}

}  // namespace obverse
