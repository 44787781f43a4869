// What is said of every row without any feature.
#pragma once

#include <cstddef>

#include "downstream/target.h"

namespace obverse {

/// The same for every row: the shares of the classes among the learned rows, or the means of the values.
Prediction without_features(const Target& learned, std::size_t rows);

}  // namespace obverse
