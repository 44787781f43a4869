// How often a prediction is right.
#pragma once

#include <cstdint>
#include <span>

namespace obverse {

/// Share of the rows whose predicted class is their label.
double accuracy(std::span<const std::int32_t> predicted, std::span<const std::int32_t> labels);

}  // namespace obverse
