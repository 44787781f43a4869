// Products by oneDNN where it has kernels for the instruction set in use, and the plain product, their definition.
#include "backend/cpu/products.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/onednn.h"
#include "backend/cpu/processor.h"

namespace obverse::cpu {
namespace {

constexpr std::size_t kColumns = 8;  // of b and c that are worked on together
constexpr std::size_t kRows = 4;     // of a and c
using Vector __attribute__((vector_size(16))) = float;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kVectors = kColumns / kWidth;

// Columns [first, first + count) of b, side by side: (k, kColumns) with zeros behind `count`.
void pack_columns(const Product& p, const float* b, std::size_t first, std::size_t count, float* panel) {
  for (std::size_t k = 0; k < p.k; ++k, panel += kColumns) {
    for (std::size_t j = 0; j < count; ++j) {
      panel[j] = p.transpose_b ? b[(first + j) * p.ldb + k] : b[k * p.ldb + first + j];
    }
    std::fill(panel + count, panel + kColumns, 0.0F);
  }
}

// sums (Rows, kColumns) of `Rows` rows of a, whose values stand a_row and a_k apart, with a panel.
template <std::size_t Rows>
void multiply_panel(const float* a, std::size_t a_row, std::size_t a_k, const float* panel, std::size_t depth,
                    float* sums) {
  Vector sum[Rows][kVectors] = {};
  for (std::size_t k = 0; k < depth; ++k, a += a_k, panel += kColumns) {
    Vector line[kVectors];
    std::memcpy(line, panel, sizeof line);
    for (std::size_t r = 0; r < Rows; ++r) {
      for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] += a[r * a_row] * line[v];
    }
  }
  std::memcpy(sums, sum, sizeof sum);
}

}  // namespace

void plain_multiply(const Product& p, const float* a, const float* b, float* c) {
  thread_local std::vector<float> panel;
  panel.resize(p.k * kColumns);
  const std::size_t a_row = p.transpose_a ? 1 : p.lda;
  const std::size_t a_k = p.transpose_a ? p.lda : 1;
  for (std::size_t column = 0; column < p.n; column += kColumns) {
    const std::size_t columns = std::min(kColumns, p.n - column);
    pack_columns(p, b, column, columns, panel.data());
    for (std::size_t row = 0; row < p.m; row += kRows) {
      const std::size_t rows = std::min(kRows, p.m - row);
      float sums[kRows * kColumns];
      if (rows == kRows) {
        multiply_panel<kRows>(a + row * a_row, a_row, a_k, panel.data(), p.k, sums);
      } else {
        for (std::size_t r = 0; r < rows; ++r) {
          multiply_panel<1>(a + (row + r) * a_row, a_row, a_k, panel.data(), p.k, sums + r * kColumns);
        }
      }
      for (std::size_t r = 0; r < rows; ++r) {
        std::copy_n(sums + r * kColumns, columns, c + (row + r) * p.n + column);
      }
    }
  }
}

#if defined(__x86_64__)
void multiply(const Product& product, const void* a, const void* b, float* c) {
  if (arithmetic().set == InstructionSet::plain) {
    plain_multiply(product, static_cast<const float*>(a), static_cast<const float*>(b), c);
  } else {
    onednn_multiply(product, a, b, c);
  }
}

std::string product_engine_text() { return arithmetic().set == InstructionSet::plain ? "plain loops" : onednn_text(); }
#else
void multiply(const Product& product, const void* a, const void* b, float* c) {
  plain_multiply(product, static_cast<const float*>(a), static_cast<const float*>(b), c);
}

std::string product_engine_text() { return "plain loops"; }
#endif

bool has_bf16() { return arithmetic().half_products; }

}  // namespace obverse::cpu
