// Deep feature selection (Li, Chen and Wasserman 2016): a weight of its own before each input, under an elastic net.
//   m = w       m~ = D softmax(-|w|)       penalty = lambda sum_d( alpha |w_d| + (1 - alpha)/2 w_d^2 )
// Features are ranked by |w|, which the complement has to reverse; D brings it to the size of weights that start near
// one (the paper's Algorithm 1 has softmax(-m), for masks that are not negative).
#include "mask/families.h"

#include <algorithm>
#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kLambda = 1e-3;
constexpr double kShareOfAbsolute = 0.5;  // alpha
// Half the width of the start around one.
constexpr double kSpread = 0.1;

class DeepFeatureSelection final : public Mask {
 public:
  explicit DeepFeatureSelection(double penalty) : lambda_(penalty * kLambda) {}

  void start(const MaskStep& step, std::span<double> weights) const override {
    step.draw_uniform(weights);
    for (double& w : weights) w = 1 + kSpread * (2 * w - 1);
  }

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

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    double sum = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double w = weights[d];
      sum += kShareOfAbsolute * std::abs(w) + (1 - kShareOfAbsolute) / 2 * w * w;
      gradient[d] += lambda_ * (kShareOfAbsolute * (w < 0 ? -1 : 1) + (1 - kShareOfAbsolute) * w);
    }
    return lambda_ * sum;
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::transform(weights.begin(), weights.end(), scores.begin(), [](double w) { return std::abs(w); });
  }

 private:
  double lambda_;
  std::vector<double> complement_;
};

}  // namespace

std::unique_ptr<Mask> dfs_mask(const MaskSettings& settings) {
  return std::make_unique<DeepFeatureSelection>(settings.penalty);
}

}  // namespace obverse
