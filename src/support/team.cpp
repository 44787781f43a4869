// The threads of a team and how they wait.
#include "support/team.h"

#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <thread>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace obverse {

namespace {

// Longer than the serial parts of a training step, so that a thread does not fall asleep in each of them.
constexpr int kSpins = 20000;
constexpr std::uint32_t kOpen = 1U << 31;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#endif
}

// Returns once `value` is no longer `old`.
void await_change(const std::atomic<std::uint32_t>& value, std::uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    if (value.load(std::memory_order_acquire) != old) return;
    relax();
  }
  while (value.load(std::memory_order_acquire) == old) value.wait(old, std::memory_order_acquire);
}

}  // namespace

Team::Team(std::size_t size) : shares_(std::max<std::size_t>(size, 1)) {
  for (std::size_t i = 1; i < size && workers_.start([this, i] { work(i); }); ++i) {
  }
}

Team::~Team() {
  leaving_.store(true, std::memory_order_relaxed);
  loop_.fetch_add(1, std::memory_order_release);
  loop_.notify_all();
}

void Team::start(std::size_t tasks, Call call, void* context) {
  call_ = call;
  context_ = context;
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    shares_[i].next.store(tasks * i / shares_.size(), std::memory_order_relaxed);
    shares_[i].end = tasks * (i + 1) / shares_.size();
  }
  door_.store(kOpen, std::memory_order_release);
  loop_.fetch_add(1, std::memory_order_release);
  loop_.notify_all();
  take_tasks(0);
  for (std::uint32_t inside = door_.fetch_and(~kOpen, std::memory_order_acq_rel) & ~kOpen; inside != 0;
       inside = door_.load(std::memory_order_acquire)) {
    await_change(door_, inside);
  }
  if (failed_.load(std::memory_order_acquire)) {
    failed_.store(false, std::memory_order_relaxed);
    std::rethrow_exception(std::exchange(failure_, nullptr));
  }
}

void Team::work(std::size_t member) {
  const FlushDenormals flush;
  for (std::uint32_t seen = 0;;) {
    await_change(loop_, seen);
    seen = loop_.load(std::memory_order_acquire);
    if (leaving_.load(std::memory_order_relaxed)) return;
    std::uint32_t door = door_.load(std::memory_order_acquire);
    while ((door & kOpen) != 0 && !door_.compare_exchange_weak(door, door + 1, std::memory_order_acq_rel)) {
    }
    if ((door & kOpen) == 0) continue;
    take_tasks(member);
    if (door_.fetch_sub(1, std::memory_order_acq_rel) == 1) door_.notify_one();
  }
}

void Team::take_tasks(std::size_t member) {
  for (std::size_t i = 0; i < shares_.size(); ++i) {
    Share& share = shares_[(member + i) % shares_.size()];
    for (;;) {
      const std::size_t task = share.next.fetch_add(1, std::memory_order_relaxed);
      if (task >= share.end) break;
      try {
        call_(context_, task);
      } catch (...) {
        if (!failed_.exchange(true)) failure_ = std::current_exception();
      }
    }
  }
}

std::size_t available_threads() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) == 0) return static_cast<std::size_t>(CPU_COUNT(&set));
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : count;
}

#if defined(__x86_64__)
FlushDenormals::FlushDenormals() : saved_(_mm_getcsr()) { _mm_setcsr(saved_ | 0x8040U); }
FlushDenormals::~FlushDenormals() { _mm_setcsr(saved_); }
#elif defined(__aarch64__)
namespace {

// The control register of floating point; bit 24 flushes what is read and what is written.
unsigned control() {
  std::uint64_t value;
  asm volatile("mrs %0, fpcr" : "=r"(value));
  return static_cast<unsigned>(value);
}
void set_control(unsigned value) { asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{value})); }

}  // namespace

FlushDenormals::FlushDenormals() : saved_(control()) { set_control(saved_ | 1U << 24); }
FlushDenormals::~FlushDenormals() { set_control(saved_); }
#else
FlushDenormals::FlushDenormals() : saved_(0) {}
FlushDenormals::~FlushDenormals() { (void)saved_; }
#endif

}  // namespace obverse
