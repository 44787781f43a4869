// How often a prediction is right.
#pragma once

#include <cstdint>
#include <span>

#include "downstream/target.h"

namespace obverse {

/// Share of the rows whose most probable class is their label.
double accuracy(const Prediction& prediction, std::span<const std::int32_t> labels);

}  // namespace obverse
