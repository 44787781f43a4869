// Data whose features are groups of columns.
#pragma once

#include <obverse/dataset.h>

#include "readers/column_groups.h"

namespace obverse {

/// The same rows with the columns of each group side by side, as one feature of the group's name. Pictures whose pixels
/// are grouped are pictures no more.
Dataset grouped(const Dataset& data, const GroupedColumns& groups);

}  // namespace obverse
