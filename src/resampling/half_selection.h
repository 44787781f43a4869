// The columns that one half of the rows selects.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "selection/training.h"
#include "support/team.h"

namespace obverse {

/// The first `selected` columns of a half, best first: those of a baseline, or in turn one of a mask and four of
/// extremely randomised trees. A mask leaves out columns that repeat others, and each half leaves out different ones;
/// trees rank all columns that say something high, but miss those that say it only together. Trees have more turns
/// because theirs is the longer list.
std::vector<std::size_t> half_selection(const TrainedSelection& half, std::size_t selected, Team& team);

/// The first `selected` features of both orders in turn, each feature once; both orders have all features.
std::vector<std::size_t> in_turn(std::span<const std::size_t> mask, std::span<const std::size_t> trees,
                                 std::size_t selected);

}  // namespace obverse
