#include "downstream/ridge.h"

#include <algorithm>
#include <cmath>

#include "downstream/cholesky.h"

namespace obverse {
namespace {

constexpr std::size_t kMostOrder = 2048;
constexpr std::size_t kTogether = 32;  // columns, or rows, of a matrix that are made by one product
constexpr double kLeastPivot = 1e-14;
constexpr std::size_t kMostProducts = 2000;
constexpr double kTolerance = 1e-10;

// The lower triangle of a matrix (n,n), strip by strip: strip(first, count, out) gives (n,count) of its columns from
// row `first` on.
template <class Strip>
std::vector<double> matrix_of(std::size_t n, const Strip& strip) {
  std::vector<double> matrix(n * n), part;
  for (std::size_t first = 0; first < n; first += kTogether) {
    const std::size_t count = std::min(kTogether, n - first);
    part.resize(n * count);
    strip(first, count, part);
    for (std::size_t i = first; i < n; ++i) std::copy_n(part.data() + i * count, count, matrix.data() + i * n + first);
  }
  return matrix;
}

// (X' S X + A) w = X' S y, where A is 1 for every column but that of the intercept.
std::vector<double> fit_by_columns(const LinearRows& rows, std::vector<double> right, std::span<const double> weights,
                                   Team& team) {
  const std::size_t N = rows.rows();
  const std::size_t D = rows.columns();
  std::vector<double> matrix = matrix_of(D, [&](std::size_t first, std::size_t count, std::vector<double>& out) {
    std::vector<double> columns(N * count);
    rows.copy_columns(first, count, columns, team);
    for (std::size_t i = 0; i < columns.size(); ++i) columns[i] *= weights[i / count];
    rows.multiply_transposed(columns, count, out, team, first);
  });
  for (std::size_t d = 0; d + 1 < D; ++d) matrix[d * D + d] += 1;
  Cholesky(std::move(matrix), D, kLeastPivot, team).solve(right.data());
  return right;
}

// w = X' S^(1/2) a with (S^(1/2) X X' S^(1/2) + 1) a = S^(1/2) y, where X is without the intercept and y is centred.
std::vector<double> fit_by_rows(const LinearRows& rows, std::span<const double> centred,
                                std::span<const double> weights, Team& team) {
  const std::size_t N = rows.rows();
  const std::size_t D = rows.columns();
  std::vector<float> row(D);
  std::vector<double> matrix = matrix_of(N, [&](std::size_t first, std::size_t count, std::vector<double>& out) {
    std::vector<double> turned(D * count);
    for (std::size_t i = 0; i < count; ++i) {
      rows.copy_row(first + i, row.data());
      for (std::size_t d = 0; d + 1 < D; ++d) turned[d * count + i] = static_cast<double>(row[d]);
    }
    rows.multiply(turned, count, out, team, first);
    for (std::size_t i = first * count; i < out.size(); ++i) {
      out[i] *= std::sqrt(weights[i / count]) * std::sqrt(weights[first + i % count]);
    }
  });
  std::vector<double> right(N);
  for (std::size_t r = 0; r < N; ++r) {
    matrix[r * N + r] += 1;
    right[r] = std::sqrt(weights[r]) * centred[r];
  }
  Cholesky(std::move(matrix), N, kLeastPivot, team).solve(right.data());
  for (std::size_t r = 0; r < N; ++r) right[r] *= std::sqrt(weights[r]);
  std::vector<double> found(D);
  rows.multiply_transposed(right, 1, found, team);
  return found;
}

std::vector<double> fit_by_products(const LinearRows& rows, std::span<const double> right,
                                    std::span<const double> weights, Team& team) {
  const std::size_t D = rows.columns();
  std::vector<double> diagonal(D), seen(rows.rows()), found;
  rows.multiply_squares(weights, 1, diagonal, team);
  for (std::size_t d = 0; d + 1 < D; ++d) diagonal[d] += 1;
  const auto multiply = [&](std::span<const double> v, std::span<double> out) {
    rows.multiply(v, 1, seen, team);
    for (std::size_t r = 0; r < seen.size(); ++r) seen[r] *= weights[r];
    rows.multiply_transposed(seen, 1, out, team);
    for (std::size_t d = 0; d + 1 < D; ++d) out[d] += v[d];
  };
  const auto precondition = [&](std::span<const double> v, std::span<double> out) {
    for (std::size_t d = 0; d < D; ++d) out[d] = v[d] / diagonal[d];
  };
  conjugate_gradients(right, kTolerance, kMostProducts, multiply, precondition, found);
  return found;
}

}  // namespace

std::vector<double> fit_ridge(const LinearRows& rows, std::span<const float> values, std::span<const double> weights,
                              Team& team) {
  const std::size_t N = rows.rows();
  const std::size_t D = rows.columns();
  double weight = 0;
  double mean = 0;
  for (std::size_t r = 0; r < N; ++r) {
    weight += weights[r];
    mean += weights[r] * static_cast<double>(values[r]);
  }
  mean /= weight;
  std::vector<double> centred(N), weighted(N), right(D);
  for (std::size_t r = 0; r < N; ++r) {
    centred[r] = static_cast<double>(values[r]) - mean;
    weighted[r] = weights[r] * centred[r];
  }
  rows.multiply_transposed(weighted, 1, right, team);
  std::vector<double> found = D <= N && D <= kMostOrder ? fit_by_columns(rows, right, weights, team)
                              : N <= kMostOrder         ? fit_by_rows(rows, centred, weights, team)
                                                        : fit_by_products(rows, right, weights, team);
  // The mean residual of the rows is the best intercept, whatever w is.
  found.back() = 0;
  std::vector<double> seen(N);
  rows.multiply(found, 1, seen, team);
  double missed = 0;
  for (std::size_t r = 0; r < N; ++r) missed += weights[r] * (centred[r] - seen[r]);
  found.back() = mean + missed / weight;
  return found;
}

}  // namespace obverse
