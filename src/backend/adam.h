// One step of Adam (Kingma and Ba 2015), as numbers that every device shares.
#pragma once

#include <cmath>
#include <cstdint>

namespace obverse {

/// The corrections of the start are folded in:  p -= rate * first / (sqrt(second) + epsilon)
struct AdamFactors {
  float rate;
  float epsilon;
  float beta1;
  float beta2;
};

/// For the step with the given number, counted from 1.
inline AdamFactors adam_factors(double learning_rate, std::uint64_t step) {
  constexpr double kBeta1 = 0.9;
  constexpr double kBeta2 = 0.999;
  constexpr double kEpsilon = 1e-8;
  const double correction1 = 1.0 - std::pow(kBeta1, static_cast<double>(step));
  const double correction2 = std::sqrt(1.0 - std::pow(kBeta2, static_cast<double>(step)));
  return {static_cast<float>(learning_rate * correction2 / correction1), static_cast<float>(kEpsilon * correction2),
          static_cast<float>(kBeta1), static_cast<float>(kBeta2)};
}

}  // namespace obverse
