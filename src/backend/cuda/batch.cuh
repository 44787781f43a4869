// The batches of a step, gathered from the data as they are stored: a block of threads for each row.
//   S batches of B rows (`rows` of them in this step)   D columns, `lead` numbers from row to row
#pragma once

#include "backend/cuda/arithmetic.cuh"

namespace obverse::cuda {

/// out (S,B,lead) = values[rows (S,rows)] * scale + offset
template <class Value, class T>
__global__ void gather_dense(const Value* __restrict__ values, std::size_t D, const std::uint32_t* __restrict__ rows,
                             const float* __restrict__ scale, const float* __restrict__ offset, std::size_t B,
                             std::size_t lead, T* __restrict__ out) {
  wait_for_previous();
  const Value* from = values + std::size_t{rows[blockIdx.y * gridDim.x + blockIdx.x]} * D;
  T* to = out + (blockIdx.y * B + blockIdx.x) * lead;
#pragma unroll 4
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
    write(to, d, static_cast<float>(from[d]) * scale[d] + offset[d]);
  }
}

template <class T>
__global__ void gather_sparse(const std::size_t* row_begin, const std::uint32_t* columns, const float* values,
                              std::size_t D, const std::uint32_t* rows, const float* scale, const float* offset,
                              std::size_t B, std::size_t lead, T* out) {
  wait_for_previous();
  const std::size_t row = rows[blockIdx.y * gridDim.x + blockIdx.x];
  T* to = out + (blockIdx.y * B + blockIdx.x) * lead;
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) write(to, d, offset[d]);
  __syncthreads();
  for (std::size_t i = row_begin[row] + threadIdx.x; i < row_begin[row + 1]; i += blockDim.x) {
    const std::uint32_t d = columns[i];
    write(to, d, offset[d] + values[i] * scale[d]);
  }
}

}  // namespace obverse::cuda
