// Products of shapes that oneDNN is slow at. Compiled once for each instruction set (loop_tables.h).
#include "backend/cpu/loops.h"

namespace obverse::cpu {

namespace {

// Rows rows of c at once: their sums stay in registers while b streams through.
template <std::size_t Rows>
void small_rows(const float* a, std::size_t a_row, std::size_t a_k, const float* b, std::size_t ldb, const float* start,
                std::size_t n, std::size_t K, float* c, std::size_t ldc) {
  for (std::size_t column = 0; column < n; column += kLanes) {
    float sum[Rows][kLanes];
    for (std::size_t r = 0; r < Rows; ++r) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) sum[r][i] = start == nullptr ? 0.0F : start[column + i];
    }
    for (std::size_t k = 0; k < K; ++k) {
      const float* line = b + k * ldb + column;
#pragma GCC unroll 8
      for (std::size_t r = 0; r < Rows; ++r) {
        const float factor = a[r * a_row + k * a_k];
#pragma omp simd
        for (std::size_t i = 0; i < kLanes; ++i) sum[r][i] += factor * line[i];
      }
    }
    const std::size_t width = n - column < kLanes ? n - column : kLanes;
    for (std::size_t r = 0; r < Rows; ++r) __builtin_memcpy(c + r * ldc + column, sum[r], width * sizeof(float));
  }
}

void small_product(const float* a, std::size_t a_row, std::size_t a_k, const float* b, std::size_t ldb,
                   const float* start, std::size_t R, std::size_t n, std::size_t K, float* c, std::size_t ldc) {
  std::size_t r = 0;
  for (; r + 8 <= R; r += 8) small_rows<8>(a + r * a_row, a_row, a_k, b, ldb, start, n, K, c + r * ldc, ldc);
  for (; r < R; ++r) small_rows<1>(a + r * a_row, a_row, a_k, b, ldb, start, n, K, c + r * ldc, ldc);
}

// Rows x Units sums at once, each in kLanes parts that are added at the end.
template <std::size_t Rows, std::size_t Units>
void thin_block(const float* x, const float* w, std::size_t n, std::size_t H, float* out) {
  float sum[Rows][Units][kLanes];
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t h = 0; h < Units; ++h) {
#pragma omp simd
      for (std::size_t i = 0; i < kLanes; ++i) sum[r][h][i] = 0.0F;
    }
  }
  std::size_t d = 0;
  for (; d + kLanes <= n; d += kLanes) {
#pragma GCC unroll 8
    for (std::size_t h = 0; h < Units; ++h) {
#pragma GCC unroll 2
      for (std::size_t r = 0; r < Rows; ++r) {
#pragma omp simd
        for (std::size_t i = 0; i < kLanes; ++i) sum[r][h][i] += x[r * n + d + i] * w[h * n + d + i];
      }
    }
  }
  for (std::size_t r = 0; r < Rows; ++r) {
    for (std::size_t h = 0; h < Units; ++h) {
      float total = 0;
#pragma omp simd reduction(+ : total)
      for (std::size_t i = 0; i < kLanes; ++i) total += sum[r][h][i];
      for (std::size_t rest = d; rest < n; ++rest) total += x[r * n + rest] * w[h * n + rest];
      out[r * H + h] = total;
    }
  }
}

template <std::size_t Rows>
void thin_rows(const float* x, const float* w, std::size_t H, std::size_t n, float* out) {
  std::size_t h = 0;
  for (; h + 8 <= H; h += 8) thin_block<Rows, 8>(x, w + h * n, n, H, out + h);
  for (; h < H; ++h) thin_block<Rows, 1>(x, w + h * n, n, H, out + h);
}

void thin_product(const float* x, const float* w, std::size_t R, std::size_t H, std::size_t n, float* out) {
  std::size_t r = 0;
  for (; r + 2 <= R; r += 2) thin_rows<2>(x + r * n, w, H, n, out + r * H);
  for (; r < R; ++r) thin_rows<1>(x + r * n, w, H, n, out + r * H);
}

constexpr ProductLoops kTable{
    .small_product = small_product,
    .thin_product = thin_product,
};

}  // namespace

const ProductLoops& ProductLoops::compiled(Instructions<InstructionSet::OBVERSE_INSTRUCTION_SET>) { return kTable; }

}  // namespace obverse::cpu
