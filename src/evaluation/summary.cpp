// The bootstrap of Efron: means of resamples with replacement, and the interval that holds the middle of them.
#include "evaluation/summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr double kOutside = 0.025;  // share of the resamples beyond either end

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values, double mean) {
  if (values.size() < 2) return 0;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

std::vector<double> resampled_means(std::span<const double> values, std::uint64_t seed) {
  std::vector<double> means(kResamples);
  const auto count = static_cast<std::uint32_t>(values.size());
  for (std::size_t i = 0; i < kResamples; ++i) {
    RandomStream stream(seed, Purpose::bootstrap, i);
    double sum = 0;
    for (std::size_t n = 0; n < values.size(); ++n) sum += values[stream.below(count)];
    means[i] = sum / static_cast<double>(values.size());
  }
  std::sort(means.begin(), means.end());
  return means;
}

/// The value below which a share of the sorted values lies, between two neighbours in proportion.
double percentile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (place - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

}  // namespace

Summary summarise(std::span<const double> results, std::uint64_t seed) {
  if (results.empty()) throw Error(Fault::internal, "a summary needs at least one result, found none");
  const double mean = mean_of(results);
  if (!std::isfinite(mean)) {
    constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
    return {results.size(), kUndefined, kUndefined, kUndefined, kUndefined};
  }
  const std::vector<double> means = resampled_means(results, seed);
  return {results.size(), mean, deviation_of(results, mean), percentile(means, kOutside),
          percentile(means, 1 - kOutside)};
}

}  // namespace obverse
