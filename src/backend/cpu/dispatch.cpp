// Which of the compiled loops this processor runs.
#include <array>

#include "backend/cpu/loops.h"

namespace obverse::cpu {

extern const Loops kLoops_plain;
#if defined(__x86_64__)
extern const Loops kLoops_avx2;
extern const Loops kLoops_avx512;
#endif

std::size_t available_loops(const Loops* const** tables) {
  static std::array<const Loops*, 3> found{&kLoops_plain};
  static const std::size_t count = [] {
    std::size_t n = 1;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) {
      found[n++] = &kLoops_avx2;
      if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
          __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
          __builtin_cpu_supports("avx512cd")) {
        found[n++] = &kLoops_avx512;
      }
    }
#endif
    return n;
  }();
  *tables = found.data();
  return count;
}

const Loops& loops() {
  static const Loops& best = []() -> const Loops& {
    const Loops* const* tables = nullptr;
    const std::size_t count = available_loops(&tables);
    return *tables[count - 1];
  }();
  return best;
}

}  // namespace obverse::cpu
