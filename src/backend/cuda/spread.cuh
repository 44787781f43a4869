// From the gradient of the first layer back to the features in one kernel, in bf16 on tensor cores: S = X' G, the
// gradients of v1 and of the masks, and the step of v1. S itself, twice as large as v1, never leaves the processor of
// the device; what is left is to read and write v1 and its moments once. Blocks at the end step what stands behind v1.
//   Q = kPaths paths   F1 as of the recipes
#pragma once

#include <cuda_pipeline.h>

#include "backend/cuda/rest.cuh"
#include "backend/cuda/tensor.cuh"

namespace obverse::cuda {

inline constexpr int kSpreadUnits = 128;    // F1: four for each thread of a warp
inline constexpr int kSpreadFeatures = 64;  // of a block of threads
inline constexpr int kSpreadRows = 32;      // that are read at once
inline constexpr int kSpreadStages = 4;     // of them on their way or in use
inline constexpr int kSpreadThreads = 256;

struct SpreadArgs {
  const Half* batch;     // (S,B,lead)
  const Half* gradient;  // (S,B,E,Q,F1)
  const float* masks;    // (M,Q,D)
  std::size_t B, rows, lead, D, E;
  std::size_t stride;  // of the parameters of a model, v1 first
  Stepper stepper;
  float* mask_gradients;  // (M,Q,D)
  float decay;            // of v1
  unsigned models, feature_blocks;
  RestArgs rest;  // by blocks behind those of the features, in the time that these leave at the end
};

/// The memory of a block of threads: rows of G and X, then S. All is padded against conflicts of banks.
template <int kPaths>
union SpreadMemory {
  static constexpr int kWidth = kPaths * kSpreadUnits;
  static constexpr int kLead = kWidth + 8;
  static constexpr int kLeadX = kSpreadFeatures + 8;
  struct Stage {
    alignas(16) Half g[kSpreadRows * kLead];
    alignas(16) Half x[kSpreadRows * kLeadX];
  };
  Stage stages[kSpreadStages];
  alignas(16) float spread[kSpreadFeatures * kLead];
};

template <int kPaths>
__global__ void __launch_bounds__(kSpreadThreads, 2) spread_step(const __grid_constant__ SpreadArgs a) {
  const unsigned part = blockIdx.x / a.models;
  const std::size_t m = blockIdx.x % a.models;
  if (part >= a.feature_blocks) {
    wait_for_previous();
    step_rest_part<4>(a.rest, m, part - a.feature_blocks);
    return;
  }
  using Memory = SpreadMemory<kPaths>;
  constexpr int kWidth = Memory::kWidth;
  constexpr int kLead = Memory::kLead;
  constexpr int kLeadX = Memory::kLeadX;
  extern __shared__ __align__(16) unsigned char room[];
  Memory& memory = *reinterpret_cast<Memory*>(room);

  const int t = static_cast<int>(threadIdx.x);
  const int warp = t / 32;
  const int lane = t % 32;
  const std::size_t s = m / a.E;
  const std::size_t first = std::size_t{part} * kSpreadFeatures;
  const int rows = static_cast<int>(a.rows);

  // What the step of v1 will read is fetched into the cache meanwhile.
  {
    const std::size_t count = min(std::size_t{kSpreadFeatures}, a.D - first) * kSpreadUnits;
    const std::size_t from = m * a.stride + first * kSpreadUnits;
    for (std::size_t i = static_cast<std::size_t>(t) * 32; i < count; i += std::size_t{kSpreadThreads} * 32) {
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.stepper.values + from + i));
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.stepper.first + from + i));
      asm volatile("prefetch.global.L2 [%0];" ::"l"(a.stepper.second + from + i));
    }
  }

  wait_for_previous();

  // Rows from `begin` on, zeros beyond the batch. A thread has the same columns each time.
  constexpr int kPieces = kWidth / 8;                    // of 16 bytes in a row of G
  constexpr int kRowsAtOnce = kSpreadThreads / kPieces;  // of G
  static_assert(kSpreadRows * (kSpreadFeatures / 8) == kSpreadThreads);
  const std::size_t g_stride = a.E * kWidth;
  const int g_row = t / kPieces;
  const int x_row = t / (kSpreadFeatures / 8);
  const int x_col = t % (kSpreadFeatures / 8) * 8;
  const bool x_there = first + static_cast<std::size_t>(x_col) < a.lead;
  const Half* g_from =
      a.gradient + ((s * a.B + static_cast<std::size_t>(g_row)) * a.E + m % a.E) * kWidth + t % kPieces * 8;
  const Half* x_from = a.batch + (s * a.B + static_cast<std::size_t>(x_row)) * a.lead +
                       (x_there ? first + static_cast<std::size_t>(x_col) : 0);
  const auto load = [&](int begin, typename Memory::Stage& to) {
    if (begin < rows) {
#pragma unroll
      for (int i = 0; i < kSpreadRows; i += kRowsAtOnce) {
        const bool there = begin + g_row + i < rows;
        const Half* from = g_from + static_cast<std::size_t>(begin + i) * g_stride;
        __pipeline_memcpy_async(to.g + (g_row + i) * kLead + t % kPieces * 8, there ? from : a.gradient, 16,
                                there ? 0 : 16);
      }
      const bool there = x_there && begin + x_row < rows;
      const Half* from = x_from + static_cast<std::size_t>(begin) * a.lead;
      __pipeline_memcpy_async(to.x + x_row * kLeadX + x_col, there ? from : a.batch, 16, there ? 0 : 16);
    }
    __pipeline_commit();
  };

  // S = X' G: a warp has 32 features and a quarter of the units of both paths.
  {
    constexpr int kTall = 2;                         // tiles of a warp
    constexpr int kWide = kSpreadUnits / 4 / 8;      // and path
    const int place = warp % 2 * 32;                 // the first of its features
    const int unit = warp / 2 * (kSpreadUnits / 4);  // and units
    TileSum sums[kPaths][kTall][kWide] = {};
    for (int stage = 0; stage < kSpreadStages - 1; ++stage) load(stage * kSpreadRows, memory.stages[stage]);
    for (int begin = 0, stage = 0; begin < rows; begin += kSpreadRows, stage = (stage + 1) % kSpreadStages) {
      __pipeline_wait_prior(kSpreadStages - 2);
      __syncthreads();
      load(begin + (kSpreadStages - 1) * kSpreadRows, memory.stages[(stage + kSpreadStages - 1) % kSpreadStages]);
      const Half* g = memory.stages[stage].g + unit;
      const Half* x = memory.stages[stage].x + place;
#pragma unroll
      for (int k = 0; k < kSpreadRows; k += 16) {
        TileA left[kTall];
#pragma unroll
        for (int f = 0; f < kTall; ++f) load_a_transposed(x + k * kLeadX + f * 16, kLeadX, left[f]);
#pragma unroll
        for (int q = 0; q < kPaths; ++q) {
#pragma unroll
          for (int n = 0; n < kWide; n += 2) {
            TileB right;
            load_b(g + k * kLead + q * kSpreadUnits + n * 8, kLead, right);
#pragma unroll
            for (int f = 0; f < kTall; ++f) {
              multiply_add(left[f], right, 0, sums[q][f][n]);
              multiply_add(left[f], right, 1, sums[q][f][n + 1]);
            }
          }
        }
      }
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < kPaths; ++q) {
#pragma unroll
      for (int f = 0; f < 2 * kTall; ++f) {
#pragma unroll
        for (int n = 0; n < kWide; ++n) {
          float* to =
              memory.spread + (place + f * 8 + lane / 4) * kLead + q * kSpreadUnits + unit + n * 8 + lane % 4 * 2;
          *reinterpret_cast<float2*>(to) = {sums[q][f / 2][n][f % 2 * 2], sums[q][f / 2][n][f % 2 * 2 + 1]};
        }
      }
    }
  }

  // The step of v1 and the gradients of the masks: a warp for a feature, kAtOnce of them on their way.
  const bool steps_taken = a.stepper.of_step != nullptr;
  const AdamFactors factors = steps_taken ? *a.stepper.of_step : AdamFactors{};
  constexpr int kAtOnce = 4;
  constexpr int kRound = kSpreadThreads / 32 * kAtOnce;  // features
#pragma unroll
  for (int round = 0; round < kSpreadFeatures; round += kRound) {
    const int begin = round + warp * kAtOnce;
    Numbers<4> v[kAtOnce];
    Numbers<4> moment[kAtOnce] = {};
    Numbers<4> square[kAtOnce] = {};
    float mask[kAtOnce][kPaths];
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const std::size_t d = min(first + static_cast<std::size_t>(begin + i), a.D - 1);
      const std::size_t at = m * a.stride + d * kSpreadUnits + static_cast<std::size_t>(lane * 4);
      v[i] = read_many<4>(a.stepper.values, at);
      if (steps_taken) {
        moment[i] = read_many<4>(a.stepper.first, at);
        square[i] = read_many<4>(a.stepper.second, at);
      }
#pragma unroll
      for (int q = 0; q < kPaths; ++q) mask[i][q] = a.masks[(m * kPaths + static_cast<std::size_t>(q)) * a.D + d];
    }
    if (round == 0) __syncthreads();  // S is there
#pragma unroll
    for (int i = 0; i < kAtOnce; ++i) {
      const std::size_t d = first + static_cast<std::size_t>(begin + i);
      if (d >= a.D) break;
      const std::size_t at = m * a.stride + d * kSpreadUnits + static_cast<std::size_t>(lane * 4);
      Numbers<4> of_v;
#pragma unroll
      for (int j = 0; j < 4; ++j) of_v.of[j] = a.decay * v[i].of[j];
#pragma unroll
      for (int q = 0; q < kPaths; ++q) {
        const auto from = static_cast<std::size_t>((begin + i) * kLead + q * kSpreadUnits + lane * 4);
        const Numbers<4> spread = read_many<4>(memory.spread, from);
        float sum = 0;
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          of_v.of[j] += mask[i][q] * spread.of[j];
          sum += v[i].of[j] * spread.of[j];
        }
        sum = lane_sum(sum);
        if (lane == 0) a.mask_gradients[(m * kPaths + static_cast<std::size_t>(q)) * a.D + d] = sum;
      }
      if (!steps_taken) {
        write_many(a.stepper.gradients, at, of_v);
        continue;
      }
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        v[i].of[j] = Stepper::stepped(factors, v[i].of[j], of_v.of[j], moment[i].of[j], square[i].of[j]);
      }
      write_many(a.stepper.first, at, moment[i]);
      write_many(a.stepper.second, at, square[i]);
      write_many(a.stepper.values, at, v[i]);
    }
  }
}

}  // namespace obverse::cuda
