// Arithmetic of this machine's processor for stages that compute there whatever the device is: forests, linear
// models and the similarity of columns. Every product is taken on the calling thread.
#pragma once

#include <cstddef>
#include <string>

namespace obverse::host {

/// The length of a row of n floats and the zeros behind them, as the products below want it.
std::size_t padded(std::size_t n);

/// out (D,D) = x' x     x: (rows,D)
void gram(const float* x, std::size_t rows, std::size_t D, float* out);

/// out (A,B) = x y'     x: (A,n)   y: (B,n)
void multiply_all(const float* x, std::size_t A, const float* y, std::size_t B, std::size_t n, float* out);

/// Rows of floats that lie `width` apart, a padded length.
struct Rows {
  const float* values;
  std::size_t rows;
  std::size_t width;
};
/// out (rows,O) = x w'     w: (O,width)
void multiply(const Rows& x, const float* w, std::size_t O, float* out);
/// out (O,D) = r' x over the first D columns of x     r: (rows,O)
void multiply_transposed(const Rows& x, const float* r, std::size_t O, std::size_t D, float* out);

/// The sum of |x - y| over n numbers; the same bits on every processor.
float sum_of_differences(const float* x, const float* y, std::size_t n);

/// A forest reads nodes of at most this many rows row by row, larger ones column by column. The trees do not change.
std::size_t rows_of_small_node();

/// One line for `--version` and for bug reports: the instruction set, and what multiplies matrices.
std::string arithmetic_text();

}  // namespace obverse::host
