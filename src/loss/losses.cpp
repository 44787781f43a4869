// Complementary losses of p~ = softmax(outputs behind the complement), C classes, beside that of random labels:
//   uniform    -1/C sum_c log p~_c             what random labels are on the mean, without their noise
//   entropy    log C + sum_c p~_c log p~_c     0 where p~ is flat
//   distance   1 - |p - p~|^2 / 2              between both paths; the gradient goes to both
//   negative   log p~_y                        the warning of the paper: without a bound, and least where p~ is sure of
//                                              another class, which takes features that know the right one
#include "loss/losses.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <obverse/error.h>

#include "support/names.h"

namespace obverse {

namespace {

/// Of one row at a time.
class RowLoss : public ComplementaryLoss {
 public:
  double add(const LossRows& rows) const final {
    std::vector<double> main(rows.outputs);
    std::vector<double> complement(rows.outputs);
    double sum = 0;
    for (std::size_t r = 0; r < rows.rows; ++r) {
      const std::size_t at = r * rows.stride;
      sum += add_row({probabilities(rows.main + at, main), probabilities(rows.complement + at, complement),
                      rows.labels[r], rows.main_gradient + at, rows.complement_gradient + at});
    }
    return sum;
  }

 protected:
  struct Row {
    std::span<const double> main;        // p
    std::span<const double> complement;  // p~
    std::int32_t label;
    float* main_gradient;
    float* complement_gradient;
  };

  virtual double add_row(const Row& row) const = 0;

  /// The gradient of outputs from that of their softmax: p (d - <p, d>)
  static void through_softmax(std::span<const double> p, std::span<const double> gradient, float* out) {
    double inner = 0;
    for (std::size_t c = 0; c < p.size(); ++c) inner += p[c] * gradient[c];
    for (std::size_t c = 0; c < p.size(); ++c) out[c] += static_cast<float>(p[c] * (gradient[c] - inner));
  }

 private:
  static std::span<const double> probabilities(const float* outputs, std::vector<double>& p) {
    const auto top = static_cast<double>(*std::max_element(outputs, outputs + p.size()));
    double sum = 0;
    for (std::size_t c = 0; c < p.size(); ++c) sum += p[c] = std::exp(static_cast<double>(outputs[c]) - top);
    for (double& value : p) value = std::max(value / sum, kLeast);
    return p;
  }

  // Keeps logarithms finite.
  static constexpr double kLeast = 1e-30;
};

class UniformTarget final : public RowLoss {
  double add_row(const Row& row) const override {
    const double share = 1.0 / static_cast<double>(row.complement.size());
    double loss = 0;
    for (std::size_t c = 0; c < row.complement.size(); ++c) {
      loss -= share * std::log(row.complement[c]);
      row.complement_gradient[c] += static_cast<float>(row.complement[c] - share);
    }
    return loss;
  }
};

class Entropy final : public RowLoss {
  double add_row(const Row& row) const override {
    std::vector<double> logarithms(row.complement.size());
    double loss = std::log(static_cast<double>(row.complement.size()));
    for (std::size_t c = 0; c < logarithms.size(); ++c) {
      logarithms[c] = std::log(row.complement[c]);
      loss += row.complement[c] * logarithms[c];
    }
    through_softmax(row.complement, logarithms, row.complement_gradient);
    return loss;
  }
};

class Distance final : public RowLoss {
  double add_row(const Row& row) const override {
    std::vector<double> apart(row.main.size());
    double loss = 1;
    for (std::size_t c = 0; c < apart.size(); ++c) {
      apart[c] = row.main[c] - row.complement[c];
      loss -= apart[c] * apart[c] / 2;
    }
    through_softmax(row.complement, apart, row.complement_gradient);
    for (double& value : apart) value = -value;
    through_softmax(row.main, apart, row.main_gradient);
    return loss;
  }
};

class NegativeCrossEntropy final : public RowLoss {
  double add_row(const Row& row) const override {
    const auto label = static_cast<std::size_t>(row.label);
    for (std::size_t c = 0; c < row.complement.size(); ++c) {
      row.complement_gradient[c] += static_cast<float>((c == label ? 1.0 : 0.0) - row.complement[c]);
    }
    return std::log(row.complement[label]);
  }
};

template <class Loss>
std::shared_ptr<const ComplementaryLoss> made() {
  return std::make_shared<Loss>();
}

std::shared_ptr<const ComplementaryLoss> none() { return nullptr; }

using Tasks = ComplementLoss::Tasks;
constexpr std::string_view kOfClasses = "it is made of the probabilities of classes, of which each row has one";

constexpr auto kLosses = std::to_array<ComplementLoss>({
    {"random", Tasks::everything, {}, none, false},
    {"uniform", Tasks::targets, "equal shares are of classes; a reconstruction has none", made<UniformTarget>, true},
    {"entropy", Tasks::classes, kOfClasses, made<Entropy>, false},
    {"distance", Tasks::classes, kOfClasses, made<Distance>, false},
    {"negative", Tasks::classes, "it has no bound and trains the complement to be surely wrong",
     made<NegativeCrossEntropy>, false},
});

}  // namespace

std::span<const ComplementLoss> complement_losses() { return kLosses; }

const ComplementLoss& complement_loss_named(std::string_view name) {
  const auto found =
      std::find_if(kLosses.begin(), kLosses.end(), [&](const ComplementLoss& one) { return one.name == name; });
  if (found == kLosses.end()) throw Error(Fault::usage, cat("no complementary loss is called '", name, "'"));
  return *found;
}

std::span<const std::string_view> complement_loss_names() {
  static const auto kNames = names_of(kLosses);
  return kNames;
}

}  // namespace obverse
