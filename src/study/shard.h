// A study in parts that know nothing of each other: which units a part runs, and which store it writes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "study/units.h"

namespace obverse {

/// Part `number` of `count`, counted from 1.
struct Shard {
  std::size_t number = 1;
  std::size_t count = 1;
};

/// "3/16", or "auto": the rank that srun, a Slurm array or mpirun has put into the environment. Empty text is the whole
/// study. An Error for anything else.
Shard shard_named(std::string_view text);

/// Whether each unit is of a shard. A training and the evaluations of its models are of one, and so are units with the
/// same key; the longest work is dealt out first.
std::vector<char> units_of_shard(std::span<const Unit> units, const Shard& shard);

/// The store that a shard writes: results.db becomes results.3-of-16.db; the whole study keeps the name.
std::string store_of_shard(const std::string& store, const Shard& shard);

}  // namespace obverse
