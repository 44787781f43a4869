// Ridge regression: the w and b that minimise
//   sum over rows of s (y - x w - b)^2 + |w|^2          s: the weight of a row
// as scikit-learn's Ridge(alpha=1).
#pragma once

#include <span>
#include <vector>

#include "downstream/linear_rows.h"

namespace obverse {

/// (D) w, and b behind it. By Cholesky on the smaller of the systems of columns and of rows; where both are larger than
/// 2,048 by conjugate gradients, at most 2,000 products, to a residual of 1e-10.
std::vector<double> fit_ridge(const LinearRows& rows, std::span<const float> values, std::span<const double> weights,
                              Team& team);

}  // namespace obverse
