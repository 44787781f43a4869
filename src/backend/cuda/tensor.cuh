// Products of 16 x 16 tiles of bf16 on tensor cores, with sums in float, from matrices in the memory of a block of
// threads. A matrix is given by its first number and the numbers from row to row, a multiple of 8 that leaves 8 over a
// multiple of 64, so that the rows of a tile lie in different banks.
//   D (16,8) += A (16,16) B (16,8): lane l holds D[l/4 (+8)][2 (l%4) (+1)] as numbers 0, 1 (2, 3)
#pragma once

#include "backend/cuda/arithmetic.cuh"

namespace obverse::cuda {

using TileA = std::uint32_t[4];  // (16,16)
using TileB = std::uint32_t[4];  // (16,16) as two tiles of (16,8): numbers 0, 1 and 2, 3
using TileSum = float[4];        // (16,8)

template <bool kTransposed>
__device__ void load_tiles(const Half* row, std::uint32_t (&tile)[4]) {
  const auto address = static_cast<std::uint32_t>(__cvta_generic_to_shared(row));
  if constexpr (kTransposed) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tile[0]), "=r"(tile[1]), "=r"(tile[2]), "=r"(tile[3])
                 : "r"(address)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(tile[0]), "=r"(tile[1]), "=r"(tile[2]), "=r"(tile[3])
                 : "r"(address)
                 : "memory");
  }
}

/// A as it stands: (rows, k).
__device__ inline void load_a(const Half* from, int lead, TileA& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_tiles<false>(from + (lane % 16) * lead + lane / 16 * 8, tile);
}
/// A from its transpose: (k, rows).
__device__ inline void load_a_transposed(const Half* from, int lead, TileA& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_tiles<true>(from + (lane % 8 + lane / 16 * 8) * lead + lane / 8 % 2 * 8, tile);
}
/// B as it stands: (k, columns).
__device__ inline void load_b(const Half* from, int lead, TileB& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_tiles<true>(from + (lane % 16) * lead + lane / 16 * 8, tile);
}
/// B from its transpose: (columns, k).
__device__ inline void load_b_transposed(const Half* from, int lead, TileB& tile) {
  const int lane = static_cast<int>(threadIdx.x) % 32;
  load_tiles<false>(from + (lane % 8 + lane / 16 * 8) * lead + lane / 8 % 2 * 8, tile);
}

/// One half of B: its columns 8 half .. 8 half + 7.
__device__ inline void multiply_add(const TileA& a, const TileB& b, int half, TileSum& sum) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * half]), "r"(b[2 * half + 1]));
}

/// A number as the sum of two.
__device__ inline void split(float number, Half& large, Half& small) {
  large = __float2bfloat16(number);
  small = __float2bfloat16(number - __bfloat162float(large));
}

/// Two numbers side by side.
__device__ inline void write_pair(Half* to, float first, float second) {
  *reinterpret_cast<__nv_bfloat162*>(to) = __floats2bfloat162_rn(first, second);
}
__device__ inline float2 read_pair(const Half* from) {
  return __bfloat1622float2(*reinterpret_cast<const __nv_bfloat162*>(from));
}

}  // namespace obverse::cuda
