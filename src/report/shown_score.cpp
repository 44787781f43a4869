#include "report/shown_score.h"

#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

namespace obverse {
namespace {

/// Without its unit.
std::string number_text(const Metric& metric, double score) {
  if (!std::isfinite(score)) return "-";
  if (is_share(metric)) return fmt::format("{:.1f}", 100 * score);
  // R2 lies at and below 1; losses have the scale of the target.
  return std::isfinite(metric.most) && std::fabs(score) < 1000 ? fmt::format("{:.2f}", score)
                                                               : fmt::format("{:.3g}", score);
}

std::string_view unit(const Metric& metric) { return is_share(metric) ? " %" : ""; }

}  // namespace

bool is_share(const Metric& metric) { return metric.least == 0 && metric.most == 1; }

std::string shown_score(const Metric& metric, double score) {
  return std::isfinite(score) ? cat(number_text(metric, score), unit(metric)) : "-";
}

std::string shown_interval(const Metric& metric, double low, double high) {
  if (!std::isfinite(low) || !std::isfinite(high)) return {};
  return fmt::format("95 % interval {} to {}{}", number_text(metric, low), number_text(metric, high), unit(metric));
}

}  // namespace obverse
