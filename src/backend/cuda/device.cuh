// The device: what can go wrong on it, its memory, and products of many small matrices at once.
#pragma once

#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <obverse/error.h>

namespace obverse::cuda {

void check(cudaError_t status, const char* what);
void check(cublasStatus_t status, const char* what);

/// Memory of the device; an Error says how much was asked for and how much there is.
void* allocate_bytes(std::size_t bytes);

template <class T>
class Array {
 public:
  Array() = default;
  explicit Array(std::size_t count) : count_(count), memory_(static_cast<T*>(allocate_bytes(count * sizeof(T)))) {}
  Array(Array&& other) noexcept
      : count_(std::exchange(other.count_, 0)), memory_(std::exchange(other.memory_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(count_, other.count_);
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Array() { cudaFree(memory_); }

  T* get() const { return memory_; }
  std::size_t size() const { return count_; }

 private:
  std::size_t count_ = 0;
  T* memory_ = nullptr;
};

/// What the host tells the device for a step: written into memory that the device reads while the host goes on, a ring
/// of slots, so that a slot is written again only when the copy from it is done.
class Ring {
 public:
  Ring(std::size_t slot_bytes, cudaStream_t stream);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// The current slot, free to be written.
  std::byte* slot() const { return memory_ + slot_ * slot_bytes_; }
  /// Copies all of it to the device and goes on to the next.
  void send(void* to);

 private:
  static constexpr std::size_t kSlots = 16;
  std::size_t slot_bytes_;
  cudaStream_t stream_;
  std::byte* memory_ = nullptr;
  std::size_t slot_ = 0;
  cudaEvent_t free_[kSlots] = {};
};

/// The type of the numbers in a product.
enum class Number { f32, tf32, bf16 };

/// C = A B for every model, row major: (m,k) (k,n), either of them transposed in memory.
struct BatchedProduct {
  int m, n, k;
  bool transpose_a = false;
  bool transpose_b = false;
  int lda, ldb, ldc;
};

}  // namespace obverse::cuda
