// Systems of linear equations with a symmetric, positive definite matrix: by its Cholesky factor, or by conjugate
// gradients where the matrix is known by its products alone.
#pragma once

#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>
#include <vector>

#include "support/team.h"

namespace obverse {

/// A = L L'. The factor does not depend on the size of the team.
class Cholesky {
 public:
  /// `matrix`: (n,n), of which the lower triangle is read. A pivot below `least` of its diagonal value counts as that:
  /// rounding has left nothing of it.
  Cholesky(std::vector<double> matrix, std::size_t n, double least, Team& team);

  /// x = A^-1 x for the n values that stand `stride` apart.
  void solve(double* x, std::size_t stride = 1) const;

 private:
  std::size_t n_;
  std::vector<double> factor_;  // (n,n), L in the lower triangle
};

inline double inner_product(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// Solves A x = b from x = 0 on: until the residual, in the norm of the preconditioner, has fallen by `tolerance`, or
/// for `most` products. multiply(v, out) and precondition(v, out) are A v and an approximation of A^-1 v. Stops with
/// what it has where A v shows no positive curvature. Returns how many products it took.
template <class Multiply, class Precondition>
std::size_t conjugate_gradients(std::span<const double> b, double tolerance, std::size_t most, const Multiply& multiply,
                                const Precondition& precondition, std::vector<double>& x) {
  std::vector<double> residual(b.begin(), b.end()), nearer(b.size()), product(b.size());
  x.assign(b.size(), 0.0);
  precondition(residual, nearer);
  std::vector<double> direction = nearer;
  double norm = inner_product(residual, nearer);
  const double enough = tolerance * tolerance * norm;
  std::size_t products = 0;
  while (products < most && norm > enough) {
    multiply(direction, product);
    ++products;
    const double step = norm / inner_product(direction, product);
    if (!(step > 0) || !std::isfinite(step)) break;
    for (std::size_t i = 0; i < x.size(); ++i) {
      x[i] += step * direction[i];
      residual[i] -= step * product[i];
    }
    precondition(residual, nearer);
    const double before = norm;
    norm = inner_product(residual, nearer);
    for (std::size_t i = 0; i < x.size(); ++i) direction[i] = nearer[i] + norm / before * direction[i];
  }
  return products;
}

}  // namespace obverse
