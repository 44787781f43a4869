#include "experiment/share_interval.h"

#include <cmath>

namespace obverse {

ShareInterval wilson_interval(double share, std::size_t count) {
  if (count == 0) return {};
  constexpr double kNormal = 1.959963984540054;  // 97.5 % of the normal distribution lie below
  const double n = static_cast<double>(count);
  const double squared = kNormal * kNormal / n;
  const double middle = (share + squared / 2) / (1 + squared);
  const double half = kNormal / (1 + squared) * std::sqrt(share * (1 - share) / n + squared / (4 * n));
  return {.low = std::fmax(0, middle - half), .high = std::fmin(1, middle + half)};
}

}  // namespace obverse
