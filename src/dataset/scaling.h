// How columns are brought to a common scale: an affine map that is applied where values are read, never a copy.
#pragma once

#include <obverse/dataset.h>
#include <obverse/options.h>

#include "backend/ops.h"

namespace obverse {

/// The map fitted on these rows. `automatic` divides bytes by 255 and standardises everything else. Constant columns
/// are moved to zero and not stretched.
Affine fit_scaling(const Dataset& data, Scaling scaling);

}  // namespace obverse
