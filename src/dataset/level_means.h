// Categories by what their levels say about the target, for networks. Given a flag for each level, a network learns the
// training rows of every level by heart, and its mask prefers categories of many levels whether they say anything or
// not. The mean of the target over the other rows of a level, cross-fitted, is noise where the category is noise.
//   x_r = (sum_{s: level(s) = level(r), fold(s) != fold(r)} y_s + a mean(y)) / (count + a)        a = 5 rows
#pragma once

#include "dataset/splits.h"

namespace obverse {

/// The same features, with a number for each class but the first, for each label or each quantity, at most eight, in
/// place of every category of more than two levels. Numbers of training rows are cross-fitted over five folds; those of
/// test rows come from all training rows. Data without a target and data that are no table stay as they are.
TrainTest with_level_means(const TrainTest& split, std::uint64_t seed);

}  // namespace obverse
