// The inner loops behind votes: distances to all rows, and which of them are small. One source, vote_loops.cpp, is
// compiled for several instruction sets (backend/loop_tables.h). All sets give the same bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instruction_set.h"

namespace obverse {

/// Distances that are compared at once. Arrays of distances and of a column's values are padded to a multiple of it.
constexpr std::size_t kVoteLanes = 16;

struct VoteBlock {
  std::size_t at;       ///< the number of its first lane
  std::uint32_t small;  ///< a bit for each lane whose number is at most the bound, the first lane lowest
  float numbers[kVoteLanes];
};

struct VoteLoops {
  // to[j] = from[j] + sign * (z[j] - own)^2, (n) for n a multiple of kVoteLanes; sign is 1 or -1; `to` may be `from`
  void (*add_term)(const float* from, const float* z, float own, float sign, std::size_t n, float* to);
  // The first block of lanes, from `begin` on, that holds numbers of at most `bound`: begin <= at < n, all multiples of
  // kVoteLanes, or n where there is none. The first for the numbers of add_term, which are not stored; the second for
  // numbers as they are
  VoteBlock (*find_term)(const float* from, const float* z, float own, float sign, std::size_t begin, std::size_t n,
                         float bound);
  VoteBlock (*find)(const float* from, std::size_t begin, std::size_t n, float bound);

  OBVERSE_COMPILED(VoteLoops)
};

}  // namespace obverse
