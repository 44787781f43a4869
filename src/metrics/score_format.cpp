#include "metrics/score_format.h"

#include <cmath>

#include <fmt/format.h>

#include "support/shares.h"

namespace obverse {
namespace {

/// Four digits or so, whatever the scale of the loss: 0.512, 12.35, 12345.
std::string plain(double value) {
  const double size = std::fabs(value);
  if (size > 0 && size < 0.001) return fmt::format("{:.2g}", value);
  const int digits = size >= 1000 ? 0 : size >= 100 ? 1 : size >= 10 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

}  // namespace

std::string ScoreFormat::number(double value, int digits) const {
  if (percent_) return points(value, digits);
  return std::isfinite(value) ? plain(value) : "–";
}

std::string ScoreFormat::change(double difference, int digits) const {
  if (percent_) return signed_points(difference, digits);
  return (difference >= 0 ? "+" : "") + number(difference);
}

std::string ScoreFormat::spread(double mean, double deviation, int digits) const {
  const std::string shown = number(mean, digits);
  return deviation > 0 ? fmt::format("{} ± {}", shown, number(deviation, digits)) : shown;
}

std::string ScoreFormat::score(double value) const { return percent_ ? score_text(value) : number(value); }

std::string ScoreFormat::distance(double difference) const {
  return percent_ ? points_text(difference) : number(std::fabs(difference));
}

}  // namespace obverse
