// Concrete selection (Abid, Balin and Zou 2019) of k features at once, without picking one twice: the relaxed sampling
// without replacement of Xie and Ermon (2019), under a temperature that falls.
//   s_1 = w + G       p_j = softmax(s_j / T)       s_{j+1} = s_j + log(1 - p_j)       m = sum_j p_j, j = 1 .. k
//   T = 10 (0.1/10)^progress       G ~ Gumbel(0, 1), 0 outside of training       m~ = max(0, 1 - m)
// A step costs k softmaxes of D numbers, and as much memory for the way back.
#include "mask/families.h"

#include <algorithm>
#include "mask/forms.h"

namespace obverse {

namespace {

constexpr double kFirstTemperature = 10;
constexpr double kLastTemperature = 0.1;
// Keeps log(1 - p) finite where all other shares are too small for a number.
constexpr double kLeast = 1e-300;

class ConcreteSubset final : public Mask {
 public:
  void start(const MaskStep& step, std::span<double> weights) const override {
    step.draw_uniform(weights);
    for (double& w : weights) w = 0.01 * (2 * w - 1);
  }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    const std::size_t D = weights.size();
    const std::size_t k = std::clamp<std::size_t>(step.selected, 1, D);
    temperature_ = kFirstTemperature * std::pow(kLastTemperature / kFirstTemperature, step.progress);
    std::vector<double> s(D);
    if (step.number > 0) {
      step.draw_uniform(s);
      for (double& value : s) value = -std::log(-std::log(value));
    }
    for (std::size_t d = 0; d < D; ++d) s[d] = (s[d] + weights[d]) / temperature_;
    picks_.resize(k * D);
    std::fill(mask.begin(), mask.end(), 0.0);
    for (std::size_t j = 0; j < k; ++j) {
      const std::span pick = std::span(picks_).subspan(j * D, D);
      softmax(s, 1, 1, pick);
      const std::size_t top = largest(pick);
      for (std::size_t d = 0; d < D; ++d) {
        mask[d] += pick[d];
        s[d] += std::log(d == top ? rest(pick, top) : 1 - pick[d]) / temperature_;
      }
    }
    mask_.assign(mask.begin(), mask.end());
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = std::max(0.0, 1 - mask[d]);
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    const std::size_t D = weights.size();
    std::vector<double> of_mask(mask_gradient.begin(), mask_gradient.end());
    for (std::size_t d = 0; d < complement_gradient.size(); ++d) {
      if (mask_[d] < 1) of_mask[d] -= complement_gradient[d];
    }
    std::vector<double> of_sums(D);  // of s_{j+1}, then of s_j
    std::vector<double> of_pick(D);
    for (std::size_t j = picks_.size() / D; j-- > 0;) {
      const std::span pick = std::span(picks_).subspan(j * D, D);
      const std::size_t top = largest(pick);
      for (std::size_t d = 0; d < D; ++d) {
        of_pick[d] = of_mask[d] - (d == top ? 0 : of_sums[d] / (1 - pick[d]) / temperature_);
      }
      // log(1 - p) of the top one: -p by its own sum, p p_e/(1 - p) by that of feature e.
      const double of_top = of_sums[top] * pick[top] / temperature_;
      softmax_back(pick, of_pick, 1, 1, of_sums);
      const double share = of_top / rest(pick, top);
      for (std::size_t d = 0; d < D; ++d) of_sums[d] += d == top ? -of_top : share * pick[d];
    }
    for (std::size_t d = 0; d < D; ++d) gradient[d] += of_sums[d] / temperature_;
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    std::copy(weights.begin(), weights.end(), scores.begin());
  }

 private:
  static std::size_t largest(std::span<const double> pick) {
    return static_cast<std::size_t>(std::max_element(pick.begin(), pick.end()) - pick.begin());
  }
  // 1 - p of the largest share, which may be too close to one for a difference.
  static double rest(std::span<const double> pick, std::size_t top) {
    double sum = 0;
    for (std::size_t d = 0; d < pick.size(); ++d) sum += d == top ? 0 : pick[d];
    return std::max(kLeast, sum);
  }

  double temperature_ = kFirstTemperature;
  std::vector<double> picks_;  // (k,D) p_j
  std::vector<double> mask_;
};

}  // namespace

std::unique_ptr<Mask> concrete_mask(const MaskSpec& /*spec*/, const TrainOptions& /*options*/) {
  return std::make_unique<ConcreteSubset>();
}

}  // namespace obverse
