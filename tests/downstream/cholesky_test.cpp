#include "downstream/cholesky.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/random.h"

namespace obverse {
namespace {

// A = B B' + 1 of known x.
TEST(Cholesky, SolvesSystems) {
  for (const std::size_t n : {1, 5, 64, 65, 200}) {
    RandomStream stream(4, Purpose::generation, n);
    std::vector<double> b(n * n), matrix(n * n), x(n), right(n);
    for (double& value : b) value = stream.normal();
    for (double& value : x) value = stream.normal();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) {
        for (std::size_t k = 0; k < n; ++k) matrix[i * n + j] += b[i * n + k] * b[j * n + k];
      }
      matrix[i * n + i] += 1;
    }
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < n; ++j) right[i] += matrix[i * n + j] * x[j];
    }
    Team team(2);
    std::vector<double> solved = right, nearer;
    Cholesky(matrix, n, 0, team).solve(solved.data());
    conjugate_gradients(
        right, 1e-12, 10 * n,
        [&](std::span<const double> v, std::span<double> out) {
          for (std::size_t i = 0; i < n; ++i) out[i] = inner_product(std::span(matrix).subspan(i * n, n), v);
        },
        [](std::span<const double> v, std::span<double> out) { std::copy(v.begin(), v.end(), out.begin()); }, nearer);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(solved[i], x[i], 1e-8);
      EXPECT_NEAR(nearer[i], x[i], 1e-6);
    }
  }
}

// The same row twice: what rounding leaves of the second pivot is noise.
TEST(Cholesky, TakesAPivotThatIsLostInRoundingForTheLeast) {
  Team team(1);
  double x[] = {3, 3};
  Cholesky({1, 1, 1, 1}, 2, 0.5, team).solve(x);  // as [1 1; 1 1.5]
  EXPECT_NEAR(x[0], 3, 1e-12);
  EXPECT_NEAR(x[1], 0, 1e-12);
}

// A matrix of zeros.
TEST(ConjugateGradients, StopWhereThereIsNoCurvature) {
  const std::vector<double> right{1, 1};
  std::vector<double> x;
  const auto copy = [](std::span<const double> v, std::span<double> out) {
    std::copy(v.begin(), v.end(), out.begin());
  };
  const auto nothing = [](std::span<const double>, std::span<double> out) { std::fill(out.begin(), out.end(), 0.0); };
  EXPECT_EQ(conjugate_gradients(right, 1e-9, 100, nothing, copy, x), 1U);
  EXPECT_EQ(x, (std::vector<double>{0, 0}));
}

}  // namespace
}  // namespace obverse
