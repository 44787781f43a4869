// How kernels are started.
#pragma once

#include "backend/cuda/kernels.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// So many blocks that each of `count` numbers has its place.
inline unsigned blocks(std::size_t count, std::size_t size) { return static_cast<unsigned>((count + size - 1) / size); }

inline Stepper stepper_of(const ParameterView& p, const AdamFactors* factors) {
  return {p.values, p.gradients, p.first, p.second, factors};
}

}  // namespace obverse::cuda
