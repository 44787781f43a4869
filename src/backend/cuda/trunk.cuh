// Between the products of the network behind the masks, for networks of any shape.
//   M models, E of them see the same batch   Q paths   B rows (`rows` in this step), B Q lines   D columns
//   F1, F2 widths   C outputs
// What the first layer reads and writes stands by batches, (S,..,E,Q,F1): the units of all models of a batch side by
// side, so that one product serves them. Behind it matrices stand by models.
#pragma once

#include "backend/cuda/loss.cuh"

namespace obverse::cuda {

/// out (S,lead,E,Q,F1) = mask * v1; kWidth units a thread.
template <int kWidth, class T>
__global__ void weigh(const float* v1, std::size_t stride, const float* masks, std::size_t D, std::size_t lead,
                      std::size_t F1, std::size_t Q, std::size_t E, T* out) {
  wait_for_previous();
  // 32 bits are enough (CudaOps::bytes), and quotients of 64 would cost more than all the rest.
  const unsigned i = (blockIdx.x * blockDim.x + threadIdx.x) * kWidth;
  const auto units = static_cast<unsigned>(F1);
  const unsigned d = i / units;
  const unsigned unit = i % units;
  const std::size_t m = blockIdx.y;
  const unsigned batch = blockIdx.y / static_cast<unsigned>(E);
  const unsigned model = blockIdx.y % static_cast<unsigned>(E);
  if (d >= D) return;
  const Numbers<kWidth> v = read_many<kWidth>(v1, m * stride + i);
  const float mask[2] = {masks[m * Q * D + d], masks[(m * Q + Q - 1) * D + d]};
#pragma unroll
  for (std::size_t q = 0; q < 2; ++q) {
    if (q == Q) break;
    Numbers<kWidth> weighed;
#pragma unroll
    for (int j = 0; j < kWidth; ++j) weighed.of[j] = mask[q] * v.of[j];
    write_many(out, (((batch * lead + d) * E + model) * Q + q) * F1 + unit, weighed);
  }
}

/// a (M,B,Q,F1) = leaky(p (S,B,E,Q,F1) + bias)
template <class T>
__global__ void leaky_forward(const float* p, const float* bias, std::size_t stride, float leak, std::size_t rows,
                              std::size_t B, std::size_t width, std::size_t F1, std::size_t E, T* a) {
  wait_for_previous();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;  // of (rows, width), width = Q F1
  const std::size_t m = blockIdx.y;
  if (i >= rows * width) return;
  const std::size_t from = ((m / E * B + i / width) * E + m % E) * width + i % width;
  write(a, m * B * width + i, leaky(p[from] + bias[m * stride + i % F1], leak));
}

/// g = leaky'(a) da, of (M,B,Q,F1), in place of a and as (S,B,E,Q,F1).
template <class T>
__global__ void leaky_back(const float* da, float leak, std::size_t rows, std::size_t B, std::size_t width,
                           std::size_t E, T* a, T* g) {
  wait_for_previous();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (i >= rows * width) return;
  const float d = da[m * B * width + i];
  const float slope = read(a, m * B * width + i) > 0 ? d : leak * d;
  write(a, m * B * width + i, slope);
  write(g, ((m / E * B + i / width) * E + m % E) * width + i % width, slope);
}

/// n = keep * factor * leaky(p + bias), (M,B,Q,F2), eight numbers a thread.
static __global__ void leaky_dropout(const float* p, const float* bias, std::size_t stride, float leak, Dropout dropout,
                                     std::size_t count, std::size_t size, std::size_t F2, std::size_t E, float* n) {
  wait_for_previous();
  const std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (block * 8 >= count) return;
  const std::uint32_t keep = dropout.keep(m / E, static_cast<std::uint32_t>(block));
  for (std::size_t i = block * 8; i < min(block * 8 + 8, count); ++i) {
    const float x = leaky(p[m * size + i] + bias[m * stride + i % F2], leak);
    n[m * size + i] = (keep >> (i % 8) & 1U) != 0 ? dropout.factor() * x : 0.0F;
  }
}

/// The way back: g from n and dn.
template <class T>
__global__ void leaky_dropout_back(const float* n, const float* dn, float leak, Dropout dropout, std::size_t count,
                                   std::size_t size, std::size_t E, T* g) {
  wait_for_previous();
  const std::size_t block = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (block * 8 >= count) return;
  const std::uint32_t keep = dropout.keep(m / E, static_cast<std::uint32_t>(block));
  for (std::size_t i = block * 8; i < min(block * 8 + 8, count); ++i) {
    const float d = dropout.factor() * dn[m * size + i];
    write(g, m * size + i, (keep >> (i % 8) & 1U) == 0 ? 0.0F : n[m * size + i] > 0 ? d : leak * d);
  }
}

/// Where the losses of rows are summed: `losses` (M,Q,B) and `hits` (M,B) of rows.
struct OutputArgs {
  Targets targets;
  const void* batch;  // (S,B,lead) for a reconstruction
  std::size_t lead;
  const float* biases;  // of model 0, path 0
  std::size_t bias_stride, bias_path;
  std::size_t models, E, Q, paths, B, rows, C;  // paths: how many are held against targets here
  bool back;
  float* outputs;  // (M,Q,B,C), in place
  float* losses;
  float* hits;
};

/// A warp for each (model, path, row); T is the number of the batch.
template <class T>
__global__ void path_losses(OutputArgs a) {
  wait_for_previous();
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (warp >= a.models * a.paths * a.rows) return;
  const std::size_t r = warp % a.rows;
  const std::size_t q = warp / a.rows % a.paths;
  const std::size_t m = warp / a.rows / a.paths;
  const std::size_t at = m / a.E * a.rows + r;  // of (S,rows)
  float* x = a.outputs + ((m * a.Q + q) * a.B + r) * a.C;
  const float* bias = a.biases + m * a.bias_stride + q * a.bias_path;
  const float weight = a.targets.weight(at);
  const float factor = weight * (q == 0 ? 1.0F : a.targets.gammas[m]) / static_cast<float>(a.rows);
  const OutputLoss kind = a.targets.kind;
  const bool labelled = kind == OutputLoss::softmax || kind == OutputLoss::reconstruction;
  const std::size_t label = labelled ? static_cast<std::size_t>(a.targets.labels[q][at]) : 0;
  RowLoss row{};
  if (kind == OutputLoss::reconstruction) {
    const T* shown = static_cast<const T*>(a.batch) + (m / a.E * a.B + label) * a.lead;
    row = row_loss<32>(kind, 0, shown, static_cast<int>(a.C), bias, factor, a.back, x);
  } else {
    const float* values = kind == OutputLoss::softmax ? nullptr : a.targets.values[q] + at * a.C;
    row = row_loss<32>(kind, static_cast<int>(label), values, static_cast<int>(a.C), bias, factor, a.back, x);
  }
  if (threadIdx.x % 32 != 0) return;
  a.losses[(m * a.Q + q) * a.B + r] = weight * row.loss;
  if (!a.back) a.hits[m * a.B + r] = weight * row.hits;
}

/// totals (M,Q) += the sum over rows, in their order: a warp for each.
static __global__ void add_totals(const float* losses, const float* hits, std::size_t Q, std::size_t paths,
                                  std::size_t B, std::size_t rows, double* totals, double* total_hits) {
  wait_for_previous();
  const std::size_t m = blockIdx.x / paths;
  const std::size_t q = blockIdx.x % paths;
  double sum = 0;
  double right = 0;
  for (std::size_t r = threadIdx.x; r < rows; r += 32) {
    sum += static_cast<double>(losses[(m * Q + q) * B + r]);
    if (hits != nullptr && q == 0) right += static_cast<double>(hits[m * B + r]);
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

/// outputs (M,2,B,C), now the gradients of the main loss, with those of a loss of the host: added on the main path, in
/// place of what the complement had.
static __global__ void add_host_gradients(const float* gradients, std::size_t size, float* outputs) {
  wait_for_previous();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t at = blockIdx.y * size + i;
  if (i < size) outputs[at] = gradients[at] + (blockIdx.y % 2 == 0 ? outputs[at] : 0.0F);
}

/// out (F) = the sum over `lines` lines of F numbers that are `lead` apart; a matrix for each (model, path).
template <class T>
__global__ void column_sums(const T* x, std::size_t stride, std::size_t path_stride, std::size_t lines,
                            std::size_t lead, std::size_t F, float* out, std::size_t out_stride, std::size_t out_path) {
  wait_for_previous();
  const std::size_t f = blockIdx.x * 32 + threadIdx.x;
  const T* from = x + blockIdx.y * stride + blockIdx.z * path_stride;
  float sum = 0;
  if (f < F) {
    for (std::size_t line = threadIdx.y; line < lines; line += 32) sum += read(from, line * lead + f);
  }
  sum = column_sum(sum);
  if (threadIdx.y == 0 && f < F) out[blockIdx.y * out_stride + blockIdx.z * out_path + f] = sum;
}

/// v2 (M,F1,F2) among the parameters as the products read it.
static __global__ void narrow_inner(const float* v2, std::size_t stride, std::size_t size, Half* to) {
  wait_for_previous();
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < size) to[blockIdx.y * size + i] = __float2bfloat16(v2[blockIdx.y * stride + i]);
}

/// From S (S,lead,E,Q,F1) to the gradients of v1 and of the masks, and the step: a warp for each feature of each model.
template <int kWidth>
__global__ void weigh_back(const float* spread, const float* masks, std::size_t stride, std::size_t models,
                           std::size_t D, std::size_t lead, std::size_t F1, std::size_t Q, std::size_t E,
                           Stepper stepper, float decay, float* mask_gradients) {
  wait_for_previous();
  const std::size_t warp = (std::size_t{blockIdx.x} * blockDim.x + threadIdx.x) / 32;
  if (warp >= models * D) return;
  const std::size_t m = warp / D;
  const std::size_t d = warp % D;
  const float* s = spread + ((m / E * lead + d) * E + m % E) * Q * F1;
  const float mask = masks[m * Q * D + d];
  const float opposite = Q == 2 ? masks[(m * Q + 1) * D + d] : 0.0F;
  float dmask = 0;
  float dopposite = 0;
  for (std::size_t j = threadIdx.x % 32 * kWidth; j < F1; j += 32 * kWidth) {
    const std::size_t at = m * stride + d * F1 + j;
    const Numbers<kWidth> v = read_many<kWidth>(stepper.values, at);
    const Numbers<kWidth> one = read_many<kWidth>(s, j);
    Numbers<kWidth> two{};
    if (Q == 2) two = read_many<kWidth>(s, F1 + j);
    Numbers<kWidth> gradient;
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      gradient.of[i] = mask * one.of[i] + opposite * two.of[i] + decay * v.of[i];
      dmask += v.of[i] * one.of[i];
      dopposite += v.of[i] * two.of[i];
    }
    stepper.step_many(at, v, gradient);
  }
  dmask = lane_sum(dmask);
  dopposite = lane_sum(dopposite);
  if (threadIdx.x % 32 == 0) {
    mask_gradients[m * Q * D + d] = dmask;
    if (Q == 2) mask_gradients[(m * Q + 1) * D + d] = dopposite;
  }
}

}  // namespace obverse::cuda
