// Newton's method. Its systems are solved by conjugate gradients, preconditioned by the blocks of the Hessian that
// belong to one output each,
//   X' diag(s p (1 - p)) X + 1,
// summed over a sample of the rows; where these would be too large, by the diagonal of the Hessian. Far from the
// optimum the systems are solved to few digits. Ten steps with five to ten products each are typical with blocks.
#include "downstream/logistic.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "backend/host.h"
#include "downstream/cholesky.h"

namespace obverse {
namespace {

constexpr double kTolerance = 1e-9;   // of F, in nats
constexpr double kRounding = 1e-13;   // of F, relative
constexpr double kSufficient = 1e-4;  // share of the decrease that the slope promises
constexpr std::size_t kMostSteps = 50;
constexpr std::size_t kMostHalvings = 30;
constexpr std::size_t kMostProducts = 2000;
constexpr std::size_t kMostProductsOfStep = 250;
constexpr double kFewDigits = 0.25;                         // of the first systems
constexpr std::size_t kBlockColumns = 1024;                 // most columns of a block
constexpr std::size_t kBlockValues = std::size_t{1} << 24;  // most of all blocks: 128 MB
constexpr std::size_t kBlockProducts = 1500000000;          // that a block is summed from
constexpr std::size_t kMostSampleRows = 10000;              // for a block
constexpr std::size_t kStaleProducts = 12;  // more for one system: the blocks are of too distant a point
constexpr double kLeastPivot = 1e-6;        // of float32 sums

std::size_t sample_rows(std::size_t columns) {
  return std::clamp(kBlockProducts / (columns * columns), 2 * columns, kMostSampleRows);
}

// z (O) becomes probabilities; returns the log of what they were divided by.
double normalise(double* z, std::size_t O) {
  if (O == 1) {
    const double e = std::exp(-std::abs(z[0]));
    const double log_sum = std::max(z[0], 0.0) + std::log1p(e);
    z[0] = (z[0] > 0 ? 1 : e) / (1 + e);
    return log_sum;
  }
  const double top = *std::max_element(z, z + O);
  double sum = 0;
  for (std::size_t o = 0; o < O; ++o) {
    z[o] = std::exp(z[o] - top);
    sum += z[o];
  }
  for (std::size_t o = 0; o < O; ++o) z[o] /= sum;
  return top + std::log(sum);
}

/// An approximation of the inverse of the Hessian.
class Preconditioner {
 public:
  Preconditioner(const LinearRows& rows, std::size_t outputs, Team& team)
      : rows_(rows),
        O_(outputs),
        team_(team),
        in_blocks_(rows.columns() <= kBlockColumns && O_ * rows.columns() * rows.columns() <= kBlockValues) {}

  void update(const std::vector<double>& curvatures) {
    if (in_blocks_) {
      blocks_.resize(O_);
      team_.run(O_, [&](std::size_t o) { blocks_[o] = block(curvatures, o); });
      return;
    }
    diagonal_.resize(rows_.columns() * O_);
    rows_.multiply_squares(curvatures, O_, diagonal_, team_);
    for (std::size_t i = 0; i + O_ < diagonal_.size(); ++i) diagonal_[i] += 1;
    for (double& value : diagonal_) value = std::max(value, kLeastPivot);
  }

  // Sums over the outputs of a softmax stay zero: only their differences matter, and H is flat along the sums of
  // intercepts.
  void apply(std::span<const double> v, std::span<double> out) const {
    std::copy(v.begin(), v.end(), out.begin());
    if (in_blocks_) {
      team_.run(O_, [&](std::size_t o) { blocks_[o]->solve(out.data() + o, O_); });
    } else {
      for (std::size_t i = 0; i < out.size(); ++i) out[i] /= diagonal_[i];
    }
    if (O_ == 1) return;
    for (std::size_t i = 0; i < out.size(); i += O_) {
      double mean = 0;
      for (std::size_t o = 0; o < O_; ++o) mean += out[i + o];
      mean /= static_cast<double>(O_);
      for (std::size_t o = 0; o < O_; ++o) out[i + o] -= mean;
    }
  }

 private:
  // A sample takes rows at equal distances along the sum of their curvatures; each counts as many times as it is hit.
  std::unique_ptr<Cholesky> block(const std::vector<double>& curvatures, std::size_t output) const {
    const std::size_t D = rows_.columns();
    const std::size_t most = sample_rows(D);
    double total = 0;
    for (std::size_t i = output; i < curvatures.size(); i += O_) total += curvatures[i];
    const double distance = total / static_cast<double>(most);
    std::vector<float> sample;
    double sum = 0;
    double taken = 0;
    for (std::size_t r = 0; r < rows_.rows(); ++r) {
      double curvature = curvatures[r * O_ + output];
      if (rows_.rows() > most) {
        sum += curvature;
        const double hits = std::floor(sum / distance + 0.5) - taken;
        taken += hits;
        curvature = hits * distance;
      }
      if (!(curvature > 0)) continue;
      sample.resize(sample.size() + D);
      float* row = sample.data() + sample.size() - D;
      rows_.copy_row(r, row);
      const auto factor = static_cast<float>(std::sqrt(curvature));
      for (std::size_t d = 0; d < D; ++d) row[d] *= factor;
    }
    std::vector<float> products(D * D);
    const std::size_t taken_rows = sample.size() / D;
    if (taken_rows > 0) host::gram(sample.data(), taken_rows, D, products.data());
    std::vector<double> matrix(products.begin(), products.end());
    for (std::size_t d = 0; d < D; ++d) matrix[d * D + d] += d + 1 < D ? 1 : kLeastPivot;
    Team alone(1);  // the blocks are shared among the threads already
    return std::make_unique<Cholesky>(std::move(matrix), D, kLeastPivot, alone);
  }

  const LinearRows& rows_;
  std::size_t O_;
  Team& team_;
  bool in_blocks_;
  std::vector<std::unique_ptr<Cholesky>> blocks_;  // (O)
  std::vector<double> diagonal_;                   // (D,O)
};

}  // namespace

void to_probabilities(std::span<double> scores, std::size_t O) {
  for (std::size_t i = 0; i < scores.size(); i += O) normalise(scores.data() + i, O);
}

LogisticLoss::LogisticLoss(const LinearRows& rows, std::span<const std::int32_t> labels, std::size_t classes,
                           std::span<const double> weights, Team& team)
    : rows_(rows),
      labels_(labels),
      weights_(weights),
      O_(classes == 2 ? 1 : classes),
      team_(team),
      p_(rows.rows() * O_) {}

double LogisticLoss::move(std::span<const double> point, std::span<double> gradient) {
  std::vector<double> losses(rows_.rows());
  const auto between = [&](std::size_t first, std::span<double> scores) {
    for (std::size_t i = 0; i < scores.size(); i += O_) {
      const std::size_t r = first + i / O_;
      const auto label = static_cast<std::size_t>(labels_[r]);
      double* z = scores.data() + i;
      const double wanted = O_ > 1 ? z[label] : label == 1 ? z[0] : 0;
      losses[r] = weights_[r] * (normalise(z, O_) - wanted);
      std::copy_n(z, O_, p_.data() + r * O_);
      if (O_ > 1) {
        z[label] -= 1;
      } else {
        z[0] -= static_cast<double>(label);
      }
      for (std::size_t o = 0; o < O_; ++o) z[o] *= weights_[r];
    }
  };
  rows_.multiply_both(point, O_, between, gradient, team_, Products::exact);
  double value = 0;
  for (const double loss : losses) value += loss;
  for (std::size_t i = 0; i + O_ < point.size(); ++i) {
    value += point[i] * point[i] / 2;
    gradient[i] += point[i];
  }
  return value;
}

// With u = x v of a row: H v = X' (s p (u - sum of p u)) + v, which is X' (s p (1 - p) u) + v for one output.
void LogisticLoss::multiply_hessian(std::span<const double> v, std::span<double> out) const {
  const auto between = [&](std::size_t first, std::span<double> scores) {
    for (std::size_t i = 0; i < scores.size(); i += O_) {
      const double* p = p_.data() + first * O_ + i;
      double* u = scores.data() + i;
      double mean = 0;
      for (std::size_t o = 0; o < O_; ++o) mean += p[o] * u[o];
      for (std::size_t o = 0; o < O_; ++o) u[o] = weights_[first + i / O_] * p[o] * (u[o] - mean);
    }
  };
  rows_.multiply_both(v, O_, between, out, team_, Products::fast);
  for (std::size_t i = 0; i + O_ < out.size(); ++i) out[i] += v[i];
}

std::vector<double> LogisticLoss::curvatures() const {
  std::vector<double> curvatures(p_.size());
  for (std::size_t i = 0; i < p_.size(); ++i) curvatures[i] = weights_[i / O_] * p_[i] * (1 - p_[i]);
  return curvatures;
}

namespace {

struct Point {
  std::vector<double> parameters, gradient;
  double value = 0;  // F
};

// Goes along a step from `at` until F falls by enough, the whole of it first, then half and half again. Returns the
// share of the step that was gone, or 0 where none will do.
double go_along(LogisticLoss& loss, const std::vector<double>& step, double decrement, const Point& at, Point& next) {
  double share = 1;
  for (std::size_t halving = 0; halving <= kMostHalvings; ++halving, share /= 2) {
    for (std::size_t i = 0; i < step.size(); ++i) next.parameters[i] = at.parameters[i] + share * step[i];
    next.value = loss.move(next.parameters, next.gradient);
    if (next.value <= at.value - kSufficient * share * decrement + kRounding * std::abs(at.value)) return share;
  }
  return 0;
}

}  // namespace

LogisticFit fit_logistic(const LinearRows& rows, std::span<const std::int32_t> labels, std::size_t classes,
                         std::span<const double> weights, Team& team) {
  LogisticLoss loss(rows, labels, classes, weights, team);
  const std::vector<double> zeros(rows.columns() * loss.outputs());
  Point at{zeros, zeros}, next{zeros, zeros};
  at.value = loss.move(at.parameters, at.gradient);
  const double first_norm = std::sqrt(inner_product(at.gradient, at.gradient));
  Preconditioner preconditioner(rows, loss.outputs(), team);
  LogisticFit fit;
  fit.converged = first_norm == 0;
  std::size_t last_products = 0;
  while (!fit.converged && fit.steps < kMostSteps && fit.products < kMostProducts) {
    if (fit.steps < 2 || last_products > kStaleProducts) preconditioner.update(loss.curvatures());
    const double norm = std::sqrt(inner_product(at.gradient, at.gradient));
    const double digits = std::min(kFewDigits, std::sqrt(norm / first_norm));
    std::vector<double> downhill(zeros.size()), step;
    for (std::size_t i = 0; i < downhill.size(); ++i) downhill[i] = -at.gradient[i];
    last_products = conjugate_gradients(
        downhill, digits, std::min(kMostProductsOfStep, kMostProducts - fit.products),
        [&](std::span<const double> v, std::span<double> out) { loss.multiply_hessian(v, out); },
        [&](std::span<const double> v, std::span<double> out) { preconditioner.apply(v, out); }, step);
    fit.products += last_products;
    const double decrement = inner_product(downhill, step);
    fit.converged = norm == 0;
    if (!(decrement > 0)) break;
    const double share = go_along(loss, step, decrement, at, next);
    if (share == 0) break;
    std::swap(at, next);
    ++fit.steps;
    // What the system left over, and what the quadratic model of F did not see.
    fit.converged = share == 1 && (digits * digits + decrement) * decrement <= kTolerance;
  }
  fit.parameters = std::move(at.parameters);
  return fit;
}

}  // namespace obverse
