// A complementary loss of one's own: what the features behind the complement say should not matter, so the outputs of
// their head are drawn to each other. loss = variance of the outputs of a row.
#include <obverse/obverse.h>

#include <cstdio>

class EqualOutputs final : public obverse::ComplementaryLoss {
 public:
  double add(const obverse::LossRows& rows) const override {
    const auto count = static_cast<double>(rows.outputs);
    double sum = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const float* output = rows.complement + r * rows.stride;
      float* gradient = rows.complement_gradient + r * rows.stride;
      double mean = 0;
      for (std::size_t c = 0; c < rows.outputs; ++c) mean += static_cast<double>(output[c]) / count;
      for (std::size_t c = 0; c < rows.outputs; ++c) {
        const double apart = static_cast<double>(output[c]) - mean;
        sum += apart * apart / count;
        gradient[c] += static_cast<float>(2 * apart / count);
      }
    }
    return sum;
  }
};

int main() {
  const obverse::GeneratedData made = obverse::madelon_like({.rows = 2000, .probes = 80});
  const auto [train, test] = obverse::split(made.data, {.test_fraction = 0.25});
  obverse::SelectOptions options = obverse::not_repeated();
  options.k = 20;
  for (const bool own : {false, true}) {
    if (own) options.loss = std::make_shared<EqualOutputs>();
    const obverse::Selection selection = obverse::Selector(options).fit(train);
    std::printf("%s: accuracy %.1f %% with %zu features\n", own ? "equal outputs" : "random labels",
                100 * obverse::neighbour_accuracy(train, test, selection.ranking.top(selection.k)), selection.k);
  }
}
