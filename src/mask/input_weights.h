// A weight before each input: the mask that families share which differ in the penalty on the weights alone.
//   m = w       m~ = D softmax(-|w|)
// Features are ranked by |w|, which the complement has to reverse; D brings it to the size of weights that start near
// one (the paper's Algorithm 1 has softmax(-m), for masks that are not negative).
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include <obverse/mask.h>

#include "mask/forms.h"

namespace obverse {

class InputWeights : public Mask {
 public:
  void start(const MaskStep& step, std::span<double> weights) const override { start_near_one(step, kSpread, weights); }

  void make(std::span<const double> weights, const MaskStep& /*step*/, std::span<double> mask,
            std::span<double> complement) override {
    std::copy(weights.begin(), weights.end(), mask.begin());
    if (complement.empty()) return;
    opposite_of_sizes(weights, complement);
    complement_.assign(complement.begin(), complement.end());
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    if (!complement_gradient.empty()) opposite_of_sizes_back(weights, complement_, complement_gradient, gradient);
    for (std::size_t d = 0; d < weights.size(); ++d) gradient[d] += mask_gradient[d];
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::transform(weights.begin(), weights.end(), scores.begin(), [](double w) { return std::abs(w); });
  }

 private:
  // Half the width of the start around one.
  static constexpr double kSpread = 0.1;

  std::vector<double> complement_;
};

}  // namespace obverse
