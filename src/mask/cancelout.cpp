// CancelOut (Borisov, Haug and Kasneci 2019): inputs pass gates of one trained number each, in two forms.
//   sigmoid   m = sigmoid(w)          m~ = sigmoid(-w)            penalty = lambda (mean(m) - var(m))
//   softmax   m = scale softmax(w)    m~ = scale softmax(-w)      or the remainder (scale - m)/D; no penalty
// The penalty closes gates and drives them apart. All gates start half open, so that mask and complement are of one
// size.
#include "mask/families.h"

#include <algorithm>
#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kLambda = 0.1;
constexpr double kSpread = 0.1;

void start_near_zero(const MaskStep& step, std::span<double> weights) {
  step.draw_uniform(weights);
  for (double& w : weights) w = kSpread * (2 * w - 1);
}

class SigmoidGates final : public Mask {
 public:
  explicit SigmoidGates(double penalty) : lambda_(penalty * kLambda) {}

  void start(const MaskStep& step, std::span<double> weights) const override { start_near_zero(step, weights); }

  void make(std::span<const double> weights, const MaskStep& /*step*/, std::span<double> mask,
            std::span<double> complement) override {
    std::transform(weights.begin(), weights.end(), mask.begin(), sigmoid);
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = sigmoid(-weights[d]);
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double both = mask_gradient[d] - (complement_gradient.empty() ? 0 : complement_gradient[d]);
      gradient[d] += slope(weights[d]) * both;
    }
  }

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    const auto count = static_cast<double>(weights.size());
    double sum = 0;
    double squares = 0;
    for (const double w : weights) {
      const double m = sigmoid(w);
      sum += m;
      squares += m * m;
    }
    const double mean = sum / count;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      gradient[d] += lambda_ * slope(weights[d]) * (1 - 2 * (sigmoid(weights[d]) - mean)) / count;
    }
    return lambda_ * (mean - (squares / count - mean * mean));
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  static double slope(double w) { return sigmoid(w) * sigmoid(-w); }

  double lambda_;
};

class SoftmaxGates final : public Mask {
 public:
  SoftmaxGates(double scale_power, bool remainder) : power_(scale_power), remainder_(remainder) {}

  void start(const MaskStep& step, std::span<double> weights) const override { start_near_zero(step, weights); }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    const double scale = scale_of(step);
    softmax(weights, 1, scale, mask);
    mask_.assign(mask.begin(), mask.end());
    if (complement.empty()) return;
    if (remainder_) {
      for (std::size_t d = 0; d < mask.size(); ++d)
        complement[d] = (scale - mask[d]) / static_cast<double>(mask.size());
    } else {
      softmax(weights, -1, scale, complement);
      complement_.assign(complement.begin(), complement.end());
    }
  }

  void back(std::span<const double> weights, const MaskStep& step, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    const double scale = scale_of(step);
    softmax_back(mask_, mask_gradient, 1, scale, gradient);
    if (complement_gradient.empty()) return;
    if (remainder_) {
      softmax_back(mask_, complement_gradient, -1 / static_cast<double>(weights.size()), scale, gradient);
    } else {
      softmax_back(complement_, complement_gradient, -1, scale, gradient);
    }
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  double scale_of(const MaskStep& step) const { return std::pow(static_cast<double>(step.features), power_); }

  double power_;
  bool remainder_;
  std::vector<double> mask_;
  std::vector<double> complement_;
};

}  // namespace

std::unique_ptr<Mask> cancelout_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<SigmoidGates>(options.mask_penalty);
}

std::unique_ptr<Mask> cancelout_softmax_mask(const MaskSpec& spec, const TrainOptions& options) {
  return std::make_unique<SoftmaxGates>(options.mask_scale_power, spec.remainder);
}

}  // namespace obverse
