// The softmax of scores, for those that show or rank a mask.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace obverse {

/// softmax(sign * z) in double, adding up to 1: for a sign of 1 what the mask gives to each feature, for -1 its
/// complement.
inline std::vector<double> softmax(std::span<const float> z, double sign = 1) {
  std::vector<double> values(z.begin(), z.end());
  for (double& value : values) value *= sign;
  const double top = values.empty() ? 0 : *std::max_element(values.begin(), values.end());
  double total = 0;
  for (double& value : values) {
    value = std::exp(value - top);
    total += value;
  }
  for (double& value : values) value /= total;
  return values;
}

}  // namespace obverse
