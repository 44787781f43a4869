// Logistic regression: the w and b that minimise
//   F = sum over rows of s * -log p(class of the row) + |w|^2 / 2          s: the weight of a row
// with p = softmax(x w + b), or sigmoid(x w + b) of the second class where there are two, as scikit-learn's
// LogisticRegression(C=1).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "downstream/linear_rows.h"

namespace obverse {

/// F and its derivatives at a point of the parameters, (D,O) with the intercepts in the last row: one output for two
/// classes, else one for each class.
class LogisticLoss {
 public:
  /// Every class occurs among the labels; there are two at least. The spans are kept.
  LogisticLoss(const LinearRows& rows, std::span<const std::int32_t> labels, std::size_t classes,
               std::span<const double> weights, Team& team);

  std::size_t outputs() const { return O_; }
  /// Moves to a point. Returns F and writes its gradient.
  double move(std::span<const double> point, std::span<double> gradient);
  /// out = H v at the last point, by fast products.
  void multiply_hessian(std::span<const double> v, std::span<double> out) const;
  /// (N,O) s p (1 - p) at the last point: what rows weigh in the part of H that belongs to each output.
  std::vector<double> curvatures() const;

 private:
  const LinearRows& rows_;
  std::span<const std::int32_t> labels_;
  std::span<const double> weights_;
  std::size_t O_;
  Team& team_;
  std::vector<double> p_;  // (N,O) at the last point
};

/// (N,O) x w + b become probabilities: in place by the softmax, or the sigmoid where O is 1.
void to_probabilities(std::span<double> scores, std::size_t O);

/// How far a solution was taken.
struct LogisticFit {
  std::vector<double> parameters;  ///< (D,O)
  std::size_t steps = 0;
  std::size_t products = 0;  ///< with the Hessian
  bool converged = false;    ///< F is within an estimated 1e-9 of its least value
};

/// By Newton's method with conjugate gradients: at most 50 steps, and 2,000 products with the Hessian in all.
LogisticFit fit_logistic(const LinearRows& rows, std::span<const std::int32_t> labels, std::size_t classes,
                         std::span<const double> weights, Team& team);

}  // namespace obverse
