// Which of the compiled loops this processor runs.
#include <array>

#include "backend/cpu/distances.h"
#include "backend/cpu/loops.h"

namespace obverse::cpu {

extern const Loops kLoops_plain;
extern const Distances kDistances_plain;
#if defined(__x86_64__)
extern const Loops kLoops_avx2;
extern const Loops kLoops_avx512;
extern const Distances kDistances_avx2;
extern const Distances kDistances_avx512;
#endif

namespace {

// How many of plain, avx2 and avx512 there are here; each needs the one before it.
std::size_t instruction_sets() {
#if defined(__x86_64__)
  if (!(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))) return 1;
  const bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
                      __builtin_cpu_supports("avx512cd");
  return avx512 ? 3 : 2;
#else
  return 1;
#endif
}

// Each table is better than those before it.
template <class Table>
const Table& last_of(std::size_t (*available)(const Table* const**)) {
  const Table* const* tables = nullptr;
  const std::size_t count = available(&tables);
  return *tables[count - 1];
}

}  // namespace

std::size_t available_loops(const Loops* const** tables) {
#if defined(__x86_64__)
  static const std::array<const Loops*, 3> compiled{&kLoops_plain, &kLoops_avx2, &kLoops_avx512};
#else
  static const std::array<const Loops*, 1> compiled{&kLoops_plain};
#endif
  *tables = compiled.data();
  return instruction_sets();
}

std::size_t available_distances(const Distances* const** tables) {
#if defined(__x86_64__)
  static const std::array<const Distances*, 3> compiled{&kDistances_plain, &kDistances_avx2, &kDistances_avx512};
#else
  static const std::array<const Distances*, 1> compiled{&kDistances_plain};
#endif
  *tables = compiled.data();
  return instruction_sets();
}

const Loops& loops() {
  static const Loops& best = last_of(available_loops);
  return best;
}

const Distances& distances() {
  static const Distances& best = last_of(available_distances);
  return best;
}

bool has_half_products() {
#if defined(__x86_64__)
  return instruction_sets() == 3 && __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
}

bool has_byte_products() {
#if defined(__x86_64__)
  return instruction_sets() == 3 && __builtin_cpu_supports("avx512vnni") != 0;
#else
  return false;
#endif
}

}  // namespace obverse::cpu
