// Threads that are always joined, and a system that has none left: the one place that makes threads.
#pragma once

#include <cstddef>
#include <exception>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace obverse {

/// Threads that end before their owner does. What a body throws is kept and thrown again by `join`.
class Threads {
 public:
  Threads() = default;
  ~Threads() { wait(); }
  Threads(const Threads&) = delete;
  Threads& operator=(const Threads&) = delete;

  std::size_t size() const { return threads_.size(); }

  /// Runs `body` on a new thread. False where the system has no more threads or memory to give: the threads that
  /// there are, or the caller, do the work. Never throws, so that those already started can be told to end.
  template <class Body>
  [[nodiscard]] bool start(Body body) noexcept {
    try {
      threads_.emplace_back([this, body = std::move(body)]() mutable {
        try {
          body();
        } catch (...) {
          const std::lock_guard lock(mutex_);
          if (!failure_) failure_ = std::current_exception();
        }
      });
      return true;
    } catch (const std::system_error&) {
      return false;
    } catch (const std::bad_alloc&) {
      return false;
    }
  }

  /// Starts up to `count` threads with the same body; returns how many run.
  template <class Body>
  std::size_t start_many(std::size_t count, const Body& body) noexcept {
    std::size_t started = 0;
    while (started < count && start(body)) ++started;
    return started;
  }

  /// Waits for all of them, then throws the first thing that one of them threw.
  void join() {
    wait();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

 private:
  void wait() noexcept {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    threads_.clear();
  }

  std::mutex mutex_;
  std::exception_ptr failure_;
  std::vector<std::thread> threads_;
};

}  // namespace obverse
