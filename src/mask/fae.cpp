// Fractal autoencoder (Wu and Cheng 2021): a weight before each input, and a network that has to do with the k largest
// of them as well as with all.
//   m = w with probability 1/3, else w among its k largest and 0 elsewhere       w >= 0
//   m~ = D softmax(-m)       penalty = lambda sum(w)
// The source adds the losses behind both masks; here each step draws one of them, which is the same on the mean. That
// the second counts twice is ours. Outside of training m is that of the k largest.
#include "mask/families.h"

#include <algorithm>
#include <functional>

#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kLambda = 1e-4;
// Half the width of the start around one.
constexpr double kSpread = 0.01;
constexpr double kShareOfAll = 1.0 / 3;

class FractalWeights final : public Mask {
 public:
  explicit FractalWeights(double penalty) : lambda_(penalty * kLambda) {}

  void start(const MaskStep& step, std::span<double> weights) const override { start_near_one(step, kSpread, weights); }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    least_ = sees_all(step) ? 0 : largest(weights, step.selected);
    for (std::size_t d = 0; d < weights.size(); ++d) mask[d] = is_seen(weights[d]) ? weights[d] : 0;
    if (complement.empty()) return;
    opposite_of_sizes(mask, complement);
    mask_.assign(mask.begin(), mask.end());
    complement_.assign(complement.begin(), complement.end());
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    std::vector<double> of_mask(mask_gradient.begin(), mask_gradient.end());
    if (!complement_gradient.empty()) opposite_of_sizes_back(mask_, complement_, complement_gradient, of_mask);
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (is_seen(weights[d])) gradient[d] += of_mask[d];
    }
  }

  double penalty(std::span<const double> weights, std::span<double> gradient) const override {
    return lasso(weights, lambda_, gradient);
  }

  void constrain(std::span<double> weights) const override {
    for (double& w : weights) w = std::max(w, 0.0);
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  static bool sees_all(const MaskStep& step) {
    double draw = 1;
    if (step.number > 0) step.draw_uniform(std::span(&draw, 1));
    return draw < kShareOfAll;
  }

  // Ties with the k-th largest are seen too. At 0 the gradient passes, so that a weight can come back.
  bool is_seen(double w) const { return w >= least_; }

  // The k-th largest weight, at least 0.
  static double largest(std::span<const double> weights, std::size_t k) {
    std::vector<double> sorted(weights.begin(), weights.end());
    const auto kth = sorted.begin() + static_cast<std::ptrdiff_t>(std::clamp<std::size_t>(k, 1, sorted.size()) - 1);
    std::nth_element(sorted.begin(), kth, sorted.end(), std::greater<>());
    return std::max(*kth, 0.0);
  }

  double lambda_;
  double least_ = 0;  // weight that is seen in this step
  std::vector<double> mask_;
  std::vector<double> complement_;
};

}  // namespace

std::unique_ptr<Mask> fae_mask(const MaskSpec& /*spec*/, const TrainOptions& options) {
  return std::make_unique<FractalWeights>(options.mask_penalty);
}

}  // namespace obverse
