// What parts of the rows say of a selection, as text for a terminal.
#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include <obverse/error.h>

#include "downstream/classifiers.h"
#include "metrics/metrics.h"
#include "report/evidence.h"
#include "report/selection.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kBarWidth = 24;

const Metric& metric_of(const Curve& curve) {
  const auto all = metrics();
  return *std::find_if(all.begin(), all.end(), [&](const Metric& metric) { return metric.name == curve.metric; });
}

bool is_share(const Metric& metric) { return metric.least == 0 && metric.most == 1; }

std::string interval_text(const Metric& metric, double low, double high) {
  return std::isnan(low) ? "-" : cat(score_text(metric, low), " to ", score_text(metric, high));
}

}  // namespace

std::string score_text(const Metric& metric, double score) {
  if (std::isnan(score)) return "-";
  return is_share(metric) ? fmt::format("{:.1f}%", 100 * score) : fmt::format("{:.3g}", score);
}

std::string curve_table(const Selection& selection, const TextStyle& style) {
  const Curve& curve = selection.evidence->curve;
  const Metric& metric = metric_of(curve);
  double least = curve.base_rate;
  double most = std::isnan(curve.all.score) ? curve.base_rate : curve.all.score;
  for (const CurvePoint& point : curve.points) {
    least = std::min(least, point.score);
    most = std::max(most, point.score);
  }
  const std::string title(metric.title);
  const std::size_t width = std::max<std::size_t>(title.size(), 8);
  std::string out = fmt::format("{:>8}  {:>{}}  {:^16}  {:>8}\n", "features", title, width, "95% interval", "random");
  const auto add = [&](const std::string& size, const CurvePoint& point, std::string_view mark) {
    std::string line = fmt::format("{:>8}  {:>{}}  {:^16}  {:>8}", size, score_text(metric, point.score), width,
                                   interval_text(metric, point.low, point.high), score_text(metric, point.random));
    if (metric.larger_is_better && most > least && !std::isnan(point.score)) {
      line += "  " + bar((point.score - least) / (most - least), kBarWidth, style.unicode);
    }
    line += mark;
    out += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  };
  for (const CurvePoint& point : curve.points) {
    add(with_commas(point.k), point, point.k == selection.k ? "  selected" : "");
  }
  if (curve.points.back().k < curve.all.k) add("all", curve.all, "");
  fmt::format_to(std::back_inserter(out), "{:>8}  {:>{}}\n", "none", score_text(metric, curve.base_rate), width);
  return out;
}

std::string verdict_text(const Verdict& verdict) {
  if (verdict.signal) {
    return fmt::format("Held-out rows are predicted better than chance (permutation test over all sizes, p = {:.2g}).",
                       verdict.p_value);
  }
  return fmt::format(
      "No signal: held-out rows are predicted no better than chance (p = {:.2g}), and the ranking is an order of "
      "noise.",
      verdict.p_value);
}

std::string score_sentence(const Selection& selection) {
  const Evidence& evidence = *selection.evidence;
  const Metric& metric = metric_of(evidence.curve);
  return fmt::format("With {}, {} reach {} {} on held-out rows (95% interval {}); without features {}.",
                     count_text(selection.k, "feature"), classifier_named(evidence.curve.classifier).words,
                     metric.title, score_text(metric, evidence.verdict.score),
                     interval_text(metric, evidence.verdict.low, evidence.verdict.high),
                     score_text(metric, evidence.verdict.base_rate));
}

std::string stability_text(const Stability& stability) {
  return fmt::format(
      "Selections from disjoint halves of the rows {} (stability {:.2f}, 95% interval {:.2f} to {:.2f}: 1 is "
      "identical, 0 is chance).",
      agreement_words(stability.value), stability.value, stability.low, stability.high);
}

}  // namespace obverse
