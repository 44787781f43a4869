// Sums of vectors and the step of Adam. Compiled once for each instruction set (loop_tables.h).
#include "backend/adam.h"
#include "backend/cpu/loops.h"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace obverse::cpu {

namespace {

void adam(float* p, float* first, float* second, const float* gradient, std::size_t n, const AdamFactors& f) {
  const float rate = f.rate;
  const float epsilon = f.epsilon;
  const float beta1 = f.beta1;
  const float beta2 = f.beta2;
  const float rest1 = 1.0F - beta1;
  const float rest2 = 1.0F - beta2;
  std::size_t i = 0;
#if defined(__AVX512F__)
  // Root and quotient by the processor's estimates and one step of Newton each.
  const __m512 half = _mm512_set1_ps(0.5F);
  const __m512 three_halves = _mm512_set1_ps(1.5F);
  const __m512 two = _mm512_set1_ps(2.0F);
  for (; i + 16 <= n; i += 16) {
    const __m512 g = _mm512_loadu_ps(gradient + i);
    const __m512 a = _mm512_fmadd_ps(_mm512_set1_ps(beta1), _mm512_loadu_ps(first + i), _mm512_set1_ps(rest1) * g);
    const __m512 b = _mm512_fmadd_ps(_mm512_set1_ps(beta2), _mm512_loadu_ps(second + i), _mm512_set1_ps(rest2) * g * g);
    _mm512_storeu_ps(first + i, a);
    _mm512_storeu_ps(second + i, b);
    const __m512 safe = _mm512_maskz_max_ps(0xFFFF, b, _mm512_set1_ps(1e-37F));
    __m512 inverse_root = _mm512_maskz_rsqrt14_ps(0xFFFF, safe);
    inverse_root *= three_halves - half * safe * inverse_root * inverse_root;
    const __m512 root = b * inverse_root + _mm512_set1_ps(epsilon);
    __m512 quotient = _mm512_maskz_rcp14_ps(0xFFFF, root);
    quotient *= two - root * quotient;
    _mm512_storeu_ps(p + i, _mm512_loadu_ps(p + i) - _mm512_set1_ps(rate) * a * quotient);
  }
#endif
#pragma omp simd
  for (std::size_t j = i; j < n; ++j) {
    const float g = gradient[j];
    const float a = beta1 * first[j] + rest1 * g;
    const float b = beta2 * second[j] + rest2 * g * g;
    first[j] = a;
    second[j] = b;
    p[j] -= rate * a / (__builtin_sqrtf(b) + epsilon);
  }
}

void add(const float* x, std::size_t n, float* sum) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) sum[i] += x[i];
}

void add_scaled(const float* x, float factor, std::size_t n, float* y) {
#pragma omp simd
  for (std::size_t i = 0; i < n; ++i) y[i] += factor * x[i];
}

float dot(const float* x, const float* y, std::size_t n) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (std::size_t i = 0; i < n; ++i) sum += x[i] * y[i];
  return sum;
}

float difference(const float* x, const float* y, std::size_t n) {
  constexpr std::size_t kLanes = 16;
  float sums[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
#pragma omp simd
    for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += __builtin_fabsf(x[i + lane] - y[i + lane]);
  }
  for (std::size_t lane = 0; i < n; ++i, ++lane) sums[lane] += __builtin_fabsf(x[i] - y[i]);
  float sum = 0;
  for (std::size_t lane = 0; lane < kLanes; ++lane) sum += sums[lane];
  return sum;
}

constexpr VectorLoops kTable{
    .adam = adam,
    .add = add,
    .add_scaled = add_scaled,
    .dot = dot,
    .difference = difference,
};

}  // namespace

const VectorLoops& VectorLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
