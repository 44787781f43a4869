// A few threads that run the same loop together many thousand times a second: between two loops they spin for a while
// before they sleep, so that a loop of a tenth of a millisecond is worth sharing. A loop ends when its tasks are done:
// it never waits for a worker that has not begun, which on a busy machine may not even have a processor.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <vector>

#include "support/threads.h"

namespace obverse {

/// The caller and `size() - 1` workers: fewer than asked for where the system has no more threads, with the same
/// results. One loop at a time; only the thread that made the team may start one.
class Team {
 public:
  explicit Team(std::size_t size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  std::size_t size() const { return workers_.size() + 1; }

  /// Calls body(task) once for every task below `tasks`, in no particular order. A member begins with the same share of
  /// the tasks in every loop, so that what it wrote for a task is still near it in the next loop, then helps the
  /// others. What a body throws is thrown again here.
  template <class Body>
  void run(std::size_t tasks, Body&& body) {
    if (workers_.size() == 0 || tasks <= 1) {
      for (std::size_t task = 0; task < tasks; ++task) body(task);
      return;
    }
    using Plain = std::remove_reference_t<Body>;
    start(
        tasks, [](void* context, std::size_t task) { (*static_cast<Plain*>(context))(task); },
        const_cast<void*>(static_cast<const void*>(std::addressof(body))));
  }

 private:
  using Call = void (*)(void*, std::size_t);
  void start(std::size_t tasks, Call call, void* context);
  void work(std::size_t member);
  void take_tasks(std::size_t member);

  // A line of the cache each: on processors of several dies a line that two threads write costs half a microsecond.
  static constexpr std::size_t kLine = 64;
  struct alignas(kLine) Share {  // the tasks of one member
    std::atomic<std::size_t> next{0};
    std::size_t end = 0;
  };

  std::vector<Share> shares_;  // (size asked for); members help with shares that have none
  Call call_ = nullptr;
  void* context_ = nullptr;
  std::exception_ptr failure_;
  std::atomic<bool> failed_{false};
  std::atomic<bool> leaving_{false};
  alignas(kLine) std::atomic<std::uint32_t> loop_{0};  // counts loops; workers wait for it to change
  alignas(kLine) std::atomic<std::uint32_t> door_{0};  // workers inside the loop, and whether more may come in
  Threads workers_;                                    // last: they use all of the above
};

/// Processors this process may use.
std::size_t available_threads();

/// While it lives, this thread treats numbers too small for normal form as zero: they would cost a hundred times more.
class FlushDenormals {
 public:
  FlushDenormals();
  ~FlushDenormals();
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
  unsigned saved_;
};

}  // namespace obverse
