#include "support/shares.h"

#include <cmath>

#include <fmt/format.h>

namespace obverse {

std::string points(double share, int digits) {
  return std::isfinite(share) ? fmt::format("{:.{}f}", 100 * share, digits) : "–";
}

std::string signed_points(double difference, int digits) {
  return std::isfinite(difference) ? fmt::format("{:+.{}f}", 100 * difference, digits) : "–";
}

std::string spread_text(double mean, double deviation, int digits) {
  return deviation > 0 ? fmt::format("{} ± {}", points(mean, digits), points(deviation, digits)) : points(mean, digits);
}

std::string score_text(double share) { return points(share, 1) + "%"; }

std::string points_text(double difference) {
  const std::string number = points(std::fabs(difference), 1);
  return number + (number == "1.0" ? " point" : " points");
}

}  // namespace obverse
