// Between the products of the attention: z = mean_b(tanh(X w1' + b1)) w2 + b2, and the masks made of z.
//   M models, E of them see the same batch   B rows (`rows` in this step)   D features   H hidden units
// Activations are (S,B,E,H): the units of all models of a batch side by side.
#pragma once

#include "backend/cuda/arithmetic.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// w1 (M,H,D) among the parameters as the products read it: (M,H,lead).
template <class T>
__global__ void pack_projection(const float* w1, std::size_t stride, std::size_t H, std::size_t D, std::size_t lead,
                                T* to) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto width = static_cast<unsigned>(D);
  if (i >= H * D) return;
  write(to, (blockIdx.y * H + i / width) * lead + i % width, w1[blockIdx.y * stride + i]);
}

/// Rows that a thread has on their way from memory.
inline constexpr std::size_t kAtOnce = 8;

/// Units of a mask network that a single block of threads has: one for each warp.
inline constexpr std::size_t kSmallUnits = 32;

/// T = tanh(X w1' + b1) in place, and its mean over the rows: 32 units of a batch and 32 rows at once.
static __global__ void tanh_means(float* activations, const float* bias, std::size_t stride, std::size_t B,
                                  std::size_t rows, std::size_t E, std::size_t H, float* means) {
  const std::size_t s = blockIdx.y;
  const std::size_t unit = blockIdx.x * 32 + threadIdx.x;  // of E H
  const std::size_t m = s * E + unit / H;
  float sum = 0;
  if (unit < E * H) {
    const float b1 = bias[m * stride + unit % H];
    float* from = activations + s * B * E * H + unit;
    for (std::size_t begin = threadIdx.y; begin < rows; begin += 32 * kAtOnce) {
      float t[kAtOnce];
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + 32 * i;
        t[i] = r < rows ? from[r * E * H] : 0.0F;
      }
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + 32 * i;
        if (r >= rows) break;
        t[i] = tanhf(t[i] + b1);
        from[r * E * H] = t[i];
        sum += t[i];
      }
    }
  }
  sum = column_sum(sum);
  if (threadIdx.y == 0 && unit < E * H) means[s * E * H + unit] = sum / static_cast<float>(rows);
}

/// z = t w2 + b2
static __global__ void scores_of(const float* w2, const float* b2, std::size_t stride, const float* means,
                                 std::size_t H, std::size_t D, float* scores) {
  const std::size_t d = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (d >= D) return;
  float z = b2[m * stride + d];
#pragma unroll 8
  for (std::size_t h = 0; h < H; ++h) z += means[m * H + h] * w2[m * stride + h * D + d];
  scores[m * D + d] = z;
}

/// Both at once for a small mask network: a block of 1,024 threads for each model, which has all of it.
static __global__ void __launch_bounds__(1024)
    tanh_scores(float* activations, const float* __restrict__ b1, const float* __restrict__ w2,
                const float* __restrict__ b2, std::size_t stride, std::size_t B, std::size_t rows, std::size_t E,
                std::size_t H, std::size_t D, float* means, float* scores) {
  __shared__ float kept[kSmallUnits];
  const std::size_t m = blockIdx.x;
  const std::size_t warp = threadIdx.x / 32;
  const std::size_t lane = threadIdx.x % 32;
  float* from = activations + (m / E * B * E + m % E) * H;
  // A warp for each unit, or several where there are fewer units than warps.
  for (std::size_t h = warp; h < H; h += 32) {
    const float bias = b1[m * stride + h];
    float sum = 0;
    for (std::size_t begin = lane; begin < rows; begin += 32 * kAtOnce) {
      float t[kAtOnce];
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + 32 * i;
        t[i] = r < rows ? from[r * E * H + h] : 0.0F;
      }
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + 32 * i;
        if (r >= rows) break;
        t[i] = tanhf(t[i] + bias);
        from[r * E * H + h] = t[i];
        sum += t[i];
      }
    }
    sum = lane_sum(sum) / static_cast<float>(rows);
    if (lane == 0) {
      kept[h] = sum;
      means[m * H + h] = sum;
    }
  }
  __syncthreads();
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
    float z = b2[m * stride + d];
#pragma unroll 8
    for (std::size_t h = 0; h < H; ++h) z += kept[h] * w2[m * stride + h * D + d];
    scores[m * D + d] = z;
  }
}

/// masks (M,Q,D) by MaskForm; a block for each model.
static __global__ void masks_of(const float* scores, std::size_t D, std::size_t Q, float scale, bool sigmoid,
                                bool remainder, float* masks) {
  __shared__ float room[32];
  const float* z = scores + blockIdx.x * D;
  float* mask = masks + blockIdx.x * Q * D;
  if (sigmoid) {
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
      mask[d] = 1 / (1 + expf(-z[d]));
      if (Q == 2) mask[D + d] = 1 / (1 + expf(z[d]));
    }
    return;
  }
  for (std::size_t q = 0; q < (remainder ? 1 : Q); ++q) {
    const float sign = q == 0 ? 1.0F : -1.0F;
    float top = -3e38F;
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) top = fmaxf(top, sign * z[d]);
    top = block_max(top, room);
    float sum = 0;
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) sum += expf(sign * z[d] - top);
    sum = block_sum(sum, room);
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
      mask[q * D + d] = scale * (expf(sign * z[d] - top) / sum);
    }
  }
  if (remainder && Q == 2) {
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) mask[D + d] = (scale - mask[d]) / static_cast<float>(D);
  }
}

/// dz from the gradients of the masks, as in cpu/attention.cpp; a block for each model.
static __global__ void masks_back(const float* masks, const float* gradients, std::size_t D, std::size_t Q, float scale,
                                  bool sigmoid, bool remainder, float* scores) {
  __shared__ float room[32];
  const float* mask = masks + blockIdx.x * Q * D;
  const float* gradient = gradients + blockIdx.x * Q * D;
  float* dz = scores + blockIdx.x * D;
  if (sigmoid) {
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
      dz[d] = mask[d] * (1 - mask[d]) * (gradient[d] - (Q == 2 ? gradient[D + d] : 0.0F));
    }
    return;
  }
  for (std::size_t q = 0; q < Q; ++q) {
    const float* softmax = mask + (remainder ? 0 : q) * D;
    float inner = 0;
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) inner += softmax[d] * gradient[q * D + d];
    const float mean = block_sum(inner, room) / scale;
    const float factor = q == 0 ? 1.0F : remainder ? -1.0F / static_cast<float>(D) : -1.0F;
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
      dz[d] = (q == 0 ? 0.0F : dz[d]) + factor * softmax[d] * (gradient[q * D + d] - mean);
    }
  }
}

/// dw2 = t' dz and db2 = dz with their steps, and slope = w2 dz / rows: a block for each (unit, model), one more for
/// b2.
static __global__ void second_layer_back(const float* means, const float* dz, std::size_t w2, std::size_t b2,
                                         std::size_t stride, std::size_t H, std::size_t D, float rows, Stepper stepper,
                                         float* slopes) {
  __shared__ float room[32];
  const std::size_t h = blockIdx.x;
  const std::size_t m = blockIdx.y;
  const float* gradient = dz + m * D;
  if (h == H) {
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) stepper.step(m * stride + b2 + d, gradient[d]);
    return;
  }
  const float mean = means[m * H + h];
  float sum = 0;
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) {
    const std::size_t at = m * stride + w2 + h * D + d;
    sum += stepper.values[at] * gradient[d];
    stepper.step(at, mean * gradient[d]);
  }
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) slopes[m * H + h] = sum / rows;
}

/// dT = slope (1 - T^2) (S,B,E,H), and db1, its sum over the rows, with the step.
template <class T>
__global__ void tanh_back(const float* __restrict__ activations, const float* __restrict__ slopes, std::size_t B,
                          std::size_t rows, std::size_t E, std::size_t H, std::size_t b1, std::size_t stride,
                          Stepper stepper, T* __restrict__ gradient) {
  const std::size_t s = blockIdx.y;
  const std::size_t unit = blockIdx.x * 32 + threadIdx.x;  // of E H
  float sum = 0;
  if (unit < E * H) {
    const float slope = slopes[s * E * H + unit];
#pragma unroll 8
    for (std::size_t r = threadIdx.y; r < rows; r += 32) {
      const std::size_t at = (s * B + r) * E * H + unit;
      const float t = activations[at];
      const float d = slope * (1 - t * t);
      write(gradient, at, d);
      sum += d;
    }
  }
  sum = column_sum(sum);
  if (threadIdx.y == 0 && unit < E * H) stepper.step((s * E + unit / H) * stride + b1 + unit % H, sum);
}

/// The step of w1 by its gradient (M,H,lead), and w1 anew as the products read it.
template <class T>
__global__ void step_projection(const float* gradient, std::size_t w1, std::size_t stride, std::size_t H, std::size_t D,
                                std::size_t lead, Stepper stepper, T* packed) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto width = static_cast<unsigned>(D);
  const std::size_t m = blockIdx.y;
  if (i >= H * D) return;
  const std::size_t at = m * stride + w1 + i;
  const std::size_t from = (m * H + i / width) * lead + i % width;
  stepper.step(at, gradient[from]);
  write(packed, from, stepper.values[at]);
}

}  // namespace obverse::cuda
