// Columns are taken in strips: a strip's own rows first, then all rows below it side by side, each by inner products
// with rows that are done.
#include "downstream/cholesky.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace obverse {
namespace {

constexpr std::size_t kStrip = 64;     // columns
constexpr std::size_t kTaskRows = 32;  // below a strip, of one task

// Four sums at once, added up in a fixed order.
double dot(const double* a, const double* b, std::size_t n) {
  using Vector __attribute__((vector_size(16))) = double;
  Vector sum[4] = {};
  std::size_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Vector x[4], y[4];
    std::memcpy(x, a + i, sizeof x);
    std::memcpy(y, b + i, sizeof y);
    for (std::size_t v = 0; v < 4; ++v) sum[v] += x[v] * y[v];
  }
  const Vector all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  double total = all[0] + all[1];
  for (; i < n; ++i) total += a[i] * b[i];
  return total;
}

}  // namespace

Cholesky::Cholesky(std::vector<double> matrix, std::size_t n, double least, Team& team)
    : n_(n), factor_(std::move(matrix)) {
  const auto row = [&](std::size_t i) { return factor_.data() + i * n; };
  for (std::size_t begin = 0; begin < n; begin += kStrip) {
    const std::size_t end = std::min(n, begin + kStrip);
    const auto eliminate = [&](std::size_t i, std::size_t columns) {
      for (std::size_t j = begin; j < columns; ++j) row(i)[j] = (row(i)[j] - dot(row(i), row(j), j)) / row(j)[j];
    };
    for (std::size_t i = begin; i < end; ++i) {
      eliminate(i, i);
      const double diagonal = row(i)[i];
      const double pivot = diagonal - dot(row(i), row(i), i);
      row(i)[i] = std::sqrt(std::max(pivot, std::max(least * diagonal, std::numeric_limits<double>::min())));
    }
    team.run((n - end + kTaskRows - 1) / kTaskRows, [&](std::size_t task) {
      const std::size_t first = end + task * kTaskRows;
      for (std::size_t i = first; i < std::min(n, first + kTaskRows); ++i) eliminate(i, end);
    });
  }
}

void Cholesky::solve(double* x, std::size_t stride) const {
  std::vector<double> y(n_);
  for (std::size_t i = 0; i < n_; ++i) {
    const double* row = factor_.data() + i * n_;
    y[i] = (x[i * stride] - dot(row, y.data(), i)) / row[i];
  }
  for (std::size_t i = n_; i-- > 0;) {
    const double* row = factor_.data() + i * n_;
    y[i] /= row[i];
    for (std::size_t j = 0; j < i; ++j) y[j] -= row[j] * y[i];
    x[i * stride] = y[i];
  }
}

}  // namespace obverse
