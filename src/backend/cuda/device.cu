#include "backend/cuda/device.h"

#include <algorithm>
#include <condition_variable>
#include <cstdlib>
#include <mutex>

#include <obverse/error.h>

#include "backend/cuda/neighbours.cuh"
#include "backend/cuda/ops.cuh"
#include "backend/cuda/runtime.cuh"

namespace obverse::cuda {
namespace {

void require_device(int number) {
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
  check(status, "looking for devices");
  if (number >= count) {
    throw Error(Fault::device,
                cat("there is no CUDA device ", number, ": this machine has ", count,
                    count == 1 ? " (cuda:0)" : cat(" (cuda:0 to cuda:", count - 1, ")"), "; try --device cuda:0"));
  }
  int major = 0;
  check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, number), "asking what it can do");
  if (major < 8) {
    throw Error(Fault::device, cat("CUDA device ", number, " has compute capability ", major,
                                   ".x; 8.0 (Ampere) or later is needed; use --device cpu"));
  }
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number) : number_(number) { require_device(number); }

  std::string name() const override { return number_ == 0 ? "cuda" : cat("cuda:", number_); }
  std::string_view title() const override { return "GPU"; }

  Precision preferred_precision() const override { return Precision::bf16; }
  void require_precision(Precision /*precision*/) const override {}  // it has all of them

  std::unique_ptr<Ops> make_ops(const GroupShape& shape, Team& /*team*/) const override {
    return std::make_unique<CudaOps>(shape, number_);
  }
  bool prefers_wide_groups() const override { return true; }

  DeviceMemory memory() const override {
    check(cudaSetDevice(number_), "choosing the device");
    DeviceMemory memory;
    check(cudaMemGetInfo(&memory.free, &memory.total), "asking for its memory");
    return memory;
  }

  std::size_t capacity() const override {
    const std::lock_guard lock(mutex_);
    return locked_capacity();
  }

  std::size_t group_bytes(const GroupShape& shape, std::size_t hidden) const override {
    return CudaOps::bytes(shape, hidden);
  }

  Held reserve(std::size_t bytes) const override { return std::make_shared<Share>(*this, bytes); }
  Held hold(const Dataset& data) const override { return shared_data(data, number_); }

  std::vector<std::uint32_t> nearest_rows(const RowSearch& search, Team& team) const override {
    return cuda::nearest_rows(search, number_, team);
  }

 private:
  // A part of the capacity.
  class Share {
   public:
    Share(const CudaDevice& device, std::size_t bytes) : device_(device), bytes_(bytes) {
      std::unique_lock lock(device.mutex_);
      const std::size_t capacity = device.locked_capacity();
      device.returned_.wait(lock, [&] { return device.taken_ == 0 || device.taken_ + bytes <= capacity; });
      device.taken_ += bytes;
    }
    ~Share() {
      const std::lock_guard lock(device_.mutex_);
      device_.taken_ -= bytes_;
      device_.returned_.notify_all();
    }
    Share(const Share&) = delete;
    Share& operator=(const Share&) = delete;

   private:
    const CudaDevice& device_;
    std::size_t bytes_;
  };

  // Most of what was free when first asked, a part is for libraries; less where the environment variable
  // OBVERSE_GPU_MEMORY (MiB) says so.
  std::size_t locked_capacity() const {
    if (capacity_ == 0) capacity_ = memory().free / 100 * 92;
    const char* text = std::getenv("OBVERSE_GPU_MEMORY");
    if (text == nullptr || *text == '\0') return capacity_;
    char* end = nullptr;
    const unsigned long long limit = std::strtoull(text, &end, 10);
    if (*end != '\0' || limit == 0 || limit > (1ULL << 32)) {
      throw Error(Fault::usage, cat("OBVERSE_GPU_MEMORY is '", text, "'; expected a number of MiB such as 4096"));
    }
    return std::min<std::size_t>(capacity_, limit << 20);
  }

  int number_;
  mutable std::mutex mutex_;
  mutable std::condition_variable returned_;
  mutable std::size_t capacity_ = 0;  // of this process; 0 until somebody asks
  mutable std::size_t taken_ = 0;     // of it
};

}  // namespace

std::unique_ptr<Device> open_device(int number) { return std::make_unique<CudaDevice>(number); }

}  // namespace obverse::cuda
