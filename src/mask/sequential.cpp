// Sequential attention (Yasuda et al. 2023): attention by trained numbers, and after each of k phases the feature with
// the most of it is fixed.
//   m_d = 1 for a fixed feature, else softmax(w) among those that are not       m~_d = 0, else softmax(-w) among them
// Phases are of equal length. Features are ranked in the order in which they were fixed, the others by their numbers.
#include "mask/families.h"

#include <algorithm>
#include "mask/forms.h"

namespace obverse {

namespace {

class SequentialAttention final : public Mask {
 public:
  void start(const MaskStep& /*step*/, std::span<double> weights) const override {
    std::fill(weights.begin(), weights.end(), 0.0);
  }

  void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
            std::span<double> complement) override {
    if (step.number > 0) fix(weights, step);
    gather(weights, open_);
    soft_.resize(open_.size());
    softmax(open_, 1, 1, soft_);
    spread(soft_, 1, mask);
    if (complement.empty()) return;
    soft_complement_.resize(open_.size());
    softmax(open_, -1, 1, soft_complement_);
    spread(soft_complement_, 0, complement);
  }

  void back(std::span<const double> weights, const MaskStep& /*step*/, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    std::vector<double> of_open(open_.size());
    std::vector<double> of_soft;
    gather(mask_gradient, of_soft);
    softmax_back(soft_, of_soft, 1, 1, of_open);
    if (!complement_gradient.empty()) {
      gather(complement_gradient, of_soft);
      softmax_back(soft_complement_, of_soft, -1, 1, of_open);
    }
    std::size_t at = 0;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      if (!is_fixed(d)) gradient[d] += of_open[at++];
    }
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    const double top = *std::max_element(weights.begin(), weights.end());
    for (std::size_t d = 0; d < weights.size(); ++d) scores[d] = std::exp(weights[d] - top);  // at most 1
    for (std::size_t i = 0; i < fixed_.size(); ++i) scores[fixed_[i]] = static_cast<double>(fixed_.size() - i + 1);
  }

 private:
  bool is_fixed(std::size_t d) const { return d < taken_.size() && taken_[d]; }

  // One feature must be left to share the attention.
  void fix(std::span<const double> weights, const MaskStep& step) {
    taken_.resize(weights.size());
    const auto phases = static_cast<double>(std::min(step.selected, weights.size() - 1));
    const auto due = static_cast<std::size_t>(phases * step.progress);
    while (fixed_.size() < due) {
      std::size_t best = weights.size();
      for (std::size_t d = 0; d < weights.size(); ++d) {
        if (!taken_[d] && (best == weights.size() || weights[d] > weights[best])) best = d;
      }
      taken_[best] = true;
      fixed_.push_back(best);
    }
  }

  // Of the features that are not fixed.
  void gather(std::span<const double> all, std::vector<double>& open) const {
    open.clear();
    for (std::size_t d = 0; d < all.size(); ++d) {
      if (!is_fixed(d)) open.push_back(all[d]);
    }
  }
  void spread(const std::vector<double>& open, double of_fixed, std::span<double> all) const {
    std::size_t at = 0;
    for (std::size_t d = 0; d < all.size(); ++d) all[d] = is_fixed(d) ? of_fixed : open[at++];
  }

  std::vector<std::size_t> fixed_;  // in their order
  std::vector<bool> taken_;         // (D)
  std::vector<double> open_;        // weights of the others
  std::vector<double> soft_;
  std::vector<double> soft_complement_;
};

}  // namespace

std::unique_ptr<Mask> sequential_mask(const MaskSpec& /*spec*/, const TrainOptions& /*options*/) {
  return std::make_unique<SequentialAttention>();
}

}  // namespace obverse
