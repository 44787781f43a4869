// How columns are brought to a common scale: an affine map that is applied where values are read, never a copy.
#pragma once

#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>

#include "backend/affine.h"

namespace obverse {

/// x * scale + offset by column: how values are seen, without a copy of the data.
struct Affine {
  std::vector<float> scale;   ///< (columns)
  std::vector<float> offset;  ///< (columns)

  operator AffineView() const { return {scale, offset}; }
};

/// The map fitted on these rows. `automatic` divides pixels by 255 and standardises everything else. Pixels are the
/// bytes of pictures, and other bytes where at least half of the columns that vary do so by 128 or more. Constant
/// columns are moved to zero and not stretched. Numbers too small for a normal float32 count as zero, as in training. A
/// factor is a normal float32 too: columns that vary by more than 8.5e37 end up wider than others, by four at most.
/// Standardising gives the columns of one feature a variance of one together.
Affine fit_scaling(const Dataset& data, Scaling scaling);

}  // namespace obverse
