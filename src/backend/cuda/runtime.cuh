// CUDA's runtime: what can go wrong, memory, streams, and the inputs of a step on their way to the device.
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <mutex>
#include <utility>

namespace obverse::cuda {

/// Throws Error with what was tried.
void check(cudaError_t status, const char* what);

/// Held by a thread while it writes down a graph, and by others while they do what waits for the whole device, as
/// cuBLAS does when it begins and ends: CUDA would drop the graph.
std::mutex& graph_mutex();

/// Memory of the device, zero; an Error says how much was asked for and how much there is.
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

class Stream {
 public:
  Stream() { check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream"); }
  ~Stream() { cudaStreamDestroy(stream_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

class Event {
 public:
  Event() { check(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming), "making an event"); }
  ~Event() { cudaEventDestroy(event_); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_ = nullptr;
};

/// The inputs of a step: written by the host into memory that the device reads while the host goes on, a ring
/// of slots, so that a slot is written again only when the copy from it is done.
class Ring {
 public:
  explicit Ring(std::size_t slot_bytes);
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  /// The current slot, free to be written.
  std::byte* slot() const { return memory_ + slot_ * slot_bytes_; }
  std::size_t slot_bytes() const { return slot_bytes_; }
  /// Copies all of it to the device and goes on to the next, which begins as a copy of it. The event is that of the
  /// copy.
  cudaEvent_t send(void* to, cudaStream_t stream);

 private:
  static constexpr std::size_t kSlots = 16;
  std::size_t slot_bytes_;
  std::byte* memory_ = nullptr;
  std::size_t slot_ = 0;
  Event free_[kSlots];
};

}  // namespace obverse::cuda
