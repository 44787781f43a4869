// Matrix products on one thread. Whoever wants more threads cuts the product into blocks of a size that does not depend
// on their number, so that the bits do not either.
#pragma once

#include <cstddef>
#include <string>

namespace obverse::cpu {

/// c (m,n) = a (m,k) b (k,n), row major; rows of a and b have the given lengths, those of c lie side by side:
/// oneDNN 3.7 writes a single column side by side whatever the distance between its rows. A transposed operand is
/// stored (k,m) or (n,k).
struct Product {
  std::size_t m = 0;
  std::size_t n = 0;
  std::size_t k = 0;
  std::size_t lda = 0;
  std::size_t ldb = 0;
  bool transpose_a = false;
  bool transpose_b = false;
  bool bf16 = false;  ///< of a and b; c is always float

  bool operator==(const Product&) const = default;
};

/// a and b point to float, or to the 16-bit patterns of bf16 where `has_bf16`.
void multiply(const Product& product, const void* a, const void* b, float* c);

/// The definition: every sum runs along k in its order, each product rounded before it is added, with no other
/// library's help. The same bits on every processor; what `multiply` does for the instruction set `plain`.
void plain_multiply(const Product& product, const float* a, const float* b, float* c);

/// Whether products of bf16 can be had here.
bool has_bf16();

/// What multiplies: "oneDNN 2.6.3 up to AVX-512 BF16", "plain loops".
std::string product_engine_text();

}  // namespace obverse::cpu
