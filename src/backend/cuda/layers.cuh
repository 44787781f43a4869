// Everything between the two large products of a step in one kernel, in bf16 on tensor cores: the first leaky layer,
// the second layer with dropout, both heads, both losses, and all the way back to the gradient of what the first
// product gave. A block of threads takes kLayerLines lines (row, path) of one model and keeps all that lies between in
// its own memory; its part of the parameters' gradients is summed in rest.cuh.
//   Q = kPaths paths   F1 and F2 as of the recipes   C at most kOutputs: 4, 16 or 32
#pragma once

#include "backend/cuda/loss.cuh"
#include "backend/cuda/tensor.cuh"

namespace obverse::cuda {

inline constexpr int kLayerLines = 64;
inline constexpr int kLayerThreads = 256;
inline constexpr int kLayerWidth1 = 128;
inline constexpr int kLayerWidth2 = 64;
inline constexpr int kMostOutputs = 32;

struct LayerArgs {
  const float* parameters;  // (M, stride), TrunkLayout
  std::size_t stride, c1, v2, c2, u[2], b[2];
  std::size_t B, rows, E;
  int C;
  float leak;
  Dropout dropout;
  Targets targets;
  bool back;
  const Half* sums;  // (S,B,E,Q,F1)
  Half* gradient;    // (S,B,E,Q,F1)
  float* rest;       // (M, parts, rest_stride): gradients from c1 on
  std::size_t rest_stride;
  double* losses;  // (M,parts,Q)
  double* right;   // (M,parts)
};

/// The memory of a block. Rows are padded against conflicts of banks.
/// The heads of both paths stand side by side, kPad outputs each, and so do the gradients of the outputs: a line has
/// zeros where the outputs of the other path are, so that one product serves both.
template <int kPaths, int kOutputs>
struct LayerMemory {
  static constexpr int kPad = kOutputs * kPaths < 16 ? 16 / kPaths : kOutputs;
  static constexpr int kWidth = kPaths * kPad;  // a multiple of 16
  static constexpr int kLead1 = kLayerWidth1 + 8;
  static constexpr int kLead2 = kLayerWidth2 + 8;
  static constexpr int kLeadW = kWidth + 8;
  static constexpr int kLeadC = kOutputs + 4;
  alignas(16) Half hidden[kLayerLines * kLead1];    // A, then G
  alignas(16) Half inner[kLayerWidth1 * kLead2];    // v2
  alignas(16) Half features[kLayerLines * kLead2];  // N
  alignas(16) Half slopes[kLayerLines * kLead2];    // what bf16 has left of N, then the gradient of A v2
  alignas(16) Half heads[kLayerWidth2 * kLeadW];    // u of both paths
  static_assert(kLayerWidth2 == kLayerLines);
  alignas(16) Half output_slopes[kLayerLines * kLeadW];  // what bf16 has left of u, then the gradients of the outputs
  alignas(16) float outputs[kLayerLines * kLeadC];       // later their gradients
  float biases[kWidth];                                  // of the heads
  float inner_biases[kLayerWidth2];                      // c2
  alignas(8) std::uint8_t keep[kLayerLines * kLayerWidth2 / 8];
  float losses[kLayerLines];
  float right[kLayerLines];
};

template <int kPaths, int kOutputs>
__global__ void __launch_bounds__(kLayerThreads, 3) pass_layers(const __grid_constant__ LayerArgs a) {
  constexpr int F1 = kLayerWidth1;
  constexpr int F2 = kLayerWidth2;
  using Memory = LayerMemory<kPaths, kOutputs>;
  constexpr int kLead1 = Memory::kLead1;
  constexpr int kLead2 = Memory::kLead2;
  constexpr int kLeadW = Memory::kLeadW;
  constexpr int kLeadC = Memory::kLeadC;
  constexpr int kPad = Memory::kPad;
  constexpr int kWidth = Memory::kWidth;
  extern __shared__ __align__(16) unsigned char room[];
  Memory& memory = *reinterpret_cast<Memory*>(room);

  const int t = static_cast<int>(threadIdx.x);
  const int warp = t / 32;
  const int lane = t % 32;
  const std::size_t m = blockIdx.y;
  const std::size_t s = m / a.E;
  const int C = a.C;
  const int first = static_cast<int>(blockIdx.x) * kLayerLines;
  const int lines = min(kLayerLines, static_cast<int>(a.rows) * kPaths - first);  // of this block
  const float* parameters = a.parameters + m * a.stride;
  // Of the block's first line within (S,B,E,Q,F1); a row further on, and its next path.
  const std::size_t row_stride = a.E * kPaths * F1;
  const std::size_t origin =
      (s * a.B + static_cast<std::size_t>(first / kPaths)) * row_stride + m % a.E * (kPaths * F1);
  const auto place = [&](int line) {
    return origin + static_cast<std::size_t>(line / kPaths) * row_stride + static_cast<std::size_t>(line % kPaths * F1);
  };

  // What the heads ask for later is on its way early: four threads for each line.
  const int line = t / 4;
  const int q = line % kPaths;
  // Lines beyond the batch do as its first row and count for nothing.
  const std::size_t row = s * a.rows + (line < lines ? static_cast<std::size_t>((first + line) / kPaths) : 0);
  const bool labelled = a.targets.kind == OutputLoss::softmax;
  const int label = labelled ? a.targets.labels[q][row] : 0;
  const float weight = line < lines ? a.targets.weight(row) : 0.0F;
  const float share = weight * (q == 0 ? 1.0F : a.targets.gammas[m]) / static_cast<float>(a.rows);
  const float factor = a.dropout.factor();

  // All but the sums is there before the product of the sums is: it is from an earlier step or kernel.
  constexpr int kInner = F1 * F2 / 4 / kLayerThreads;
  Numbers<4> inner[kInner];
#pragma unroll
  for (int i = 0; i < kInner; ++i) {
    inner[i] = read_many<4>(parameters, a.v2 + static_cast<std::size_t>((t + i * kLayerThreads) * 4));
  }
  const int column = t % (F1 / 8) * 8;  // of the sums, as read by this thread
  const Numbers<4> bias[2] = {read_many<4>(parameters, a.c1 + static_cast<std::size_t>(column)),
                              read_many<4>(parameters, a.c1 + static_cast<std::size_t>(column + 4))};
  constexpr int kHeads = F2 * kWidth / kLayerThreads;
  static_assert(kLayerThreads % kWidth == 0);
  const int of_path = t % kWidth / kPad;  // the output that this thread reads of the heads
  const int output = t % kPad;
  float heads[kHeads];
#pragma unroll
  for (int i = 0; i < kHeads; ++i) {
    const int f = t / kWidth + i * (kLayerThreads / kWidth);
    heads[i] = output < C ? parameters[a.u[of_path] + static_cast<std::size_t>(f * C + output)] : 0.0F;
  }
  if (t < kWidth) {
    memory.biases[t] = output < C ? parameters[a.b[of_path] + static_cast<std::size_t>(output)] : 0.0F;
  }
  if (t < F2) memory.inner_biases[t] = parameters[a.c2 + static_cast<std::size_t>(t)];
#pragma unroll
  for (int i = t; i < kLayerLines * F2 / 8; i += kLayerThreads) {
    memory.keep[i] = static_cast<std::uint8_t>(a.dropout.keep(s, static_cast<std::uint32_t>(first * (F2 / 8) + i)));
  }
#pragma unroll
  for (int i = 0; i < kHeads; ++i) {
    const int at = (t / kWidth + i * (kLayerThreads / kWidth)) * kLeadW + t % kWidth;
    split(heads[i], memory.heads[at], memory.output_slopes[at]);
  }
#pragma unroll
  for (int i = 0; i < kInner; ++i) {
    const int at = t + i * kLayerThreads;
    write_many(memory.inner, static_cast<std::size_t>(at / (F2 / 4) * kLead2 + at % (F2 / 4) * 4), inner[i]);
  }

  wait_for_previous();
  constexpr int kLinesAtOnce = kLayerThreads / (F1 / 8);
  uint4 sums_of[kLayerLines / kLinesAtOnce];
#pragma unroll
  for (int i = 0; i < kLayerLines / kLinesAtOnce; ++i) {
    const int l = t / (F1 / 8) + i * kLinesAtOnce;
    sums_of[i] = l < lines ? *reinterpret_cast<const uint4*>(a.sums + place(l) + static_cast<std::size_t>(column))
                           : make_uint4(0, 0, 0, 0);
  }
#pragma unroll
  for (int i = 0; i < kLayerLines / kLinesAtOnce; ++i) {
    const int l = t / (F1 / 8) + i * kLinesAtOnce;
    alignas(16) Half x[8];
    *reinterpret_cast<uint4*>(x) = sums_of[i];
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      // Lines beyond the batch are zero.
      const float sum = __bfloat162float(x[k]) + bias[k / 4].of[k % 4];
      x[k] = __float2bfloat16(l < lines ? leaky(sum, a.leak) : 0.0F);
    }
    *reinterpret_cast<uint4*>(memory.hidden + l * kLead1 + column) = *reinterpret_cast<const uint4*>(x);
  }
  __syncthreads();

  // N = dropout(leaky(A v2 + c2)): a warp has 16 lines and half of the units.
  const int group = warp % 4 * 16;
  {
    const int half = warp / 4 * 32;
    TileSum sums[4] = {};
#pragma unroll
    for (int k = 0; k < F1; k += 16) {
      TileA x;
      load_a(memory.hidden + group * kLead1 + k, kLead1, x);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        TileB y;
        load_b(memory.inner + k * kLead2 + half + n * 16, kLead2, y);
        multiply_add(x, y, 0, sums[2 * n]);
        multiply_add(x, y, 1, sums[2 * n + 1]);
      }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int f = half + n * 8 + lane % 4 * 2;
      const float of_unit[2] = {memory.inner_biases[f], memory.inner_biases[f + 1]};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int l = group + i * 8 + lane / 4;
        const unsigned bits = memory.keep[l * (F2 / 8) + f / 8] >> (f % 8);
        const float x = (bits & 1U) != 0 ? factor * leaky(sums[n][2 * i] + of_unit[0], a.leak) : 0.0F;
        const float y = (bits & 2U) != 0 ? factor * leaky(sums[n][2 * i + 1] + of_unit[1], a.leak) : 0.0F;
        write_pair(memory.features + l * kLead2 + f, x, y);
        const float2 kept = read_pair(memory.features + l * kLead2 + f);
        write_pair(memory.slopes + l * kLead2 + f, x - kept.x, y - kept.y);
      }
    }
  }
  __syncthreads();

  // The heads, to 16 bits: a warp has 16 lines and each second 16 outputs.
#pragma unroll
  for (int begin = warp / 4 * 16; begin < kWidth; begin += 32) {
    TileSum sums[2] = {};
#pragma unroll
    for (int k = 0; k < F2; k += 16) {
      TileA x;
      TileA left_of_x;
      TileB y;
      TileB left_of_y;
      load_a(memory.features + group * kLead2 + k, kLead2, x);
      load_a(memory.slopes + group * kLead2 + k, kLead2, left_of_x);
      load_b(memory.heads + k * kLeadW + begin, kLeadW, y);
      load_b(memory.output_slopes + k * kLeadW + begin, kLeadW, left_of_y);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        multiply_add(left_of_x, y, n, sums[n]);
        multiply_add(x, left_of_y, n, sums[n]);
        multiply_add(x, y, n, sums[n]);
      }
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int l = group + i / 2 % 2 * 8 + lane / 4;
      const int at = begin + i / 4 * 8 + lane % 4 * 2 + i % 2;
      const int c = at - l % kPaths * kPad;  // where this line's path has it
      if (c >= 0 && c < C) memory.outputs[l * kLeadC + c] = sums[i / 4][i % 4] + memory.biases[at];
    }
  }
  __syncthreads();

  // The losses: four threads for each line.
  float* outputs = memory.outputs + line * kLeadC;
  {
    const RowLoss found =
        row_loss<4>(a.targets.kind, label, labelled ? nullptr : a.targets.values[q] + row * static_cast<std::size_t>(C),
                    C, nullptr, share, a.back, outputs);
    if (a.back) {
#pragma unroll
      for (int c = t % 4; c < kPad; c += 4) {
        Half* to = memory.output_slopes + line * kLeadW + c;
        if constexpr (kPaths == 2) to[(1 - q) * kPad] = __float2bfloat16(0.0F);
        to[q * kPad] = __float2bfloat16(c < C ? outputs[c] : 0.0F);
      }
    }
    if (t % 4 == 0) {
      // A pass forward only asks for the main path.
      memory.losses[line] = line < lines && (a.back || q == 0) ? weight * found.loss : 0.0F;
      memory.right[line] = line < lines && q == 0 && !a.back ? weight * found.hits : 0.0F;
    }
  }
  __syncthreads();
  const std::size_t part = m * gridDim.x + blockIdx.x;
  if (warp == 0) {
    double loss = static_cast<double>(memory.losses[lane]) + static_cast<double>(memory.losses[lane + 32]);
    double right = static_cast<double>(memory.right[lane]) + static_cast<double>(memory.right[lane + 32]);
    for (int offset = 16; offset >= kPaths; offset /= 2) loss += __shfl_xor_sync(0xFFFFFFFFU, loss, offset);
    for (int offset = 16; offset > 0; offset /= 2) right += __shfl_xor_sync(0xFFFFFFFFU, right, offset);
    if (lane < kPaths) a.losses[part * kPaths + static_cast<std::size_t>(lane)] = loss;
    if (lane == 0) a.right[part] = right;
  }
  if (!a.back) return;

  // Back through the heads, dropout and the second leaky: a warp has 16 lines and half of the units.
  {
    const int half = warp / 4 * 32;
    TileSum sums[4] = {};
#pragma unroll
    for (int k = 0; k < kWidth; k += 16) {
      TileA x;
      load_a(memory.output_slopes + group * kLeadW + k, kLeadW, x);
#pragma unroll
      for (int n = 0; n < 2; ++n) {
        TileB y;
        load_b_transposed(memory.heads + (half + n * 16) * kLeadW + k, kLeadW, y);
        multiply_add(x, y, 0, sums[2 * n]);
        multiply_add(x, y, 1, sums[2 * n + 1]);
      }
    }
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      const int f = half + n * 8 + lane % 4 * 2;
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int l = group + i * 8 + lane / 4;
        const unsigned bits = memory.keep[l * (F2 / 8) + f / 8] >> (f % 8);
        const float2 x = read_pair(memory.features + l * kLead2 + f);
        const float first_slope = factor * (x.x > 0 ? sums[n][2 * i] : a.leak * sums[n][2 * i]);
        const float second_slope = factor * (x.y > 0 ? sums[n][2 * i + 1] : a.leak * sums[n][2 * i + 1]);
        write_pair(memory.slopes + l * kLead2 + f, (bits & 1U) != 0 ? first_slope : 0.0F,
                   (bits & 2U) != 0 ? second_slope : 0.0F);
      }
    }
  }

  float* rest = a.rest + part * a.rest_stride;  // from c1 on
  // The heads' gradients: a warp has 16 units and each second 16 outputs.
#pragma unroll
  for (int begin = warp / 4 * 16; begin < kWidth; begin += 32) {
    TileSum sums[2] = {};
#pragma unroll
    for (int k = 0; k < kLayerLines; k += 16) {
      TileA x;
      TileB y;
      load_a_transposed(memory.features + k * kLead2 + group, kLead2, x);
      load_b(memory.output_slopes + k * kLeadW + begin, kLeadW, y);
      multiply_add(x, y, 0, sums[0]);
      multiply_add(x, y, 1, sums[1]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const int f = group + i / 2 % 2 * 8 + lane / 4;
      const int at = begin + i / 4 * 8 + lane % 4 * 2 + i % 2;
      const int c = at % kPad;
      if (c < C) rest[a.u[at / kPad] - a.c1 + static_cast<std::size_t>(f * C + c)] = sums[i / 4][i % 4];
    }
  }
  __syncthreads();

  {
    // Biases of the heads, and those of the second layer.
    if (t < kPaths * kMostOutputs && t % kMostOutputs < C) {
      const int of = t / kMostOutputs;
      float sum = 0;
#pragma unroll 8
      for (int l = of; l < kLayerLines; l += kPaths) sum += memory.outputs[l * kLeadC + t % kMostOutputs];
      rest[a.b[of] - a.c1 + static_cast<std::size_t>(t % kMostOutputs)] = sum;
    }
    if (t >= kLayerThreads - F2) {
      float sum = 0;
#pragma unroll 8
      for (int l = 0; l < kLayerLines; ++l) sum += __bfloat162float(memory.slopes[l * kLead2 + t % F2]);
      rest[a.c2 - a.c1 + static_cast<std::size_t>(t % F2)] = sum;
    }
  }
  {
    // dv2 = A' dN: a warp has 16 rows.
    TileSum sums[F2 / 8] = {};
#pragma unroll
    for (int k = 0; k < kLayerLines; k += 16) {
      TileA x;
      load_a_transposed(memory.hidden + k * kLead1 + warp * 16, kLead1, x);
#pragma unroll
      for (int n = 0; n < F2 / 16; ++n) {
        TileB y;
        load_b(memory.slopes + k * kLead2 + n * 16, kLead2, y);
        multiply_add(x, y, 0, sums[2 * n]);
        multiply_add(x, y, 1, sums[2 * n + 1]);
      }
    }
    float* to = rest + (a.v2 - a.c1) + (warp * 16 + lane / 4) * F2 + lane % 4 * 2;
#pragma unroll
    for (int n = 0; n < F2 / 8; ++n) {
      *reinterpret_cast<float2*>(to + n * 8) = {sums[n][0], sums[n][1]};
      *reinterpret_cast<float2*>(to + 8 * F2 + n * 8) = {sums[n][2], sums[n][3]};
    }
  }
  __syncthreads();

  {
    // G = leaky'(A) (dN v2') in place of A: a warp has 16 lines and half of the units.
    const int half = warp / 4 * 64;
    TileSum sums[8] = {};
#pragma unroll
    for (int k = 0; k < F2; k += 16) {
      TileA x;
      load_a(memory.slopes + group * kLead2 + k, kLead2, x);
#pragma unroll
      for (int n = 0; n < 4; ++n) {
        TileB y;
        load_b_transposed(memory.inner + (half + n * 16) * kLead2 + k, kLead2, y);
        multiply_add(x, y, 0, sums[2 * n]);
        multiply_add(x, y, 1, sums[2 * n + 1]);
      }
    }
#pragma unroll
    for (int n = 0; n < 8; ++n) {
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        Half* at = memory.hidden + (group + i * 8 + lane / 4) * kLead1 + half + n * 8 + lane % 4 * 2;
        const float2 x = read_pair(at);
        const float first_slope = x.x > 0 ? sums[n][2 * i] : a.leak * sums[n][2 * i];
        const float second_slope = x.y > 0 ? sums[n][2 * i + 1] : a.leak * sums[n][2 * i + 1];
        write_pair(at, first_slope, second_slope);
      }
    }
  }
  __syncthreads();

#pragma unroll
  for (int i = t; i < kLayerLines * F1 / 8; i += kLayerThreads) {
    const int l = i / (F1 / 8);
    const int f = i % (F1 / 8) * 8;
    if (l < lines) {
      *reinterpret_cast<uint4*>(a.gradient + place(l) + static_cast<std::size_t>(f)) =
          *reinterpret_cast<const uint4*>(memory.hidden + l * kLead1 + f);
    }
  }
  // Its sum over the lines: two units and a quarter of the lines for each thread, the quarters in their order.
  auto* quarters = reinterpret_cast<float2*>(memory.features);  // (4, F1/2)
  {
    float2 sum{};
#pragma unroll
    for (int l = t / 64 * 16; l < t / 64 * 16 + 16; ++l) {
      const float2 x = read_pair(memory.hidden + l * kLead1 + t % 64 * 2);
      sum.x += x.x;
      sum.y += x.y;
    }
    quarters[t] = sum;
  }
  __syncthreads();
  if (t < F1 / 2) {
    float2 sum = quarters[t];
#pragma unroll
    for (int i = 1; i < 4; ++i) {
      sum.x += quarters[t + 64 * i].x;
      sum.y += quarters[t + 64 * i].y;
    }
    *reinterpret_cast<float2*>(rest + 2 * t) = sum;
  }
}

}  // namespace obverse::cuda
