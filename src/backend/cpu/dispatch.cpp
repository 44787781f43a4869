// The compiled loops for the instruction set in use.
#include <array>

#include "backend/cpu/distances.h"
#include "backend/cpu/loops.h"
#include "backend/cpu/processor.h"

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

std::size_t sets_in_use() { return static_cast<std::size_t>(arithmetic().set) + 1; }

}  // namespace

std::size_t available_loops(const Loops* const** tables) {
#if defined(__x86_64__)
  static const std::array<const Loops*, 3> compiled{&kLoops_plain, &kLoops_avx2, &kLoops_avx512};
#else
  static const std::array<const Loops*, 1> compiled{&kLoops_plain};
#endif
  *tables = compiled.data();
  return sets_in_use();
}

std::size_t available_distances(const Distances* const** tables) {
#if defined(__x86_64__)
  static const std::array<const Distances*, 3> compiled{&kDistances_plain, &kDistances_avx2, &kDistances_avx512};
#else
  static const std::array<const Distances*, 1> compiled{&kDistances_plain};
#endif
  *tables = compiled.data();
  return sets_in_use();
}

const Loops& loops() {
  const Loops* const* tables = nullptr;
  const std::size_t count = available_loops(&tables);
  return *tables[count - 1];
}

const Distances& distances() {
  const Distances* const* tables = nullptr;
  const std::size_t count = available_distances(&tables);
  return *tables[count - 1];
}

}  // namespace obverse::cpu
