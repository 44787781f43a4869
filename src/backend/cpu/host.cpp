// What stages and tables of loops ask of this machine's processor.
#include "backend/host.h"

#include <algorithm>

#include <obverse/error.h>

#include "backend/cpu/loops.h"
#include "backend/cpu/processor.h"
#include "backend/cpu/products.h"
#include "backend/loop_tables.h"

namespace obverse {

InstructionSet instruction_set() { return cpu::arithmetic().set; }

namespace cpu {

const Loops& loops() { return table_in_use<Loops>(); }

}  // namespace cpu

namespace host {

std::size_t padded(std::size_t n) { return cpu::padded(n); }

void gram(const float* x, std::size_t rows, std::size_t D, float* out) {
  cpu::multiply({.m = D, .n = D, .k = rows, .lda = D, .ldb = D, .transpose_a = true}, x, x, out);
}

void multiply_all(const float* x, std::size_t A, const float* y, std::size_t B, std::size_t n, float* out) {
  cpu::multiply({.m = A, .n = B, .k = n, .lda = n, .ldb = n, .transpose_b = true}, x, y, out);
}

void multiply(const Rows& x, const float* w, std::size_t O, float* out) {
  cpu::loops().thin_product(x.values, w, x.rows, O, x.width, out);
}

void multiply_transposed(const Rows& x, const float* r, std::size_t O, std::size_t D, float* out) {
  const cpu::Loops& loops = cpu::loops();
  if (O > 1) return loops.small_product(r, 1, O, x.values, x.width, nullptr, O, D, x.rows, out, D);
  std::fill_n(out, D, 0.0F);
  for (std::size_t i = 0; i < x.rows; ++i) loops.add_scaled(x.values + i * x.width, r[i], D, out);
}

float sum_of_differences(const float* x, const float* y, std::size_t n) { return cpu::loops().difference(x, y, n); }

std::size_t rows_of_small_node() { return cpu::arithmetic().rows_of_small_node; }

std::string arithmetic_text() { return cat(name_of(instruction_set()), ", products by ", cpu::product_engine_text()); }

}  // namespace host

}  // namespace obverse
