// AutoEncoder Feature Selector (Han et al. 2018): a group lasso on the rows of the first layer, one row V_d a feature.
//   m = w       m~ = D softmax(-|w|)       penalty = lambda/2 sum_d( w_d^2 + |V_d|^2 )
// The network sees the rows w_d V_d. Shifting a factor between w_d and V_d leaves them as they are, and the penalty is
// least where |w_d| = |V_d|, with lambda sum_d |w_d V_d|: the group lasso. There w_d^2 is the norm of the row, so that
// |w| ranks the features as the source does.
#include "mask/families.h"

#include <algorithm>

#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kLambda = 5e-3;
// Half the width of the start around one.
constexpr double kSpread = 0.1;

class GroupLasso final : public Mask {
 public:
  explicit GroupLasso(double penalty) : lambda_(penalty * kLambda) {}

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
    double squares = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      squares += weights[d] * weights[d];
      gradient[d] += lambda_ * weights[d];
    }
    return lambda_ / 2 * squares;
  }

  double first_layer_decay() const override { return lambda_; }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::transform(weights.begin(), weights.end(), scores.begin(), [](double w) { return std::abs(w); });
  }

 private:
  double lambda_;
  std::vector<double> complement_;
};

}  // namespace

std::unique_ptr<Mask> aefs_mask(const MaskSettings& settings) { return std::make_unique<GroupLasso>(settings.penalty); }

}  // namespace obverse
