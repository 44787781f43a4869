// Scores of features and the masks that are made of them. Compiled once for each instruction set (loop_tables.h).
#include "backend/cpu/elementary.h"
#include "backend/cpu/loops.h"

namespace obverse::cpu {

namespace {

// By e^(2x), exact in the tails; near zero the series keeps its relative precision.
inline float hyperbolic_tangent(float x) {
  const float clamped = x > 9.0F ? 9.0F : (x < -9.0F ? -9.0F : x);
  const float e = exponential(2.0F * clamped);
  const float far = (e - 1.0F) / (e + 1.0F);
  const float s = x * x;
  const float near = x * (1.0F + s * (-0.333333333F + s * (0.133333333F + s * -0.0539682540F)));
  return s < 0.01F ? near : far;
}

void tanh_rows(float* x, const float* bias, std::size_t R, std::size_t H, float* sum) {
  for (std::size_t r = 0; r < R; ++r, x += H) {
#pragma omp simd
    for (std::size_t h = 0; h < H; ++h) {
      const float t = hyperbolic_tangent(x[h] + bias[h]);
      x[h] = t;
      sum[h] += t;
    }
  }
}

void tanh_back(const float* t, const float* slope, std::size_t R, std::size_t H, float* x, float* sum) {
  for (std::size_t r = 0; r < R; ++r, t += H, x += H) {
#pragma omp simd
    for (std::size_t h = 0; h < H; ++h) {
      const float g = slope[h] * (1.0F - t[h] * t[h]);
      x[h] = g;
      sum[h] += g;
    }
  }
}

// max over d of sign * z[d], in separate lanes: not every compiler vectorises a single chain of comparisons.
float largest(const float* z, float sign, std::size_t F) {
  float top[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) top[i] = sign * z[0];
  std::size_t d = 0;
  for (; d + kLanes <= F; d += kLanes) {
#pragma omp simd
    for (std::size_t i = 0; i < kLanes; ++i) top[i] = sign * z[d + i] > top[i] ? sign * z[d + i] : top[i];
  }
  float most = top[0];
  for (std::size_t i = 1; i < kLanes; ++i) most = top[i] > most ? top[i] : most;
  for (; d < F; ++d) most = sign * z[d] > most ? sign * z[d] : most;
  return most;
}

void softmax(const float* z, float sign, float scale_factor, std::size_t F, float* out) {
  const float top = largest(z, sign, F);
  // Blocks keep the sum exact enough for a million features.
  double total = 0;
  for (std::size_t begin = 0; begin < F; begin += 1024) {
    const std::size_t end = begin + 1024 < F ? begin + 1024 : F;
    float part = 0;
#pragma omp simd reduction(+ : part)
    for (std::size_t d = begin; d < end; ++d) {
      const float e = exponential(sign * z[d] - top);
      out[d] = e;
      part += e;
    }
    total += static_cast<double>(part);
  }
  const auto factor = static_cast<float>(static_cast<double>(scale_factor) / total);
#pragma omp simd
  for (std::size_t d = 0; d < F; ++d) out[d] *= factor;
}

void spread(const float* entries, const std::size_t* ranges, std::size_t F, float* columns) {
  for (std::size_t f = 0; f < F; ++f) {
    for (std::size_t d = ranges[2 * f]; d < ranges[2 * f + 1]; ++d) columns[d] = entries[f];
  }
}

// The first column begins the sum: a feature of one column has its very bits.
void spread_back(const float* columns, const std::size_t* ranges, std::size_t F, float* entries) {
  for (std::size_t f = 0; f < F; ++f) {
    float sum = columns[ranges[2 * f]];
    for (std::size_t d = ranges[2 * f] + 1; d < ranges[2 * f + 1]; ++d) sum += columns[d];
    entries[f] = sum;
  }
}

constexpr MaskLoops kTable{
    .tanh_rows = tanh_rows,
    .tanh_back = tanh_back,
    .softmax = softmax,
    .spread = spread,
    .spread_back = spread_back,
};

}  // namespace

const MaskLoops& MaskLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
