// Deep feature selection (Li, Chen and Wasserman 2016): a weight of its own before each input, under an elastic net.
//   m = w       m~ = D softmax(-|w|)       penalty = lambda sum_d( alpha |w_d| + (1 - alpha)/2 w_d^2 )
#include "mask/families.h"
#include "mask/input_weights.h"

namespace obverse {

namespace {

constexpr double kLambda = 1e-3;
constexpr double kShareOfAbsolute = 0.5;  // alpha

class DeepFeatureSelection final : public InputWeights {
 public:
  explicit DeepFeatureSelection(double penalty) : lambda_(penalty * kLambda) {}

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    double sum = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double w = weights[d];
      sum += kShareOfAbsolute * std::abs(w) + (1 - kShareOfAbsolute) / 2 * w * w;
      gradient[d] += lambda_ * (kShareOfAbsolute * (w < 0 ? -1 : 1) + (1 - kShareOfAbsolute) * w);
    }
    return lambda_ * sum;
  }

 private:
  double lambda_;
};

}  // namespace

std::unique_ptr<Mask> dfs_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<DeepFeatureSelection>(options.mask_penalty);
}

}  // namespace obverse
