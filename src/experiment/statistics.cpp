// The bootstrap of Efron: means of resamples with replacement, and the interval that holds the middle of them. The
// t-test of Student and the correction of Holm.
#include "experiment/statistics.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <vector>

#include <obverse/error.h>

#include "support/incomplete_beta.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kResamples = 2000;
constexpr double kOutside = 0.025;  // share of the resamples beyond either end

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

/// How often |t| is at least so large by chance.
double both_tails(double t, double freedom) { return incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t)); }

/// The t below which a share of Student's distribution lies, for shares above one half: by bisection.
double student_quantile(double share, double freedom) {
  double low = 0;
  double high = 1;
  while (both_tails(high, freedom) / 2 > 1 - share) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = (low + high) / 2;
    (both_tails(middle, freedom) / 2 > 1 - share ? low : high) = middle;
  }
  return high;
}

}  // namespace

Spread spread_of(std::span<const double> results) {
  if (results.empty()) throw Error(Fault::internal, "a summary needs at least one result, found none");
  const auto count = static_cast<double>(results.size());
  const double mean = std::accumulate(results.begin(), results.end(), 0.0) / count;
  if (results.size() < 2) return {mean, 0};
  double squares = 0;
  for (const double result : results) squares += (result - mean) * (result - mean);
  return {mean, std::sqrt(squares / (count - 1))};
}

Summary summarise(std::span<const double> results, std::uint64_t seed) {
  const Spread spread = spread_of(results);
  if (!std::isfinite(spread.mean)) {
    constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();
    return {results.size(), kUndefined, kUndefined, kUndefined, kUndefined};
  }
  const std::vector<double> means = resampled_means(results, seed);
  return {results.size(), spread.mean, spread.deviation, percentile(means, kOutside), percentile(means, 1 - kOutside)};
}

PairedDifference paired_difference(std::span<const double> first, std::span<const double> second, double overlap) {
  std::vector<double> differences(first.size());
  std::transform(first.begin(), first.end(), second.begin(), differences.begin(), std::minus<>());
  const Spread spread = spread_of(differences);
  PairedDifference out{.mean = spread.mean, .low = spread.mean, .high = spread.mean, .p = 1};
  if (differences.size() < 2) return out;
  if (spread.deviation == 0) {
    out.p = spread.mean == 0 ? 1 : 0;
    return out;
  }
  const auto count = static_cast<double>(differences.size());
  const double error = spread.deviation * std::sqrt(1 / count + overlap);
  const double half = error * student_quantile(1 - kOutside, count - 1);
  out.low -= half;
  out.high += half;
  out.p = both_tails(spread.mean / error, count - 1);
  return out;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size());
  double least = 0;  // a later test is never surer than an earlier one
  for (std::size_t i = 0; i < order.size(); ++i) {
    least = std::fmax(least, std::fmin(1, static_cast<double>(order.size() - i) * p[order[i]]));
    corrected[order[i]] = least;
  }
  return corrected;
}

}  // namespace obverse
