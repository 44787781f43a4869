// AutoEncoder Feature Selector (Han et al. 2018): a group lasso on the rows of the first layer, one row V_d a feature.
//   m = w       m~ = D softmax(-|w|)       penalty = lambda/2 sum_d( w_d^2 + |V_d|^2 )
// The network sees the rows w_d V_d. Shifting a factor between w_d and V_d leaves them as they are, and the penalty is
// least where |w_d| = |V_d|, with lambda sum_d |w_d V_d|: the group lasso. There w_d^2 is the norm of the row, so that
// |w| ranks the features as the source does.
#include "mask/families.h"
#include "mask/input_weights.h"

namespace obverse {

namespace {

constexpr double kLambda = 5e-3;

class GroupLasso final : public InputWeights {
 public:
  explicit GroupLasso(double penalty) : lambda_(penalty * kLambda) {}

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    double squares = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      squares += weights[d] * weights[d];
      gradient[d] += lambda_ * weights[d];
    }
    return lambda_ / 2 * squares;
  }

  double first_layer_decay() const override { return lambda_; }

 private:
  double lambda_;
};

}  // namespace

std::unique_ptr<Mask> aefs_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<GroupLasso>(options.mask_penalty);
}

}  // namespace obverse
