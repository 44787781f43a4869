// The maps from trained numbers to masks that families share, and their gradients.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include <obverse/mask.h>

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

/// out = D softmax(-|w|): the opposite order of weights that rank by their size, at the size of weights near one
inline void opposite_of_sizes(std::span<const double> weights, std::span<double> out) {
  std::vector<double> sizes(weights.size());
  std::transform(weights.begin(), weights.end(), sizes.begin(), [](double w) { return std::abs(w); });
  softmax(sizes, -1, static_cast<double>(weights.size()), out);
}

/// gradient += that of w, from `out` and its gradient; at 0 the slope of |w| is 1
inline void opposite_of_sizes_back(std::span<const double> weights, std::span<const double> out,
                                   std::span<const double> out_gradient, std::span<double> gradient) {
  std::vector<double> of_sizes(weights.size());
  softmax_back(out, out_gradient, -1, static_cast<double>(weights.size()), of_sizes);
  for (std::size_t d = 0; d < weights.size(); ++d) gradient[d] += weights[d] < 0 ? -of_sizes[d] : of_sizes[d];
}

/// Weights in (1 - spread, 1 + spread), drawn by the step
inline void start_near_one(const MaskStep& step, double spread, std::span<double> weights) {
  step.draw_uniform(weights);
  for (double& w : weights) w = 1 + spread * (2 * w - 1);
}

/// lambda sum_d |w_d|, its gradient added; at 0 the slope of |w| is 1
inline double lasso(std::span<const double> weights, double lambda, std::span<double> gradient) {
  double sum = 0;
  for (std::size_t d = 0; d < weights.size(); ++d) {
    sum += std::abs(weights[d]);
    gradient[d] += weights[d] < 0 ? -lambda : lambda;
  }
  return lambda * sum;
}

inline double sigmoid(double w) { return 1 / (1 + std::exp(-w)); }

}  // namespace obverse
