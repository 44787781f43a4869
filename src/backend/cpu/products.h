// Matrix products on one thread, by oneDNN. Whoever wants more threads cuts the product into blocks of a size that does
// not depend on their number, so that the bits do not either.
#pragma once

#include <cstddef>

namespace obverse::cpu {

/// c (m,n) = a (m,k) b (k,n), row major with the given row lengths; a transposed operand is stored (k,m) or (n,k).
struct Product {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t lda = 0;
  std::size_t ldb = 0;
  std::size_t ldc = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool bf16 = false;  ///< of a and b; c is always float

  bool operator==(const Product&) const = default;
};

/// a and b point to float, or to the 16-bit patterns of bf16.
void multiply(const Product& product, const void* a, const void* b, float* c);

/// Whether the processor multiplies bf16 itself.
bool has_bf16();

}  // namespace obverse::cpu
