#include "resampling/concave_tail.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace obverse {
namespace {

constexpr double kSmallestShift = 1e-9;
constexpr double kLargestShift = 1e9;
constexpr int kHalvings = 80;  // of an interval: down to the precision of its ends

/// (a + i)^-power.
double weight(double a, std::size_t i, int power) {
  const double inverse = 1 / (a + static_cast<double>(i));
  double out = inverse;
  for (int p = 1; p < power; ++p) out *= inverse;
  return out;
}

/// The mean of i with probabilities proportional to (a + i)^-power, i <= k. It grows with a.
double mean_of(double a, std::size_t k, int power) {
  double sum = 0;
  double moment = 0;
  for (std::size_t i = 0; i <= k; ++i) {
    const double w = weight(a, i, power);
    sum += w;
    moment += static_cast<double>(i) * w;
  }
  return moment / sum;
}

/// The a for which that mean is the given one, which is below k / 2. On a scale of logarithms.
double shift_for(const ConcaveCounts& counts, std::size_t k) {
  double low = std::log(kSmallestShift);
  double high = std::log(kLargestShift);
  for (int h = 0; h < kHalvings; ++h) {
    const double middle = (low + high) / 2;
    (mean_of(std::exp(middle), k, counts.power) < counts.mean ? low : high) = middle;
  }
  return std::exp((low + high) / 2);
}

/// P(X >= least) for least <= k + 1, where k + 1 has the probability that brings the mean to the given one.
double tail(const ConcaveCounts& counts, std::size_t k, double a, std::size_t least) {
  double below = 0;
  double moment = 0;  // about k + 1
  for (std::size_t i = 0; i <= k; ++i) {
    const double w = weight(a, i, counts.power);
    if (i < least) below += w;
    moment += static_cast<double>(k + 1 - i) * w;
  }
  return 1 - (static_cast<double>(k + 1) - counts.mean) * below / moment;
}

/// The largest tail for a between the two, by golden sections: it has one maximum.
double largest_tail(const ConcaveCounts& counts, std::size_t k, double low, double high, std::size_t least) {
  constexpr double kSection = 1 / std::numbers::phi;
  const auto value = [&](double a) { return tail(counts, k, a, least); };
  double best = std::max(value(low), value(high));
  double left = high - kSection * (high - low);
  double right = low + kSection * (high - low);
  double at_left = value(left);
  double at_right = value(right);
  for (int h = 0; h < kHalvings && high - low > 1e-9 * high; ++h) {
    best = std::max({best, at_left, at_right});
    if (at_left > at_right) {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kSection * (high - low);
      at_left = value(left);
    } else {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kSection * (high - low);
      at_right = value(right);
    }
  }
  return best;
}

}  // namespace

double concave_tail(const ConcaveCounts& counts, std::size_t least) {
  // From here on a decreasing f can have the mean.
  const auto first = static_cast<std::size_t>(std::ceil(2 * counts.mean)) + 1;
  if (least < first || first >= counts.steps) return 1;
  const std::size_t begin = std::max(first, least - 1);
  if (begin >= counts.steps) return 1;
  double best = 0;
  double high = shift_for(counts, begin);
  for (std::size_t k = begin; k < counts.steps; ++k) {
    const double low = shift_for(counts, k + 1);
    best = std::max(best, largest_tail(counts, k, low, high, least));
    high = low;
  }
  return best;
}

double false_selections(const PairedSelections& selections, std::size_t least) {
  const auto variables = static_cast<double>(selections.variables);
  const double share = static_cast<double>(selections.selected) / variables;
  const auto pairs = static_cast<double>(selections.pairs);
  double probability = concave_tail({.mean = 2 * pairs * share, .steps = 2 * selections.pairs, .power = 4}, least);
  // Of variables that `least` halves select, at least least - pairs of the pairs select them in both halves.
  if (least > selections.pairs) {
    probability = std::min(
        probability,
        concave_tail({.mean = pairs * share * share, .steps = selections.pairs, .power = 2}, least - selections.pairs));
  }
  return variables * probability;
}

}  // namespace obverse
