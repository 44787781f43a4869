// The two maps from trained numbers to masks that families share, and their gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace obverse {

/// out = scale softmax(sign w)
inline void softmax(std::span<const double> weights, double sign, double scale, std::span<double> out) {
  double top = sign * weights[0];
  for (const double w : weights) top = std::max(top, sign * w);
  double sum = 0;
  for (std::size_t d = 0; d < weights.size(); ++d) sum += out[d] = std::exp(sign * weights[d] - top);
  for (double& value : out) value *= scale / sum;
}

/// gradient += that of w, from `out` and its gradient
inline void softmax_back(std::span<const double> out, std::span<const double> out_gradient, double sign, double scale,
                         std::span<double> gradient) {
  double inner = 0;
  for (std::size_t d = 0; d < out.size(); ++d) inner += out[d] * out_gradient[d];
  for (std::size_t d = 0; d < out.size(); ++d) gradient[d] += sign * out[d] * (out_gradient[d] - inner / scale);
}

inline double sigmoid(double w) { return 1 / (1 + std::exp(-w)); }

}  // namespace obverse
