// Everything between the two large products of a step in one kernel, in bf16 on tensor cores: the first leaky layer,
// the second layer with dropout, both heads, both losses, and all the way back to the gradient of what the first
// product gave. A block of threads takes kLayerLines lines (row, path) of one model and keeps all that lies between in
// its own memory; its part of the parameters' gradients is summed by step_rest.
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
  double* losses;        // (M,parts,Q)
  std::uint32_t* right;  // (M,parts)
};

/// The memory of a block. Rows are padded against conflicts of banks.
struct LayerMemory {
  static constexpr int kLead1 = kLayerWidth1 + 8;
  static constexpr int kLead2 = kLayerWidth2 + 8;
  static constexpr int kLeadN = kLayerWidth2 + 4;
  alignas(16) Half hidden[kLayerLines * kLead1];     // A, then G
  alignas(16) Half inner[kLayerWidth1 * kLead2];     // v2
  alignas(16) float features[kLayerLines * kLeadN];  // N
  alignas(16) Half slopes[kLayerLines * kLead2];     // the gradient of A v2
  alignas(8) std::uint8_t keep[kLayerLines * kLayerWidth2 / 8];
  float losses[kLayerLines];
  std::uint32_t right[kLayerLines];
  // By C: heads (Q,F2,lead_c), then outputs (lines, lead_c), later their gradients.
  alignas(16) float by_outputs[4];

  __host__ __device__ static int lead_c(int C) { return (C + 3) / 4 * 4; }
  /// From one path's head to the other's.
  __host__ __device__ static int path_lead(int C) { return kLayerWidth2 * lead_c(C) + 16; }
  static std::size_t bytes(int C, int paths) {
    // Outputs are read by kOutputs, beyond the last line too.
    return sizeof(LayerMemory) +
           sizeof(float) * static_cast<std::size_t>(paths * path_lead(C) + kLayerLines * lead_c(C) + kMostOutputs);
  }
};

template <int kPaths, int kOutputs>
__global__ void __launch_bounds__(kLayerThreads, 3) pass_layers(const __grid_constant__ LayerArgs a) {
  constexpr int F1 = kLayerWidth1;
  constexpr int F2 = kLayerWidth2;
  constexpr int kLead1 = LayerMemory::kLead1;
  constexpr int kLead2 = LayerMemory::kLead2;
  constexpr int kLeadN = LayerMemory::kLeadN;
  extern __shared__ __align__(16) unsigned char room[];
  LayerMemory& memory = *reinterpret_cast<LayerMemory*>(room);

  const int t = static_cast<int>(threadIdx.x);
  const int warp = t / 32;
  const int lane = t % 32;
  const std::size_t m = blockIdx.y;
  const std::size_t s = m / a.E;
  const int C = a.C;
  const int lead_c = LayerMemory::lead_c(C);
  const int path_lead = LayerMemory::path_lead(C);
  float* const heads = memory.by_outputs;
  float* const all_outputs = heads + kPaths * path_lead;
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

#pragma unroll
  for (int i = t; i < kLayerLines * F1 / 8; i += kLayerThreads) {
    const int l = i / (F1 / 8);
    const int f = i % (F1 / 8) * 8;
    alignas(16) Half x[8] = {};
    if (l < lines) {
      *reinterpret_cast<uint4*>(x) = *reinterpret_cast<const uint4*>(a.sums + place(l) + static_cast<std::size_t>(f));
#pragma unroll
      for (int j = 0; j < 8; j += 4) {
        const Numbers<4> bias = read_many<4>(parameters, a.c1 + static_cast<std::size_t>(f + j));
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          x[j + k] = __float2bfloat16(leaky(__bfloat162float(x[j + k]) + bias.of[k], a.leak));
        }
      }
    }
    *reinterpret_cast<uint4*>(memory.hidden + l * kLead1 + f) = *reinterpret_cast<const uint4*>(x);
  }
#pragma unroll
  for (int i = t; i < F1 * F2 / 4; i += kLayerThreads) {
    const Numbers<4> x = read_many<4>(parameters, a.v2 + static_cast<std::size_t>(i * 4));
    write_many(memory.inner, static_cast<std::size_t>(i / (F2 / 4) * kLead2 + i % (F2 / 4) * 4), x);
  }
#pragma unroll
  for (int path = 0; path < kPaths; ++path) {
    // Four threads for each of the F2 rows.
    for (int c = t % 4; c < lead_c; c += 4) {
      heads[path * path_lead + t / 4 * lead_c + c] =
          c < C ? parameters[a.u[path] + static_cast<std::size_t>(t / 4 * C + c)] : 0.0F;
    }
  }
#pragma unroll
  for (int i = t; i < kLayerLines * F2 / 8; i += kLayerThreads) {
    memory.keep[i] = static_cast<std::uint8_t>(a.dropout.keep(s, static_cast<std::uint32_t>(first * (F2 / 8) + i)));
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
      const float bias[2] = {parameters[a.c2 + static_cast<std::size_t>(f)],
                             parameters[a.c2 + static_cast<std::size_t>(f + 1)]};
#pragma unroll
      for (int i = 0; i < 2; ++i) {
        const int l = group + i * 8 + lane / 4;
        const unsigned bits = memory.keep[l * (F2 / 8) + f / 8] >> (f % 8);
        const float x = leaky(sums[n][2 * i] + bias[0], a.leak);
        const float y = leaky(sums[n][2 * i + 1] + bias[1], a.leak);
        *reinterpret_cast<float2*>(memory.features + l * kLeadN + f) = {(bits & 1U) != 0 ? factor * x : 0.0F,
                                                                        (bits & 2U) != 0 ? factor * y : 0.0F};
      }
    }
  }
  __syncthreads();

  // The heads, in float: four threads for each line, each with four outputs side by side and every sixteenth more.
  const float* head = heads + q * path_lead;
  float* outputs = all_outputs + line * lead_c;
  {
    constexpr int kGroups = (kOutputs + 15) / 16;
    Numbers<4> sums[kGroups] = {};
    for (int k = 0; k < F2; k += 4) {
      const Numbers<4> n = read_many<4>(memory.features, static_cast<std::size_t>(line * kLeadN + k));
#pragma unroll
      for (int j = 0; j < kGroups; ++j) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
          // Beyond C: of no use and no harm.
          const auto from = static_cast<std::size_t>((k + i) * lead_c + t % 4 * 4 + 16 * j);
          const Numbers<4> weights = read_many<4>(head, from);
#pragma unroll
          for (int c = 0; c < 4; ++c) sums[j].of[c] += n.of[i] * weights.of[c];
        }
      }
    }
#pragma unroll
    for (int j = 0; j < kGroups; ++j) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const int c = t % 4 * 4 + 16 * j + i;
        if (c < C) outputs[c] = sums[j].of[i] + parameters[a.b[q] + static_cast<std::size_t>(c)];
      }
    }
    __syncwarp();
  }
  {
    const RowLoss found =
        row_loss<4>(a.targets.kind, label, labelled ? nullptr : a.targets.values[q] + row * static_cast<std::size_t>(C),
                    C, nullptr, share, a.back, outputs);
    if (t % 4 == 0) {
      // A pass forward only asks for the main path.
      memory.losses[line] = line < lines && (a.back || q == 0) ? weight * found.loss : 0.0F;
      memory.right[line] = line < lines && q == 0 && !a.back ? found.hits : 0;
    }
  }
  __syncthreads();
  const std::size_t part = m * gridDim.x + blockIdx.x;
  if (warp == 0) {
    double loss = static_cast<double>(memory.losses[lane]) + static_cast<double>(memory.losses[lane + 32]);
    std::uint32_t right = memory.right[lane] + memory.right[lane + 32];
    for (int offset = 16; offset >= kPaths; offset /= 2) loss += __shfl_xor_sync(0xFFFFFFFFU, loss, offset);
    for (int offset = 16; offset > 0; offset /= 2) right += __shfl_xor_sync(0xFFFFFFFFU, right, offset);
    if (lane < kPaths) a.losses[part * kPaths + static_cast<std::size_t>(lane)] = loss;
    if (lane == 0) a.right[part] = right;
  }
  if (!a.back) return;

  // Back through the heads, dropout and the second leaky: four threads for each line, each with every fourth unit.
  {
    float sums[F2 / 4] = {};
    for (int c = 0; c < C; c += 4) {
      Numbers<4> gradient = read_many<4>(outputs, static_cast<std::size_t>(c));
#pragma unroll
      for (int j = 1; j < 4; ++j) gradient.of[j] = c + j < C ? gradient.of[j] : 0.0F;
#pragma unroll
      for (int i = 0; i < F2 / 4; ++i) {
        const Numbers<4> weights = read_many<4>(head, static_cast<std::size_t>((t % 4 + 4 * i) * lead_c + c));
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i] += gradient.of[j] * weights.of[j];
      }
    }
    const auto keep = *reinterpret_cast<const std::uint64_t*>(memory.keep + line * (F2 / 8));
#pragma unroll
    for (int i = 0; i < F2 / 4; ++i) {
      const int f = t % 4 + 4 * i;
      const float slope = memory.features[line * kLeadN + f] > 0 ? sums[i] : a.leak * sums[i];
      memory.slopes[line * kLead2 + f] = __float2bfloat16((keep >> f & 1U) != 0 ? factor * slope : 0.0F);
    }
  }
  __syncthreads();

  float* rest = a.rest + part * a.rest_stride;  // from c1 on
  {
    // The heads' gradients: a thread for one unit of one path and a part of the outputs side by side.
    constexpr int kShare = kLayerThreads / (kPaths * F2);
    constexpr int kCount = kOutputs / kShare > 4 ? kOutputs / kShare : 4;
    const int path = t / (kShare * F2);
    const int begin = t / F2 % kShare * kCount;
    const int f = t % F2;
    Numbers<4> sums[kCount / 4] = {};
    for (int l = path; l < kLayerLines && begin < C; l += kPaths) {
      const float n = memory.features[l * kLeadN + f];
#pragma unroll
      for (int j = 0; j < kCount / 4; ++j) {
        const Numbers<4> gradient = read_many<4>(all_outputs, static_cast<std::size_t>(l * lead_c + begin + 4 * j));
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[j].of[i] += n * gradient.of[i];
      }
    }
#pragma unroll
    for (int j = 0; j < kCount; ++j) {
      const int c = begin + j;
      if (c < C) rest[a.u[path] - a.c1 + static_cast<std::size_t>(f * C + c)] = sums[j / 4].of[j % 4];
    }
    // Biases of the heads, and those of the second layer.
    if (t < kPaths * kMostOutputs && t % kMostOutputs < C) {
      const int of = t / kMostOutputs;
      float sum = 0;
#pragma unroll 8
      for (int l = of; l < kLayerLines; l += kPaths) sum += all_outputs[l * lead_c + t % kMostOutputs];
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

/// What the blocks of pass_layers found, (M,parts,Q) and (M,parts), and the totals (M,Q) and (M) that it is added to.
struct FoundParts {
  const double* losses;
  const std::uint32_t* right;
  std::size_t parts, Q;
  double* totals;
  unsigned long long* hits;

  __device__ void add(std::size_t m, std::size_t q) const {
    double sum = 0;
    for (std::size_t part = 0; part < parts; ++part) sum += losses[(m * parts + part) * Q + q];
    totals[m * Q + q] += sum;
    for (std::size_t part = 0; q == 0 && part < parts; ++part) hits[m] += right[m * parts + part];
  }
};
/// A block for each model.
static __global__ void add_found(FoundParts found) {
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
static __global__ void step_rest(RestArgs a) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const std::size_t m = blockIdx.y;
  if (a.found.losses != nullptr && i < a.found.Q) a.found.add(m, i);
  if (i >= a.count) return;
  const float* from = a.gradients + m * a.parts * a.gradient_stride + i;
  float gradient = 0;
#pragma unroll 8
  for (std::size_t part = 0; part < a.parts; ++part) gradient += from[part * a.gradient_stride];
  a.stepper.step(m * a.parameter_stride + a.offset + i, gradient);
}

}  // namespace obverse::cuda
