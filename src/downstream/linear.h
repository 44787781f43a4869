// Linear models in the conventions of scikit-learn: LogisticRegression(C=1) for classes, Ridge(alpha=1) for values,
// both with an intercept that is not penalised.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "downstream/linear_rows.h"
#include "downstream/target.h"
#include "support/team.h"

namespace obverse {

/// What a linear model learns from: some features of the rows, scaled, and their target, of which values have one
/// column. The weights of the target multiply the losses of the rows.
struct LinearQuery {
  const Dataset* train = nullptr;
  std::span<const std::size_t> features;
  const Affine* scaling = nullptr;
  const Target* target = nullptr;
};

/// The same bits whatever the size of the team; between instruction sets probabilities differ by about 1e-6. Classes
/// without a row of positive weight have the probability 0, a
/// class that is the only one has 1.
class LinearModel {
 public:
  LinearModel(const LinearQuery& query, Team& team);

  /// The probability of each class, or the value. `data` has the columns of the training data.
  Prediction predict(const Dataset& data, Team& team) const;

  /// False where the bounds of fit_logistic were reached first: the model is what had been found by then.
  bool converged() const { return converged_; }

 private:
  std::vector<std::size_t> features_;
  std::size_t classes_;                 // of the target
  std::vector<std::size_t> occurring_;  // classes, ascending
  ColumnMap map_;
  std::vector<double> parameters_;  // (D,O); none for a single class
  bool converged_ = true;
};

}  // namespace obverse
