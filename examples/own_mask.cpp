// A mask of one's own: m = exp(-w^2), which forgets a feature as its number leaves zero, and the complement 1 - m.
// Training, the complementary path, ranking and evaluation come with the library.
#include <obverse/obverse.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

class BellMask final : public obverse::Mask {
 public:
  void start(const obverse::MaskStep& step, std::span<double> weights) const override {
    step.draw_uniform(weights);                  // in (0, 1): all features begin half forgotten,
    for (double& w : weights) w = 0.8 + w / 10;  // none of them at the top of the bell, where the slope is zero
  }

  void make(std::span<const double> weights, const obverse::MaskStep&, std::span<double> mask,
            std::span<double> complement) override {
    for (std::size_t d = 0; d < mask.size(); ++d) mask[d] = std::exp(-weights[d] * weights[d]);
    for (std::size_t d = 0; d < complement.size(); ++d) complement[d] = 1 - mask[d];
  }

  void back(std::span<const double> weights, const obverse::MaskStep&, std::span<const double> mask_gradient,
            std::span<const double> complement_gradient, std::span<double> gradient) override {
    for (std::size_t d = 0; d < weights.size(); ++d) {
      const double slope = -2 * weights[d] * std::exp(-weights[d] * weights[d]);
      gradient[d] += slope * (mask_gradient[d] - (complement_gradient.empty() ? 0 : complement_gradient[d]));
    }
  }

  void scores(std::span<const double> weights, std::span<double> scores) const override {
    for (std::size_t d = 0; d < scores.size(); ++d) scores[d] = std::exp(-weights[d] * weights[d]);
  }
};

int main() {
  const obverse::GeneratedData made = obverse::madelon_like({.rows = 2000, .probes = 80});
  const auto [train, test] = obverse::split(made.data, {.test_fraction = 0.25});
  obverse::SelectOptions options = obverse::not_repeated();
  options.k = 20;
  options.method = "bell";  // what reports call it
  options.mask = [] { return std::make_unique<BellMask>(); };
  for (const auto complement : {obverse::Complement::off, obverse::Complement::on}) {
    options.complement = complement;
    const obverse::Selection selection = obverse::Selector(options).fit(train);
    const auto selected = selection.ranking.top(selection.k);
    std::size_t found = 0;
    for (const std::size_t feature : made.true_features) {
      found += std::find(selected.begin(), selected.end(), feature) != selected.end() ? 1 : 0;
    }
    std::printf("complement %s: %zu of 20 true features, accuracy %.1f %%\n",
                complement == obverse::Complement::on ? "on " : "off", found,
                100 * obverse::neighbour_accuracy(train, test, selected));
  }
}
