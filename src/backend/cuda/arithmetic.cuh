// What kernels have in common: numbers in two widths, sums over threads that are always taken in the same order, so
// that a device gives the same bits each time, the step of Adam, and dropout.
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "backend/adam.h"

namespace obverse::cuda {

using Half = __nv_bfloat16;

__device__ inline float read(const float* x, std::size_t i) { return x[i]; }
__device__ inline float read(const Half* x, std::size_t i) { return __bfloat162float(x[i]); }
__device__ inline void write(float* x, std::size_t i, float value) { x[i] = value; }
__device__ inline void write(Half* x, std::size_t i, float value) { x[i] = __float2bfloat16(value); }

/// In every kernel of a step, before it reads or writes memory of the device: what the kernel before it has written is
/// there from here on, and the next one may take its places. What stood there before that kernel began may be read
/// earlier, because kernels let the next begin only behind this line.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}

/// kWidth numbers that lie side by side, 1 or 4, read or written at once; `i` is a multiple of kWidth.
template <int kWidth>
struct Numbers {
  float of[kWidth];
};
template <int kWidth>
__device__ Numbers<kWidth> read_many(const float* x, std::size_t i) {
  if constexpr (kWidth == 4) {
    const float4 numbers = *reinterpret_cast<const float4*>(x + i);
    return {numbers.x, numbers.y, numbers.z, numbers.w};
  } else {
    return {x[i]};
  }
}
template <int kWidth>
__device__ void write_many(float* x, std::size_t i, const Numbers<kWidth>& numbers) {
  if constexpr (kWidth == 4) {
    // In memory of the device; plain assignments come out as four stores.
    __stwb(reinterpret_cast<float4*>(x + i), make_float4(numbers.of[0], numbers.of[1], numbers.of[2], numbers.of[3]));
  } else {
    x[i] = numbers.of[0];
  }
}
template <int kWidth>
__device__ void write_many(Half* x, std::size_t i, const Numbers<kWidth>& numbers) {
  if constexpr (kWidth == 4) {
    __nv_bfloat162 pairs[2] = {__floats2bfloat162_rn(numbers.of[0], numbers.of[1]),
                               __floats2bfloat162_rn(numbers.of[2], numbers.of[3])};
    *reinterpret_cast<uint2*>(x + i) = *reinterpret_cast<uint2*>(pairs);
  } else {
    x[i] = __float2bfloat16(numbers.of[0]);
  }
}

__device__ inline float leaky(float x, float leak) { return x > 0 ? x : leak * x; }

/// Over kLanes threads side by side; all of the warp take part.
template <int kLanes = 32>
__device__ float lane_sum(float x) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) x += __shfl_xor_sync(0xFFFFFFFFU, x, offset);
  return x;
}
template <int kLanes = 32>
__device__ float lane_max(float x) {
  for (int offset = kLanes / 2; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, offset));
  return x;
}

/// Of all threads of a block of at most 1,024; `room` holds 32 numbers.
__device__ inline float block_sum(float x, float* room) {
  x = lane_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  return lane_sum(threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : 0.0F);
}
__device__ inline float block_max(float x, float* room) {
  x = lane_max(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  return lane_max(threadIdx.x % 32 < blockDim.x / 32 ? room[threadIdx.x % 32] : -3e38F);
}

/// Over the rows of a block of 32 x 32 threads; the threads with y = 0 have it.
__device__ inline float column_sum(float x) {
  __shared__ float room[32][33];
  room[threadIdx.y][threadIdx.x] = x;
  __syncthreads();
  if (threadIdx.y == 0) {
    for (int y = 1; y < 32; ++y) x += room[y][threadIdx.x];
  }
  return x;
}

/// How many of `begin`, begin + blockDim.x, ... are below `count`.
__device__ inline std::size_t places(std::size_t begin, std::size_t count) {
  return begin < count ? (static_cast<unsigned>(count - begin) + blockDim.x - 1) / blockDim.x : 0;
}

/// Where a step is asked for: the new value and moments; otherwise the gradient is kept.
struct Stepper {
  float* values;
  float* gradients;
  float* first;
  float* second;
  const AdamFactors* of_step;  // none: keep the gradient

  __device__ void step(std::size_t i, float gradient) const {
    if (of_step == nullptr) {
      gradients[i] = gradient;
      return;
    }
    values[i] = stepped(*of_step, values[i], gradient, first[i], second[i]);
  }

  /// The same for numbers side by side whose values are known.
  template <int kWidth>
  __device__ void step_many(std::size_t i, Numbers<kWidth> value, const Numbers<kWidth>& gradient) const {
    if (of_step == nullptr) {
      write_many(gradients, i, gradient);
      return;
    }
    const AdamFactors factors = *of_step;
    Numbers<kWidth> m = read_many<kWidth>(first, i);
    Numbers<kWidth> v = read_many<kWidth>(second, i);
#pragma unroll
    for (int j = 0; j < kWidth; ++j) value.of[j] = stepped(factors, value.of[j], gradient.of[j], m.of[j], v.of[j]);
    write_many(first, i, m);
    write_many(second, i, v);
    write_many(values, i, value);
  }

  /// The same for numbers that are `apart`, the first `there` of kCount of them, all on their way at once;
  /// gradient(j, value) is that of number j.
  template <int kCount, class Gradient>
  __device__ void step_apart(std::size_t begin, std::size_t apart, std::size_t there, const Gradient& gradient) const {
    float value[kCount] = {};
    float m[kCount] = {};
    float v[kCount] = {};
#pragma unroll
    for (std::size_t j = 0; j < kCount; ++j) {
      if (j >= there) break;
      value[j] = values[begin + j * apart];
      if (of_step == nullptr) continue;
      m[j] = first[begin + j * apart];
      v[j] = second[begin + j * apart];
    }
    const AdamFactors factors = of_step == nullptr ? AdamFactors{} : *of_step;
#pragma unroll
    for (std::size_t j = 0; j < kCount; ++j) {
      if (j >= there) break;
      const std::size_t i = begin + j * apart;
      const float of_value = gradient(j, value[j]);
      if (of_step == nullptr) {
        gradients[i] = of_value;
        continue;
      }
      values[i] = stepped(factors, value[j], of_value, m[j], v[j]);
      first[i] = m[j];
      second[i] = v[j];
    }
  }

  __device__ static float stepped(const AdamFactors& factors, float value, float gradient, float& m, float& v) {
    m = factors.beta1 * m + (1 - factors.beta1) * gradient;
    v = factors.beta2 * v + (1 - factors.beta2) * gradient * gradient;
    float root;  // to the last bit but one: a fifth of the instructions of sqrtf and of the division
    asm("sqrt.approx.f32 %0, %1;" : "=f"(root) : "f"(v));
    return value - __fdividef(factors.rate * m, root + factors.epsilon);
  }
};

/// Which units of the second layer are kept in a step: (S) seeds, and what all of them share.
struct DropoutDraw {
  std::uint64_t step;
  std::uint32_t threshold;  // of 16 bits
  float factor;             // of what is kept
};
struct Dropout {
  const std::uint64_t* seeds;
  const DropoutDraw* draw;  // none: all are kept

  /// Bit i: whether number 8 block + i of (B,Q,F2) is kept; those of the processor (cpu/layer_loops.cpp).
  __device__ std::uint32_t keep(std::size_t batch, std::uint32_t block) const {
    if (draw == nullptr) return 0xFFU;
    const std::uint64_t step = draw->step;
    std::uint32_t c0 = block;
    auto c1 = static_cast<std::uint32_t>(step);
    std::uint32_t c2 = kPurpose;
    auto c3 = static_cast<std::uint32_t>(step >> 32);
    auto key0 = static_cast<std::uint32_t>(seeds[batch]);
    auto key1 = static_cast<std::uint32_t>(seeds[batch] >> 32);
#pragma unroll
    for (int round = 0; round < 10; ++round) {
      const std::uint32_t high0 = __umulhi(0xD2511F53U, c0);
      const std::uint32_t high1 = __umulhi(0xCD9E8D57U, c2);
      const std::uint32_t low0 = 0xD2511F53U * c0;
      const std::uint32_t low1 = 0xCD9E8D57U * c2;
      c0 = high1 ^ c1 ^ key0;
      c1 = low1;
      c2 = high0 ^ c3 ^ key1;
      c3 = low0;
      key0 += 0x9E3779B9U;
      key1 += 0xBB67AE85U;
    }
    const std::uint32_t numbers[4] = {c0, c1, c2, c3};
    std::uint32_t bits = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      bits |= (numbers[i] & 0xFFFFU) >= draw->threshold ? 1U << (2 * i) : 0U;
      bits |= (numbers[i] >> 16) >= draw->threshold ? 2U << (2 * i) : 0U;
    }
    return bits;
  }
  __device__ float factor() const { return draw == nullptr ? 1.0F : draw->factor; }

  static constexpr std::uint32_t kPurpose = 2;  // Purpose::dropout
};

}  // namespace obverse::cuda
