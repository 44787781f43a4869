// Binary stochastic filtering (Trelin and Prochazka 2020): each feature passes with a trained probability.
//   m = 1 with probability w, else 0       m~ = 1 - m, of the same draw       penalty = lambda sum(w)       0 <= w <= 1
// The gradient goes straight through the draw, as if m were its mean w. Outside of training m is w.
#include <algorithm>

#include "mask/families.h"
#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kLambda = 2e-3;
constexpr double kStart = 0.5;

class BinaryFilters final : public Mask {
 public:
  explicit BinaryFilters(double penalty) : lambda_(penalty * kLambda) {}

  void start(const MaskStep& /*step*/, std::span<double> weights) const override {
    std::fill(weights.begin(), weights.end(), kStart);
  }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    for (std::size_t d = 0; d < weights.size(); ++d) mask[d] = std::clamp(weights[d], 0.0, 1.0);
    if (step.number > 0) {
      std::vector<double> draws(weights.size());
      step.draw_uniform(draws);
      for (std::size_t d = 0; d < weights.size(); ++d) mask[d] = draws[d] < mask[d] ? 1 : 0;
    }
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = 1 - mask[d];
  }

  // At 0 and 1 the gradient passes, so that a weight can come back.
  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (weights[d] < 0 || weights[d] > 1) continue;
      gradient[d] += mask_gradient[d] - (complement_gradient.empty() ? 0 : complement_gradient[d]);
    }
  }

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    return lasso(weights, lambda_, gradient);
  }

  void constrain(std::span<double> weights) const override {
    for (double& w : weights) w = std::clamp(w, 0.0, 1.0);
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  double lambda_;
};

}  // namespace

std::unique_ptr<Mask> bsf_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<BinaryFilters>(options.mask_penalty);
}

}  // namespace obverse
