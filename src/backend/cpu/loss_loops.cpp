// Losses of rows of outputs, which become their gradients. Compiled once for each instruction set (loop_tables.h).
#include "backend/cpu/elementary.h"
#include "backend/cpu/loops.h"

namespace obverse::cpu {

namespace {

double cross_entropy(float* x, std::size_t ld, const std::int32_t* target, float weight, std::size_t R) {
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld) {
    float top = x[0];
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd reduction(max : top)
      for (std::size_t i = 0; i < kLanes; ++i) top = x[c + i] > top ? x[c + i] : top;
    }
    const float wanted = x[target[r]] - top;
    float total = 0;
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd reduction(+ : total)
      for (std::size_t i = 0; i < kLanes; ++i) {
        const float e = exponential(x[c + i] - top);
        x[c + i] = e;
        total += e;
      }
    }
    const float factor = weight / total;
    for (std::size_t c = 0; c < ld; c += kLanes) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) x[c + i] *= factor;
    }
    x[target[r]] -= weight;
    loss += static_cast<double>(__builtin_logf(total) - wanted);
  }
  return loss;
}

double sigmoid_cross_entropy(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R) {
  const float share = 1.0F / static_cast<float>(n);
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld, y += n) {
    for (std::size_t c = 0; c < n; ++c) {
      const float e = exponential(x[c] > 0.0F ? -x[c] : x[c]);  // of -|x|, at most 1
      loss += static_cast<double>(share * ((x[c] > 0.0F ? x[c] : 0.0F) - x[c] * y[c] + __builtin_logf(1.0F + e)));
      const float p = (x[c] > 0.0F ? 1.0F : e) / (1.0F + e);
      x[c] = weight * share * (p - y[c]);
    }
    for (std::size_t c = n; c < ld; ++c) x[c] = 0.0F;
  }
  return loss;
}

double square_error(float* x, std::size_t ld, const float* y, std::size_t n, float weight, std::size_t R) {
  const float share = 1.0F / static_cast<float>(n);
  const float factor = weight * share;
  double loss = 0;
  for (std::size_t r = 0; r < R; ++r, x += ld, y += n) {
    float squares = 0;
#pragma omp simd reduction(+ : squares)
    for (std::size_t c = 0; c < n; ++c) {
      const float apart = x[c] - y[c];
      squares += apart * apart;
      x[c] = factor * apart;
    }
    for (std::size_t c = n; c < ld; ++c) x[c] = 0.0F;
    loss += 0.5 * static_cast<double>(share * squares);
  }
  return loss;
}

constexpr LossLoops kTable{
    .cross_entropy = cross_entropy,
    .sigmoid_cross_entropy = sigmoid_cross_entropy,
    .square_error = square_error,
};

}  // namespace

const LossLoops& LossLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
