// What happens between the products. One thread a number, one warp a row, or one block a sum: sums are always taken in the
// same order, so that a device gives the same bits each time.
//   M models, `each` of them share a batch   Q paths   B rows (`rows` in this step)   D features   F1, F2 widths   C outputs
#pragma once

#include <cuda_bf16.h>

#include <cstddef>
#include <cstdint>

#include "backend/adam.h"

namespace obverse::cuda {

__device__ inline float read(const float* x, std::size_t i) { return x[i]; }
__device__ inline float read(const __nv_bfloat16* x, std::size_t i) { return __bfloat162float(x[i]); }
__device__ inline void write(float* x, std::size_t i, float value) { x[i] = value; }
__device__ inline void write(__nv_bfloat16* x, std::size_t i, float value) { x[i] = __float2bfloat16(value); }

__device__ inline float warp_sum(float x) {
  for (int offset = 16; offset > 0; offset /= 2) x += __shfl_xor_sync(0xFFFFFFFFU, x, offset);
  return x;
}
__device__ inline float warp_max(float x) {
  for (int offset = 16; offset > 0; offset /= 2) x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFFU, x, offset));
  return x;
}

/// Of all threads of a block of at most 1,024; `room` holds 32 numbers.
__device__ inline float block_sum(float x, float* room) {
  x = warp_sum(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < (blockDim.x + 31) / 32 ? room[threadIdx.x % 32] : 0.0F;
  return warp_sum(x);
}
__device__ inline float block_max(float x, float* room) {
  x = warp_max(x);
  __syncthreads();
  if (threadIdx.x % 32 == 0) room[threadIdx.x / 32] = x;
  __syncthreads();
  x = threadIdx.x % 32 < (blockDim.x + 31) / 32 ? room[threadIdx.x % 32] : -3e38F;
  return warp_max(x);
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
    const AdamFactors factors = *of_step;
    const float m = factors.beta1 * first[i] + (1 - factors.beta1) * gradient;
    const float v = factors.beta2 * second[i] + (1 - factors.beta2) * gradient * gradient;
    first[i] = m;
    second[i] = v;
    values[i] -= factors.rate * m / (sqrtf(v) + factors.epsilon);
  }
};

template <class Value, class T>
__global__ void gather_dense(const Value* values, std::size_t D, const std::uint32_t* rows, const float* scale,
                             const float* offset, std::size_t count, std::size_t B, std::size_t lead, T* out) {
  const std::size_t s = blockIdx.y;
  const std::size_t r = blockIdx.x;
  const Value* from = values + std::size_t{rows[s * count + r]} * D;
  T* to = out + (s * B + r) * lead;
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) write(to, d, static_cast<float>(from[d]) * scale[d] + offset[d]);
}

template <class T>
__global__ void gather_sparse(const std::size_t* row_begin, const std::uint32_t* columns, const float* values,
                              std::size_t D, const std::uint32_t* rows, const float* scale, const float* offset,
                              std::size_t count, std::size_t B, std::size_t lead, T* out) {
  const std::size_t s = blockIdx.y;
  const std::size_t r = blockIdx.x;
  const std::size_t row = rows[s * count + r];
  T* to = out + (s * B + r) * lead;
  for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) write(to, d, offset[d]);
  __syncthreads();
  for (std::size_t i = row_begin[row] + threadIdx.x; i < row_begin[row + 1]; i += blockDim.x) {
    const std::uint32_t d = columns[i];
    write(to, d, offset[d] + values[i] * scale[d]);
  }
}

/// keep (S, count Q F2): the numbers of loops.h, eight of them by a thread.
struct Seeds {
  std::uint64_t of[64];
};
static __global__ void draw_keep(Seeds seeds, std::uint32_t purpose, const std::uint64_t* number, std::uint32_t threshold,
                                 std::size_t n, std::size_t stride, std::uint8_t* keep) {
  const std::uint64_t step = *number;
  const std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (block * 8 >= n) return;
  const std::uint64_t seed = seeds.of[blockIdx.y];
  std::uint32_t c[4] = {static_cast<std::uint32_t>(block), static_cast<std::uint32_t>(step), purpose,
                        static_cast<std::uint32_t>(step >> 32)};
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53U} * c[0];
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57U} * c[2];
    const std::uint32_t next[4] = {static_cast<std::uint32_t>(p1 >> 32) ^ c[1] ^ key0, static_cast<std::uint32_t>(p1),
                                   static_cast<std::uint32_t>(p0 >> 32) ^ c[3] ^ key1, static_cast<std::uint32_t>(p0)};
    for (int i = 0; i < 4; ++i) c[i] = next[i];
    key0 += 0x9E3779B9U;
    key1 += 0xBB67AE85U;
  }
  std::uint8_t* out = keep + blockIdx.y * stride;
  for (int i = 0; i < 8 && block * 8 + i < n; ++i) {
    const std::uint32_t half = i % 2 == 0 ? c[i / 2] & 0xFFFFU : c[i / 2] >> 16;
    out[block * 8 + i] = half >= threshold ? 1 : 0;
  }
}

/// (count matrices of rows x cols) from float to bf16, with another distance from row to row.
static __global__ void narrow_matrices(const float* from, std::size_t stride, std::size_t cols, std::size_t lead,
                                       std::size_t size, __nv_bfloat16* to, std::size_t to_stride) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= size) return;
  to[blockIdx.y * to_stride + i / cols * lead + i % cols] = __float2bfloat16(from[blockIdx.y * stride + i]);
}

/// T = tanh(X w1' + b1) in place, and its mean over the rows: a block for 32 units of a model, 32 rows at once.
static __global__ void tanh_means(float* activations, const float* bias, std::size_t stride, std::size_t B,
                                  std::size_t rows, std::size_t H, float* means) {
  __shared__ float room[32][33];
  const std::size_t m = blockIdx.y;
  const std::size_t h = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (h < H) {
    for (std::size_t r = threadIdx.y; r < rows; r += 32) {
      float& t = activations[(m * B + r) * H + h];
      t = tanhf(t + bias[m * stride + h]);
      sum += t;
    }
  }
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && h < H) {
    for (int y = 1; y < 32; ++y) sum += room[y][threadIdx.x];
    means[m * H + h] = sum / static_cast<float>(rows);
  }
}

/// z = t w2 + b2
static __global__ void scores_of(const float* w2, const float* b2, std::size_t stride, const float* means, std::size_t H,
                                 std::size_t D, float* scores) {
  const std::size_t d = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (d >= D) return;
  float z = b2[m * stride + d];
  for (std::size_t h = 0; h < H; ++h) z += means[m * H + h] * w2[m * stride + h * D + d];
  scores[m * D + d] = z;
}

/// A block for each model.
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
    for (std::size_t d = threadIdx.x; d < D; d += blockDim.x) mask[q * D + d] = scale * (expf(sign * z[d] - top) / sum);
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

/// out (M,D,Q F1) = mask * v1
template <class T>
__global__ void weigh(const float* v1, std::size_t stride, const float* masks, std::size_t D, std::size_t F1,
                      std::size_t Q, T* out) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= D * F1) return;
  const std::size_t d = i / F1;
  const float v = v1[m * stride + i];
  for (std::size_t q = 0; q < Q; ++q) {
    write(out, (m * D + d) * Q * F1 + q * F1 + i % F1, masks[(m * Q + q) * D + d] * v);
  }
}

/// a = leaky(p + bias), of `lines` lines of F numbers for each model.
template <class T>
__global__ void leaky(const float* p, const float* bias, std::size_t stride, float leak, std::size_t lines,
                      std::size_t most, std::size_t F, T* a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= lines * F) return;
  const float x = p[m * most * F + i] + bias[m * stride + i % F];
  write(a, m * most * F + i, x > 0 ? x : leak * x);
}

/// n = keep * factor * leaky(p + bias); lines are (rows,Q), keep is shared by the models of a batch.
static __global__ void leaky_dropout(const float* p, const float* bias, std::size_t stride, float leak,
                                     const std::uint8_t* keep, float factor, std::size_t lines, std::size_t most,
                                     std::size_t F, std::size_t each, float* n) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= lines * F) return;
  const float x = p[m * most * F + i] + bias[m * stride + i % F];
  const float kept = keep == nullptr ? 1.0F : factor * static_cast<float>(keep[m / each * most * F + i]);
  n[m * most * F + i] = (x > 0 ? x : leak * x) * kept;
}

/// What softmax, sigmoid and square are held against, and where the results go. A warp for each (model, path, row).
struct LossArgs {
  const std::int32_t* labels[2];
  const float* values[2];
  const void* batch;  // (S,B,lead) for a reconstruction
  bool batch_bf16;
  std::size_t lead;
  const float* weights;  // (S,rows) or none
  const float* gammas;   // (M)
  const float* biases;   // of model 0, path 0
  std::size_t bias_stride, bias_path;
  std::size_t models, each, Q, paths, B, rows, C;  // paths: how many are held against targets here
  int kind;                                        // OutputLoss
  bool back;
  float* outputs;  // (M,Q,B,C), in place
  float* losses;   // (M,Q,B)
  std::uint32_t* hits;
};

static __global__ void path_losses(LossArgs a) {
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::size_t lane = threadIdx.x % 32;
  if (warp >= a.models * a.paths * a.rows) return;
  const std::size_t r = warp % a.rows;
  const std::size_t q = warp / a.rows % a.paths;
  const std::size_t m = warp / a.rows / a.paths;
  const std::size_t at = m / a.each * a.rows + r;  // of (S,rows)
  float* x = a.outputs + ((m * a.Q + q) * a.B + r) * a.C;
  const float* bias = a.biases + m * a.bias_stride + q * a.bias_path;
  const float weight = a.weights == nullptr ? 1.0F : a.weights[at];
  const float factor = weight * (q == 0 ? 1.0F : a.gammas[m]) / static_cast<float>(a.rows);
  float loss = 0;
  if (a.kind == 0) {  // softmax
    const std::size_t label = static_cast<std::size_t>(a.labels[q][at]);
    float top = -3e38F;
    for (std::size_t c = lane; c < a.C; c += 32) top = fmaxf(top, x[c] + bias[c]);
    top = warp_max(top);
    float sum = 0;
    for (std::size_t c = lane; c < a.C; c += 32) sum += expf(x[c] + bias[c] - top);
    sum = warp_sum(sum);
    loss = logf(sum) + top - (x[label] + bias[label]);
    if (a.hits != nullptr && q == 0) {
      // The first of the largest.
      float best = 3e38F;
      for (std::size_t c = lane; c < a.C; c += 32) {
        if (x[c] + bias[c] == top) best = fminf(best, static_cast<float>(c));
      }
      best = -warp_max(-best);
      if (lane == 0) a.hits[m * a.B + r] = best == static_cast<float>(label) ? 1 : 0;
    }
    __syncwarp();
    if (a.back) {
      for (std::size_t c = lane; c < a.C; c += 32) {
        x[c] = factor * (expf(x[c] + bias[c] - top) / sum - (c == label ? 1.0F : 0.0F));
      }
    }
  } else {
    const auto C = static_cast<float>(a.C);
    const std::size_t row_of_target = a.kind == 3 ? static_cast<std::size_t>(a.labels[q][at]) : 0;
    const std::size_t from = (m / a.each * a.B + row_of_target) * a.lead;
    std::uint32_t right = 0;
    for (std::size_t c = lane; c < a.C; c += 32) {
      const float z = x[c] + bias[c];
      float y = 0;
      if (a.kind != 3) {
        y = a.values[q][at * a.C + c];
      } else {
        y = a.batch_bf16 ? read(static_cast<const __nv_bfloat16*>(a.batch), from + c)
                         : read(static_cast<const float*>(a.batch), from + c);
      }
      if (a.kind == 1) {  // sigmoid
        loss += fmaxf(z, 0.0F) - z * y + log1pf(expf(-fabsf(z)));
        if (a.back) x[c] = factor / C * (1 / (1 + expf(-z)) - y);
        right += (z > 0) == (y > 0.5F) ? 1 : 0;
      } else {
        loss += 0.5F * (z - y) * (z - y);
        if (a.back) x[c] = factor / C * (z - y);
      }
    }
    loss = warp_sum(loss) / C;
    if (a.hits != nullptr && q == 0) {
      for (int offset = 16; offset > 0; offset /= 2) right += __shfl_xor_sync(0xFFFFFFFFU, right, offset);
      if (lane == 0) a.hits[m * a.B + r] = a.kind == 1 ? right : 0;
    }
  }
  if (lane == 0) a.losses[(m * a.Q + q) * a.B + r] = weight * loss;
}

/// totals (M,Q) += the sum over rows, in their order: a warp for each.
static __global__ void add_totals(const float* losses, const std::uint32_t* hits, std::size_t models, std::size_t Q,
                                  std::size_t paths, std::size_t B, std::size_t rows, double* totals,
                                  unsigned long long* total_hits) {
  const std::size_t m = blockIdx.x / paths;
  const std::size_t q = blockIdx.x % paths;
  double sum = 0;
  unsigned long long right = 0;
  for (std::size_t r = threadIdx.x; r < rows; r += 32) {
    sum += static_cast<double>(losses[(m * Q + q) * B + r]);
    if (hits != nullptr && q == 0) right += hits[m * B + r];
  }
  for (int offset = 16; offset > 0; offset /= 2) {
    sum += __shfl_xor_sync(0xFFFFFFFFU, sum, offset);
    right += __shfl_xor_sync(0xFFFFFFFFU, right, offset);
  }
  if (threadIdx.x == 0) {
    totals[m * Q + q] += sum;
    if (hits != nullptr && q == 0) total_hits[m] += right;
  }
}

/// The way back through dropout and the second leaky: g from n and dn.
template <class T>
__global__ void leaky_dropout_back(const float* n, const float* dn, float leak, const std::uint8_t* keep, float factor,
                                   std::size_t lines, std::size_t most, std::size_t F, std::size_t each, T* g) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= lines * F) return;
  const float d = dn[m * most * F + i];
  const float kept = keep == nullptr ? 1.0F : factor * static_cast<float>(keep[m / each * most * F + i]);
  write(g, m * most * F + i, (n[m * most * F + i] > 0 ? d : leak * d) * kept);
}

/// G = leaky'(A) dA, in place of A.
template <class T>
__global__ void leaky_back(T* a, const float* da, float leak, std::size_t lines, std::size_t most, std::size_t F) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= lines * F) return;
  const float d = da[m * most * F + i];
  write(a, m * most * F + i, read(a, m * most * F + i) > 0 ? d : leak * d);
}

/// out (F) = the sum over `lines` lines of F numbers, for each model (and path); 32 columns and 32 lines at once.
template <class T>
__global__ void column_sums(const T* x, std::size_t stride, std::size_t lines, std::size_t F, float* out,
                            std::size_t out_stride, std::size_t paths, std::size_t path_stride) {
  __shared__ float room[32][33];
  const std::size_t f = blockIdx.x * 32 + threadIdx.x;
  const T* from = x + blockIdx.y * stride;
  float sum = 0;
  if (f < F) {
    for (std::size_t line = threadIdx.y; line < lines; line += 32) sum += read(from, line * F + f);
  }
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && f < F) {
    for (int y = 1; y < 32; ++y) sum += room[y][threadIdx.x];
    out[blockIdx.y / paths * out_stride + blockIdx.y % paths * path_stride + f] = sum;
  }
}

/// From S to the gradients of v1 and of the masks, and the step: a warp for each feature of each model.
static __global__ void weigh_back(const float* spread, const float* masks, std::size_t offset, std::size_t stride,
                                  std::size_t models, std::size_t D, std::size_t F1, std::size_t Q, Stepper stepper,
                                  float* mask_gradients) {
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  const std::size_t lane = threadIdx.x % 32;
  if (warp >= models * D) return;
  const std::size_t m = warp / D;
  const std::size_t d = warp % D;
  const float* s = spread + warp * Q * F1;
  const float mask = masks[m * Q * D + d];
  const float opposite = Q == 2 ? masks[(m * Q + 1) * D + d] : 0.0F;
  float dmask = 0;
  float dopposite = 0;
  for (std::size_t j = lane; j < F1; j += 32) {
    const std::size_t at = m * stride + offset + d * F1 + j;
    const float v = stepper.values[at];
    float gradient = mask * s[j];
    dmask += v * s[j];
    if (Q == 2) {
      gradient += opposite * s[F1 + j];
      dopposite += v * s[F1 + j];
    }
    stepper.step(at, gradient);
  }
  dmask = warp_sum(dmask);
  dopposite = warp_sum(dopposite);
  if (lane == 0) {
    mask_gradients[m * Q * D + d] = dmask;
    if (Q == 2) mask_gradients[(m * Q + 1) * D + d] = dopposite;
  }
}

/// The step of a part of the parameters whose gradients stand by models: (M,count), a model's at gradient_stride.
static __global__ void step_part(const float* gradient, std::size_t gradient_stride, std::size_t count,
                                 std::size_t offset, std::size_t stride, Stepper stepper) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i < count) stepper.step(m * stride + offset + i, gradient[m * gradient_stride + i]);
}

/// dw2 = t' dz and db2 = dz with their steps, and slope = w2 dz / rows: a block for each (model, unit), one more for b2.
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

/// dT = slope (1 - T^2), and db1, its sum over the rows, with the step.
template <class T>
__global__ void tanh_back(const float* activations, const float* slopes, std::size_t B, std::size_t rows, std::size_t H,
                          std::size_t b1, std::size_t stride, Stepper stepper, T* gradient) {
  __shared__ float room[32][33];
  const std::size_t m = blockIdx.y;
  const std::size_t h = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  if (h < H) {
    const float slope = slopes[m * H + h];
    for (std::size_t r = threadIdx.y; r < rows; r += 32) {
      const float t = activations[(m * B + r) * H + h];
      const float d = slope * (1 - t * t);
      write(gradient, (m * B + r) * H + h, d);
      sum += d;
    }
  }
  room[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && h < H) {
    for (int y = 1; y < 32; ++y) sum += room[y][threadIdx.x];
    stepper.step(m * stride + b1 + h, sum);
  }
}

/// outputs += bias, (M,Q,B,C); for losses of the host.
static __global__ void add_biases(float* outputs, const float* biases, std::size_t stride, std::size_t path,
                                  std::size_t Q, std::size_t B, std::size_t C) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y / Q;
  const std::size_t q = blockIdx.y % Q;
  if (i < B * C) outputs[blockIdx.y * B * C + i] += biases[m * stride + q * path + i % C];
}

}  // namespace obverse::cuda
