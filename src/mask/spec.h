// One description of a mask, from the options of a selection down to the family that makes it. The numbers of a recipe
// (scale, penalty, hidden units, learning rate) stay in its TrainOptions, which go with it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <obverse/loss.h>
#include <obverse/mask.h>

namespace obverse {

/// The mask of a model, what it is trained for and how long.
struct MaskSpec {
  std::string method = "fm";                           ///< the family
  bool remainder = false;                              ///< the complement is (scale - m)/D
  MakeMask own = {};                                   ///< in place of the family
  std::vector<std::size_t> kept = {};                  ///< features that bypass the mask, ascending
  std::size_t selected = 1;                            ///< of the others, for masks trained for a number of features
  std::uint64_t steps = 1;                             ///< of the whole training
  std::shared_ptr<const ComplementaryLoss> loss = {};  ///< of the second path; none: random targets
  bool mean_target = false;                            ///< without a loss of its own: the mean of outputs, not random
};

}  // namespace obverse
