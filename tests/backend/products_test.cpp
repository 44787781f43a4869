#include "backend/cpu/products.h"

#include <gtest/gtest.h>

#include <vector>

#include "backend/cpu/loops.h"
#include "support/random.h"

namespace obverse::cpu {
namespace {

void expect_product(Product p, double tolerance) {
  SCOPED_TRACE(testing::Message() << p.m << " x " << p.k << (p.transpose_a ? " transposed" : "") << " by " << p.k
                                  << " x " << p.n << (p.transpose_b ? " transposed" : "") << (p.bf16 ? ", bf16" : ""));
  RandomStream stream(4, Purpose::generation);
  const std::size_t a_rows = p.transpose_a ? p.k : p.m;
  const std::size_t b_rows = p.transpose_b ? p.n : p.k;
  std::vector<float> a(a_rows * p.lda), b(b_rows * p.ldb), c(p.m * p.n + 1, 99.0F);
  for (float& x : a) x = static_cast<float>(stream.uniform(-1, 1));
  for (float& x : b) x = static_cast<float>(stream.uniform(-1, 1));
  std::vector<bf16> a_half(a.size()), b_half(b.size());
  loops().narrow(a.data(), a.size(), a_half.data());
  loops().narrow(b.data(), b.size(), b_half.data());
  if (p.bf16) {
    multiply(p, a_half.data(), b_half.data(), c.data());
  } else {
    multiply(p, a.data(), b.data(), c.data());
  }
  for (std::size_t i = 0; i < p.m; ++i) {
    for (std::size_t j = 0; j < p.n; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k < p.k; ++k) {
        sum += static_cast<double>(p.transpose_a ? a[k * p.lda + i] : a[i * p.lda + k]) *
               static_cast<double>(p.transpose_b ? b[j * p.ldb + k] : b[k * p.ldb + j]);
      }
      ASSERT_NEAR(c[i * p.n + j], sum, tolerance) << i << ' ' << j;
    }
  }
  ASSERT_EQ(c.back(), 99.0F) << "written behind the result";
}

TEST(Multiply, FollowsTheFormulaForEveryLayout) {
  for (const bool narrow : {false, true}) {
    if (narrow && !has_bf16()) continue;
    const double tolerance = narrow ? 0.2 : 1e-4;
    for (const bool ta : {false, true}) {
      for (const bool tb : {false, true}) {
        for (const std::size_t m : {1, 7, 64}) {
          for (const std::size_t n : {1, 33}) {
            const std::size_t k = 50;
            expect_product({.m = m,
                            .n = n,
                            .k = k,
                            .lda = (ta ? m : k) + 3,
                            .ldb = (tb ? k : n) + 2,
                            .transpose_a = ta,
                            .transpose_b = tb,
                            .bf16 = narrow},
                           tolerance);
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace obverse::cpu
