// The bootstrap of held-out rows. Predictions stay as they are; rows, or groups of rows, are drawn with replacement.
#include "resampling/curve.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

#include <obverse/error.h>

#include "support/random.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kResamples = 200;
constexpr std::size_t kNarrow = 8;  // a gap of an eighth of the size above it
constexpr double kNotMeasured = std::numeric_limits<double>::quiet_NaN();
constexpr double kNormal = 1.959964;     // 97.5 % of the standard normal distribution lie below it
constexpr std::size_t kTimeBlocks = 10;  // of a fold: neighbouring times are alike

/// Rows that are drawn together.
std::vector<std::vector<std::uint32_t>> units_of(const HeldOut& held) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<std::uint32_t>> units;
  std::vector<std::uint32_t> order(held.rows());
  std::iota(order.begin(), order.end(), 0U);
  if (!held.time.empty()) {
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return std::pair(held.fold[a], held.time[a]) < std::pair(held.fold[b], held.time[b]);
    });
  }
  const std::size_t folds = held.folds();
  const std::size_t block = std::max<std::size_t>(1, held.rows() / std::max<std::size_t>(1, folds * kTimeBlocks));
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    const std::uint32_t row = order[i];
    std::uint32_t unit = row;
    if (!held.group.empty()) unit = held.group[row];
    if (!held.time.empty()) unit = static_cast<std::uint32_t>(i / block);
    units[{held.fold[row], unit}].push_back(row);
  }
  std::vector<std::vector<std::uint32_t>> out;
  out.reserve(units.size());
  for (auto& [key, rows] : units) out.push_back(std::move(rows));
  return out;
}

/// The same truth, each row as often as it was drawn.
std::vector<Target> weighted(std::span<const Target> truth, const std::vector<float>& counts) {
  std::vector<Target> out(truth.begin(), truth.end());
  for (Target& target : out) {
    if (target.weights.empty()) {
      target.weights = counts;
    } else {
      for (std::size_t r = 0; r < counts.size(); ++r) target.weights[r] *= counts[r];
    }
  }
  return out;
}

double value_of(const HeldOut& held, const Metric& metric, const std::vector<Prediction>& predictions) {
  return mean_value(metric, held.truth, predictions);
}

std::vector<Target> first_rows(std::span<const Target> truth, std::size_t rows) {
  std::vector<Target> out(truth.begin(), truth.end());
  for (Target& target : out) {
    if (target.is_class()) target.labels.resize(rows);
    if (!target.is_class()) target.values.resize(rows * target.columns);
    if (!target.weights.empty()) target.weights.resize(rows);
  }
  return out;
}

/// Of the numbers that are numbers.
double deviation(std::span<const double> values) {
  double sum = 0;
  double squares = 0;
  double count = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    squares += value * value;
    count += 1;
  }
  return count < 2 ? 0 : std::sqrt(std::fmax(0, (squares - sum * sum / count) / (count - 1)));
}

std::size_t best_of(std::span<const double> scores) {
  const auto better = [](double a, double b) { return std::isnan(a) || a < b; };
  return static_cast<std::size_t>(std::max_element(scores.begin(), scores.end(), better) - scores.begin());
}

/// The first score that is good enough; the best where none is, as where none is a number.
std::size_t first_of(std::span<const double> scores, double enough) {
  const auto first = std::find_if(scores.begin(), scores.end(), [&](double score) { return score >= enough; });
  return first == scores.end() ? best_of(scores) : static_cast<std::size_t>(first - scores.begin());
}

}  // namespace

SizeRule size_rule(std::string_view text) {
  if (text == "best") return {SizeRule::Kind::best};
  if (text == "one-se") return {SizeRule::Kind::one_se};
  constexpr std::string_view kTolerance = "tolerance=";
  if (text.starts_with(kTolerance)) {
    const std::string_view number = text.substr(kTolerance.size());
    double value = 0;
    const auto [end, fault] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (fault == std::errc() && end == number.data() + number.size() && value >= 0) {
      return {SizeRule::Kind::tolerance, value};
    }
  }
  throw Error(Fault::usage, cat("k_rule: expected best, one-se or tolerance=X with a number such as 0.01, found '",
                                excerpt(std::string(text)), "'"));
}

ScoredSizes::ScoredSizes(const HeldOut& held, const Metric& metric, std::uint64_t seed, Team& team)
    : held_(held), metric_(metric), scores_(scores_of(held, metric, held.truth)), resamples_(kResamples) {
  const auto units = units_of(held);
  std::vector<double> all(kResamples);
  team.run(kResamples, [&](std::size_t b) {
    RandomStream random(seed, Purpose::bootstrap, b);
    std::vector<float> times(held.rows(), 0.0F);
    for (std::size_t u = 0; u < units.size(); ++u) {
      for (const std::uint32_t row : units[random.below(static_cast<std::uint32_t>(units.size()))]) times[row] += 1.0F;
    }
    const std::vector<Target> drawn = weighted(held.truth, times);
    resamples_[b] = scores_of(held, metric, drawn);
    all[b] = held.all.empty() ? kNotMeasured : mean_value(metric, drawn, held.all);
  });
  // The folds share most of their training rows, so that scores of other rows vary more than those of these do: Nadeau
  // and Bengio's variance of a mean over folds, (1/K + test rows / training rows) in place of 1/K.
  const auto folds = static_cast<double>(held.folds());
  const double overlap = folds > 1 ? std::sqrt(1 + folds * held.tested_share) : 1;
  std::vector<double> values(kResamples);
  for (std::size_t s = 0; s < held_.sizes.size(); ++s) {
    for (std::size_t b = 0; b < kResamples; ++b) values[b] = resamples_[b][s];
    errors_.push_back(deviation(values) * overlap);
  }
  all_error_ = deviation(all) * overlap;
}

CurvePoint ScoredSizes::interval(std::size_t k, double value, double error) const {
  // A share of right answers that is 0 or 1 has no deviation, but is not known for sure.
  if (std::isfinite(metric_.least) && std::isfinite(metric_.most)) {
    const auto rows = static_cast<double>(held_.rows());
    const double share = (value - metric_.least) / (metric_.most - metric_.least);
    const double moved = (std::clamp(share, 0.0, 1.0) * rows + 1) / (rows + 2);
    error = std::fmax(error, std::sqrt(moved * (1 - moved) / rows) * (metric_.most - metric_.least));
  }
  return {.k = k,
          .score = std::clamp(value, metric_.least, metric_.most),
          .low = std::fmax(metric_.least, value - kNormal * error),
          .high = std::fmin(metric_.most, value + kNormal * error)};
}

CurvePoint ScoredSizes::point(std::size_t s, double optimism) const {
  const double sign = metric_.larger_is_better ? 1 : -1;
  CurvePoint out = interval(held_.sizes[s], sign * (scores_[s] - optimism), errors_[s]);
  out.random = held_.random[s].empty()
                   ? kNotMeasured
                   : mean_value(metric_, first_rows(held_.truth, held_.random_rows), held_.random[s]);
  return out;
}

Curve ScoredSizes::curve(std::size_t features) const {
  Curve curve;
  curve.metric = metric_.name;
  curve.rows = held_.rows();
  curve.base_rate = value_of(held_, metric_, held_.constant);
  curve.all = {.k = features, .score = kNotMeasured, .low = kNotMeasured, .high = kNotMeasured, .random = kNotMeasured};
  if (!held_.all.empty()) {
    curve.all = interval(features, value_of(held_, metric_, held_.all), all_error_);
    curve.all.random = curve.all.score;
  }
  for (std::size_t s = 0; s < held_.sizes.size(); ++s) curve.points.push_back(point(s));
  return curve;
}

double ScoredSizes::enough(std::span<const double> scores, const SizeRule& rule) const {
  const std::size_t best = best_of(scores);
  double slack = 0;
  if (rule.kind == SizeRule::Kind::one_se) slack = errors_[best];
  if (rule.kind == SizeRule::Kind::tolerance) slack = rule.tolerance;
  return scores[best] - slack;
}

std::size_t ScoredSizes::chosen(std::span<const double> scores, const SizeRule& rule) const {
  return first_of(scores, enough(scores, rule));
}

ChosenSize ScoredSizes::choose(const SizeRule& rule, std::size_t features) const {
  const std::size_t best = chosen(scores_, {SizeRule::Kind::best});
  const std::size_t point = chosen(scores_, rule);
  const double sign = metric_.larger_is_better ? 1 : -1;
  const bool share = metric_.least == 0 && metric_.most == 1;
  const auto shown = [&](double score) {
    return share ? cat(std::lround(1000 * score) / 10.0, "%") : cat(std::lround(1000 * score) / 1000.0);
  };
  const std::string the_best = cat(shown(sign * scores_[best]), " with ", held_.sizes[best]);
  std::string reason;
  if (point == best) {
    reason = cat("best of ", held_.sizes.size(), " sizes");
  } else if (rule.kind == SizeRule::Kind::one_se) {
    reason = cat("smallest size within one standard error of the best, ", the_best);
  } else {
    reason = cat("smallest size within ", rule.tolerance, " of the best, ", the_best);
  }
  // A score that still rises with the last size says that more features would be better.
  if (best + 1 == held_.sizes.size() && held_.sizes[best] < features && !held_.all.empty()) {
    const double all = value_of(held_, metric_, held_.all);
    if (sign * all > scores_[best]) {
      reason +=
          cat(point == best ? "; " : ", ", "the most that were tried; all ", features, " features reach ", shown(all));
    }
  }
  return {point, std::move(reason)};
}

void narrow_gap(Measurement& measurement, const Metric& metric, double enough) {
  const HeldOut& held = measurement.held();
  for (;;) {
    const std::size_t first = first_of(scores_of(held, metric, held.truth), enough);
    const std::size_t above = held.sizes[first];
    const std::size_t below = first > 0 ? held.sizes[first - 1] : 0;
    if (above - below <= std::max<std::size_t>(1, above / kNarrow)) return;
    measurement.add_size((below + above) / 2);
  }
}

double ScoredSizes::optimism(const SizeRule& rule) const {
  double sum = 0;
  double count = 0;
  for (const std::vector<double>& drawn : resamples_) {
    const std::size_t s = chosen(drawn, rule);
    const double gain = drawn[s] - scores_[s];
    if (!std::isfinite(gain)) continue;
    sum += gain;
    count += 1;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace obverse
