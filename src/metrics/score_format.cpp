#include "metrics/score_format.h"

#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

#include "support/shares.h"

namespace obverse {
namespace {

/// Decimals for four digits or so, whatever the scale of the loss.
int decimals(double value) {
  const double size = std::fabs(value);
  return size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
}

/// 0.512, 12.35, 12346, and 0.00012 where nothing would be left of it.
std::string plain(double value, int digits) {
  const double size = std::fabs(value);
  return size > 0 && size < 0.001 ? fmt::format("{:.2g}", value) : fmt::format("{:.{}f}", value, digits);
}

}  // namespace

std::string ScoreFormat::number(double value, int digits) const {
  if (percent_) return points(value, digits);
  return std::isfinite(value) ? plain(value, decimals(value)) : "–";
}

std::string ScoreFormat::change(double difference, int digits) const {
  if (percent_) return signed_points(difference, digits);
  return cat(difference >= 0 ? "+" : "", number(difference));
}

std::string ScoreFormat::spread(double mean, double deviation, int digits) const {
  return number(mean, digits) + plus_minus(mean, deviation, digits);
}

std::string ScoreFormat::plus_minus(double mean, double deviation, int digits) const {
  if (!(deviation > 0)) return {};
  return " ± " + (percent_ ? points(deviation, digits) : plain(deviation, decimals(mean)));
}

std::string ScoreFormat::score(double value) const { return percent_ ? score_text(value) : number(value); }

std::string ScoreFormat::distance(double difference) const {
  return percent_ ? points_text(difference) : number(std::fabs(difference));
}

std::string mean_name(const Metric& metric) {
  const std::string name(measure_name(metric));
  return name.starts_with("mean ") ? name : "mean " + name;
}

}  // namespace obverse
