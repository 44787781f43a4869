// Stochastic gates (Yamada et al. 2020): a Gaussian around a trained mean, cut to [0, 1].
//   g = clip(mu + 1/2 + sigma e, 0, 1), e ~ N(0, 1)       m~ = 1 - g       penalty = lambda mean( P(g > 0) )
// Outside of training e is 0.
#include <algorithm>
#include <numbers>

#include "mask/families.h"

namespace obverse {

namespace {

constexpr double kLambda = 1;
constexpr double kSigma = 0.5;

class StochasticGates final : public Mask {
 public:
  explicit StochasticGates(double penalty) : lambda_(penalty * kLambda) {}

  void start(const MaskStep& step, std::span<double> weights) const override {
    step.draw_normal(weights);
    for (double& w : weights) w *= 0.01;
  }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    gates_.assign(weights.size(), 0);
    if (step.number > 0) step.draw_normal(gates_);
    for (std::size_t d = 0; d < weights.size(); ++d) {
      gates_[d] = weights[d] + 0.5 + kSigma * gates_[d];
      mask[d] = std::clamp(gates_[d], 0.0, 1.0);
    }
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = 1 - mask[d];
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (gates_[d] <= 0 || gates_[d] >= 1) continue;
      gradient[d] += mask_gradient[d] - (complement_gradient.empty() ? 0 : complement_gradient[d]);
    }
  }

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    const auto count = static_cast<double>(weights.size());
    double open = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double x = (weights[d] + 0.5) / kSigma;
      open += 0.5 * std::erfc(-x / std::numbers::sqrt2);
      gradient[d] += lambda_ / count / kSigma * std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi);
    }
    return lambda_ * open / count;
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  double lambda_;
  std::vector<double> gates_;  // before they are cut
};

}  // namespace

std::unique_ptr<Mask> stg_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<StochasticGates>(options.mask_penalty);
}

}  // namespace obverse
