// Between the products of the attention: z = mean_b(tanh(X w1' + b1)) w2 + b2, and the masks made of z.
//   M models, E of them see the same batch   B rows (`rows` in this step)   D columns   H hidden units
// `features` of z and of a mask: each is of one column or several.
// Activations are (S,B,E,H): the units of all models of a batch side by side.
#pragma once

#include "backend/cuda/arithmetic.cuh"
#include "backend/ops.h"

namespace obverse::cuda {

/// w1 (M,H,D) among the parameters as the products read it: (M,H,lead).
template <class T>
__global__ void pack_projection(const float* w1, std::size_t stride, std::size_t H, std::size_t D, std::size_t lead,
                                T* to) {
  wait_for_previous();
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
  wait_for_previous();
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
                                 std::size_t H, std::size_t features, float* scores) {
  wait_for_previous();
  const std::size_t f = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (f >= features) return;
  float z = b2[m * stride + f];
#pragma unroll 8
  for (std::size_t h = 0; h < H; ++h) z += means[m * H + h] * w2[m * stride + h * features + f];
  scores[m * features + f] = z;
}

/// Both at once for a small mask network: a block of 1,024 threads for each model, which has all of it.
static __global__ void __launch_bounds__(1024)
    tanh_scores(float* activations, const float* b1, const float* w2, const float* b2, std::size_t stride,
                std::size_t B, std::size_t rows, std::size_t E, std::size_t H, std::size_t features, float* means,
                float* scores) {
  wait_for_previous();
  __shared__ float parts[1024];  // (slots, H) sums
  __shared__ float kept[kSmallUnits];
  const auto units = static_cast<unsigned>(H);
  const unsigned slots = 1024 / units;  // rows at once: threads side by side have the units of a row
  const unsigned slot = threadIdx.x / units;
  const unsigned h = threadIdx.x % units;
  const std::size_t m = blockIdx.x;
  float* from = activations + (m / E * B * E + m % E) * H + h;
  if (slot < slots) {
    const float bias = b1[m * stride + h];
    float sum = 0;
    for (std::size_t begin = slot; begin < rows; begin += slots * kAtOnce) {
      float t[kAtOnce];
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + slots * i;
        t[i] = r < rows ? from[r * E * H] : 0.0F;
      }
#pragma unroll
      for (std::size_t i = 0; i < kAtOnce; ++i) {
        const std::size_t r = begin + slots * i;
        if (r >= rows) break;
        t[i] = tanhf(t[i] + bias);
        from[r * E * H] = t[i];
        sum += t[i];
      }
    }
    parts[threadIdx.x] = sum;
  }
  __syncthreads();
  if (threadIdx.x / 32 < H) {
    // A warp for each unit.
    const unsigned unit = threadIdx.x / 32;
    float sum = 0;
    for (unsigned i = threadIdx.x % 32; i < slots; i += 32) sum += parts[i * units + unit];
    sum = lane_sum(sum) / static_cast<float>(rows);
    if (threadIdx.x % 32 == 0) {
      kept[unit] = sum;
      means[m * H + unit] = sum;
    }
  }
  __syncthreads();
  for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) {
    float z = b2[m * stride + f];
#pragma unroll 8
    for (std::size_t unit = 0; unit < H; ++unit) z += kept[unit] * w2[m * stride + unit * features + f];
    scores[m * features + f] = z;
  }
}

/// masks (M,Q,features) by MaskForm; a block for each model.
static __global__ void masks_of(const float* scores, std::size_t features, std::size_t Q, float scale, bool sigmoid,
                                bool remainder, float* masks) {
  wait_for_previous();
  __shared__ float room[32];
  const float* z = scores + blockIdx.x * features;
  float* mask = masks + blockIdx.x * Q * features;
  if (sigmoid) {
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) {
      mask[f] = 1 / (1 + expf(-z[f]));
      if (Q == 2) mask[features + f] = 1 / (1 + expf(z[f]));
    }
    return;
  }
  for (std::size_t q = 0; q < (remainder ? 1 : Q); ++q) {
    const float sign = q == 0 ? 1.0F : -1.0F;
    float top = -3e38F;
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) top = fmaxf(top, sign * z[f]);
    top = block_max(top, room);
    float sum = 0;
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) sum += expf(sign * z[f] - top);
    sum = block_sum(sum, room);
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) {
      mask[q * features + f] = scale * (expf(sign * z[f] - top) / sum);
    }
  }
  if (remainder && Q == 2) {
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x)
      mask[features + f] = (scale - mask[f]) / static_cast<float>(features);
  }
}

/// dz from the gradients of the masks, as in cpu/attention.cpp; a block for each model.
static __global__ void masks_back(const float* masks, const float* gradients, std::size_t features, std::size_t Q,
                                  float scale, bool sigmoid, bool remainder, float* scores) {
  wait_for_previous();
  __shared__ float room[32];
  const float* mask = masks + blockIdx.x * Q * features;
  const float* gradient = gradients + blockIdx.x * Q * features;
  float* dz = scores + blockIdx.x * features;
  if (sigmoid) {
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) {
      dz[f] = mask[f] * (1 - mask[f]) * (gradient[f] - (Q == 2 ? gradient[features + f] : 0.0F));
    }
    return;
  }
  for (std::size_t q = 0; q < Q; ++q) {
    const float* softmax = mask + (remainder ? 0 : q) * features;
    float inner = 0;
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) inner += softmax[f] * gradient[q * features + f];
    const float mean = block_sum(inner, room) / scale;
    const float factor = q == 0 ? 1.0F : remainder ? -1.0F / static_cast<float>(features) : -1.0F;
    for (std::size_t f = threadIdx.x; f < features; f += blockDim.x) {
      dz[f] = (q == 0 ? 0.0F : dz[f]) + factor * softmax[f] * (gradient[q * features + f] - mean);
    }
  }
}

/// Back to the first layer: dw2 = t' dz and db2 = dz with their steps, slope = w2 dz / rows, dT = slope (1 - T^2)
/// (S,B,E,H), and db1, its sum over the rows, with the step. A block for each (unit, model), one more for b2.
template <class T>
__global__ void units_back(const float* activations, const float* means, const float* dz, const AttentionLayout layout,
                           std::size_t stride, std::size_t B, std::size_t rows, std::size_t E, std::size_t H,
                           std::size_t features, Stepper stepper, T* gradient) {
  wait_for_previous();
  constexpr int kNumbers = 4;  // of a thread at once
  __shared__ float room[32];
  const std::size_t h = blockIdx.x;
  const std::size_t m = blockIdx.y;
  const float* of_scores = dz + m * features;
  if (h == H) {
    for (std::size_t begin = threadIdx.x; begin < features; begin += blockDim.x * kNumbers) {
      stepper.step_apart<kNumbers>(m * stride + layout.b2 + begin, blockDim.x, places(begin, features),
                                   [&](std::size_t j, float) { return of_scores[begin + j * blockDim.x]; });
    }
    return;
  }
  const std::size_t unit = (m / E * B * E + m % E) * H + h;  // in the first row
  const float early = threadIdx.x < rows ? activations[unit + threadIdx.x * E * H] : 0.0F;
  const float mean = means[m * H + h];
  float sum = 0;
  for (std::size_t begin = threadIdx.x; begin < features; begin += blockDim.x * kNumbers) {
    stepper.step_apart<kNumbers>(m * stride + layout.w2 + h * features + begin, blockDim.x, places(begin, features),
                                 [&](std::size_t j, float value) {
                                   const float of_score = of_scores[begin + j * blockDim.x];
                                   sum += value * of_score;
                                   return mean * of_score;
                                 });
  }
  const float slope = block_sum(sum, room) / static_cast<float>(rows);
  sum = 0;
  for (std::size_t r = threadIdx.x; r < rows; r += blockDim.x) {
    const float t = r == threadIdx.x ? early : activations[unit + r * E * H];
    const float of_unit = slope * (1 - t * t);
    write(gradient, unit + r * E * H, of_unit);
    sum += of_unit;
  }
  sum = block_sum(sum, room);
  if (threadIdx.x == 0) stepper.step(m * stride + layout.b1 + h, sum);
}

/// The step of w1 by its gradient (M,H,lead), and w1 anew as the products read it.
template <class T>
__global__ void step_projection(const float* gradient, std::size_t w1, std::size_t stride, std::size_t H, std::size_t D,
                                std::size_t lead, Stepper stepper, T* packed) {
  wait_for_previous();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto width = static_cast<unsigned>(D);
  const std::size_t m = blockIdx.y;
  if (i >= H * D) return;
  const std::size_t at = m * stride + w1 + i;
  const std::size_t from = (m * H + i / width) * lead + i % width;
  stepper.step(at, gradient[from]);
  write(packed, from, stepper.values[at]);
}

/// columns (M,Q,D) from entries (M,Q,features): a warp for each entry, whose columns are ranges[f, 0] to
/// ranges[f, 1] - 1. Other columns stay as they are.
static __global__ void spread_entries(const float* entries, const std::uint32_t* ranges, std::size_t features,
                                      std::size_t D, float* columns) {
  wait_for_previous();
  const std::size_t f = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (f >= features) return;
  const float entry = entries[blockIdx.y * features + f];
  float* to = columns + std::size_t{blockIdx.y} * D;
  for (unsigned d = ranges[2 * f] + threadIdx.x % 32; d < ranges[2 * f + 1]; d += 32) to[d] = entry;
}

/// entries (M,Q,features) as the sums of their columns (M,Q,D): by lanes, then over the lanes of the warp.
static __global__ void add_columns(const float* columns, const std::uint32_t* ranges, std::size_t features,
                                   std::size_t D, float* entries) {
  wait_for_previous();
  const std::size_t f = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (f >= features) return;
  const float* from = columns + std::size_t{blockIdx.y} * D;
  float sum = 0;
  for (unsigned d = ranges[2 * f] + threadIdx.x % 32; d < ranges[2 * f + 1]; d += 32) sum += from[d];
  sum = lane_sum(sum);
  if (threadIdx.x % 32 == 0) entries[blockIdx.y * features + f] = sum;
}

}  // namespace obverse::cuda
