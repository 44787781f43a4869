// Parts of data sets that are put together.
#pragma once

#include <obverse/dataset.h>

namespace obverse {

/// Targets, weights, groups and times of the rows, for a data set with other columns: without values, names of features
/// and the shape of pictures.
DatasetParts row_parts(const Dataset& data);

}  // namespace obverse
