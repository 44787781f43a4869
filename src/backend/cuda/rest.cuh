// The step of everything behind v1, and the totals of the losses.
//   M models   Q paths
#pragma once

#include "backend/cuda/arithmetic.cuh"

namespace obverse::cuda {

/// What the blocks of pass_layers found, (M,parts,Q) and (M,parts), and the totals (M,Q) and (M) that it is added to.
struct FoundParts {
  const double* losses;
  const double* right;
  std::size_t parts, Q;
  double* totals;
  double* hits;

  __device__ void add(std::size_t m, std::size_t q) const {
    double sum = 0;
    for (std::size_t part = 0; part < parts; ++part) sum += losses[(m * parts + part) * Q + q];
    totals[m * Q + q] += sum;
    for (std::size_t part = 0; q == 0 && part < parts; ++part) hits[m] += right[m * parts + part];
  }
};
/// A block for each model.
static __global__ void add_found(FoundParts found) {
  wait_for_previous();
  if (threadIdx.x < found.Q) found.add(blockIdx.x, threadIdx.x);
}

/// The step of all parameters behind v1: their gradients are (M, parts, gradient_stride), summed over parts in their
/// order.
struct RestArgs {
  const float* gradients;
  std::size_t parts, gradient_stride, count, offset, parameter_stride;
  Stepper stepper;
  FoundParts found;  // without losses: nothing to add
};

/// A part of it for each block of threads, kWidth numbers a thread.
template <int kWidth>
__device__ void step_rest_part(const RestArgs& a, std::size_t m, std::size_t block) {
  const std::size_t i = (block * blockDim.x + threadIdx.x) * kWidth;
  if (i < a.count) {
    const std::size_t at = m * a.parameter_stride + a.offset + i;
    const Numbers<kWidth> value = read_many<kWidth>(a.stepper.values, at);
    Numbers<kWidth> gradient{};
#pragma unroll 8
    for (std::size_t part = 0; part < a.parts; ++part) {
      const auto more = read_many<kWidth>(a.gradients, (m * a.parts + part) * a.gradient_stride + i);
#pragma unroll
      for (int j = 0; j < kWidth; ++j) gradient.of[j] += more.of[j];
    }
    a.stepper.step_many(at, value, gradient);
  }
  if (a.found.losses != nullptr && i / kWidth < a.found.Q) a.found.add(m, i / kWidth);
}
template <int kWidth>
__global__ void step_rest(const __grid_constant__ RestArgs a) {
  wait_for_previous();
  step_rest_part<kWidth>(a, blockIdx.y, blockIdx.x);
}

}  // namespace obverse::cuda
