// Values as training sees them: the processor is told to take subnormal numbers for zero.
#pragma once

#include <cfloat>
#include <cmath>
#include <cstdint>

namespace obverse {

inline float flushed(float value) { return std::abs(value) < FLT_MIN ? 0.0F : value; }
inline std::uint8_t flushed(std::uint8_t value) { return value; }

}  // namespace obverse
