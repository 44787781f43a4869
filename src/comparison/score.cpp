#include "comparison/score.h"

#include <cmath>

#include <fmt/format.h>

namespace obverse {

std::string score_number(double score) { return std::isfinite(score) ? fmt::format("{:.1f}", 100 * score) : "-"; }

std::string score_text(double score) { return score_number(score) + "%"; }

std::string points_text(double difference) {
  const std::string number = fmt::format("{:.1f}", std::fabs(100 * difference));
  return number + (number == "1.0" ? " point" : " points");
}

std::string signed_points(double difference) {
  return std::isfinite(difference) ? fmt::format("{:+.1f}", 100 * difference) : "-";
}

std::string score_title(const std::string& metric) { return metric + " in %"; }

}  // namespace obverse
