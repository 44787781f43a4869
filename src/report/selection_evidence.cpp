#include "report/selection_evidence.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

#include "downstream/classifiers.h"
#include "page/html.h"
#include "report/selection.h"
#include "report/shown_score.h"
#include "support/text.h"
#include "writers/writers.h"

namespace obverse {
namespace {

/// The score of a size, for the selected one that of the verdict, which leaves out what choosing the size added.
CurvePoint shown_point(const SelectionView& view, CurvePoint point) {
  if (point.k != view.k) return point;
  const Verdict& verdict = view.evidence->verdict;
  point.score = verdict.score;
  point.low = verdict.low;
  point.high = verdict.high;
  return point;
}

std::string details_text(const EvidenceView& evidence, const CurvePoint& point) {
  const Metric& metric = *evidence.metric;
  const std::string interval = shown_interval(metric, point.low, point.high);
  return cat(interval, interval.empty() ? "" : "; ", "without features ",
             shown_score(metric, evidence.curve.base_rate));
}

/// Where the selected size is on the curve.
std::size_t selected_place(const SelectionView& view) {
  const std::vector<CurvePoint>& points = view.evidence->curve.points;
  const auto found = std::find_if(points.begin(), points.end(), [&](const auto& point) { return point.k == view.k; });
  return found == points.end() ? kNoPlace : static_cast<std::size_t>(found - points.begin());
}

bool measures_all(const SelectionView& view) {
  return view.evidence->curve.points.back().k == view.evidence->curve.all.k;
}

std::string p_text(double p) { return fmt::format("p = {:.2g}", p); }

std::string size_reason(const EvidenceView& evidence) {
  return evidence.size_reason.empty() ? "the number you asked for" : evidence.size_reason;
}

std::string stability_fact(const SelectionView& view) {
  const Stability& stability = *view.evidence->stability;
  std::string_view words = agreement_words(stability.value);
  // Without a signal there is nothing that other features would serve "about as well".
  if (!view.evidence->verdict.signal) words = words.substr(0, words.find(':'));
  const bool known = stability.low < stability.high;  // one pair of halves has no interval
  return fact("Stability", fmt::format("{:.2f}", stability.value),
              fmt::format("{}1 is identical, 0 is chance. Selections of {} from disjoint halves of the rows {}.",
                          known ? fmt::format("95 % interval {:.2f} to {:.2f}; ", stability.low, stability.high) : "",
                          count_text(view.k, "feature"), words));
}

/// On which rows, in a sentence.
std::string rows_text(const EvidenceView& evidence) {
  const Curve& curve = evidence.curve;
  const std::string fitted = fmt::format("{} of {} trained on the selected features",
                                         capitalised(evidence.metric->title), classifier_named(curve.classifier).words);
  if (curve.folds == 1) {
    return fmt::format("{}, measured on {} that took no part in selecting them.", fitted,
                       count_text(curve.rows, "held-out row"));
  }
  return fmt::format("{}, measured on {} in {} folds: the features are selected again for each fold, without its rows.",
                     fitted, count_text(curve.rows, "held-out row"), curve.folds);
}

/// Why this size, and why the lead has another score for it than the curve.
std::string size_text(const SelectionView& view) {
  const EvidenceView& evidence = *view.evidence;
  const Metric& metric = *evidence.metric;
  std::string out = fmt::format("{} {} selected: {}.", count_text(view.k, "feature"), view.k == 1 ? "is" : "are",
                                size_reason(evidence));
  const std::size_t place = selected_place(view);
  if (place == kNoPlace) return out;
  const std::string on_curve = shown_score(metric, evidence.curve.points[place].score);
  const std::string in_lead = shown_score(metric, evidence.verdict.score);
  if (on_curve == in_lead) return out;
  return out + fmt::format(
                   " The {} at the top of the page is corrected for choosing the size on the same rows; the "
                   "{} of the curve is not.",
                   in_lead, on_curve);
}

/// The legend and the figure.
std::string curve_html(const SelectionView& view) {
  const EvidenceView& evidence = *view.evidence;
  const Metric& metric = *evidence.metric;
  const Curve& curve = evidence.curve;
  const double scale = is_share(metric) ? 100 : 1;
  LineSeries selected{.look = {"selected", "Selected features", 0}, .values = {}};
  LineSeries random{.look = {"random", "Random features", 7}, .values = {}, .quiet = true};
  LineChart chart{.title = fmt::format("Held-out {} by number of features", metric.title),
                  .x_title = "number of features",
                  .y_title = cat(metric.title, is_share(metric) ? " in %" : ""),
                  .levels = {{cat("no features ", shown_score(metric, curve.base_rate)), scale * curve.base_rate}},
                  .marked = selected_place(view),
                  .width = 400,
                  .height = 270};
  if (std::isfinite(curve.all.score)) {
    const std::string label = cat("all features ", shown_score(metric, curve.all.score));
    chart.levels.insert(chart.levels.begin(), {label, scale * curve.all.score});
  }
  for (const CurvePoint& point : curve.points) {
    chart.places.push_back(with_commas(point.k));
    const std::string interval = shown_interval(metric, point.low, point.high);
    selected.values.push_back(scale * point.score);
    selected.bands.push_back({scale * point.low, scale * point.high});
    selected.tips.push_back(fmt::format("{}: {}{}{}", count_text(point.k, "feature"), shown_score(metric, point.score),
                                        interval.empty() ? "" : ", ", interval));
    random.values.push_back(scale * point.random);
    random.tips.push_back(
        fmt::format("{}: {}", count_text(point.k, "random feature"), shown_score(metric, point.random)));
  }
  const std::string legend = legend_html({selected.look, random.look});
  chart.series = {std::move(selected), std::move(random)};
  return legend + figure_html({.name = "curve",
                               .caption = "The band is the 95 % interval, the ring the selected number",
                               .drawing = line_chart(chart),
                               .csv = curve_csv(&evidence, view.k)});
}

}  // namespace

std::string no_signal_notice(const EvidenceView& evidence) {
  if (evidence.verdict.signal) return {};
  return fmt::format(
      "<p class=\"notice\"><strong>No signal:</strong> held-out rows are predicted no better than chance ({}). The "
      "ranking below is an order of noise.</p>\n",
      escaped(p_text(evidence.verdict.p_value)));
}

std::string evidence_facts(const SelectionView& view) {
  const EvidenceView& evidence = *view.evidence;
  const CurvePoint point = shown_point(view, {.k = view.k});
  std::string out =
      fmt::format("<div><dt>{}</dt><dd data-follow=\"score\">{}</dd><dd data-follow=\"details\">{}</dd></div>\n",
                  escaped(capitalised(cat("held-out ", evidence.metric->title))),
                  escaped(shown_score(*evidence.metric, point.score)), escaped(details_text(evidence, point)));
  out += fact("Features selected", fmt::format("{} of {}", with_commas(view.k), with_commas(view.names.size())),
              size_reason(evidence));
  if (evidence.stability) out += stability_fact(view);
  return out;
}

std::vector<MeasuredSize> measured_sizes(const SelectionView& view) {
  const EvidenceView& evidence = *view.evidence;
  const Metric& metric = *evidence.metric;
  std::vector<CurvePoint> points = evidence.curve.points;
  if (!measures_all(view)) {
    points.push_back(evidence.curve.all);
    points.back().random = kNoValue;  // the same features
  }
  std::vector<MeasuredSize> out;
  for (const CurvePoint& measured : points) {
    const CurvePoint point = shown_point(view, measured);
    const std::string interval = shown_interval(metric, point.low, point.high);
    out.push_back({.k = point.k,
                   .score = shown_score(metric, point.score),
                   .details = details_text(evidence, point),
                   .line = fmt::format("{} {} on held-out rows{}; {}without features {}", metric.title,
                                       shown_score(metric, point.score), interval.empty() ? "" : ", " + interval,
                                       std::isfinite(point.random)
                                           ? fmt::format("with random features {}, ", shown_score(metric, point.random))
                                           : "",
                                       shown_score(metric, evidence.curve.base_rate))});
  }
  return out;
}

std::vector<Block> curve_blocks(const SelectionView& view) {
  if (!view.evidence) return {};
  const Verdict& verdict = view.evidence->verdict;
  const std::string test = fmt::format("Held-out rows are predicted {} chance (permutation test over all sizes, {}).",
                                       verdict.signal ? "better than" : "no better than", p_text(verdict.p_value));
  return {Markup{fmt::format("<div class=\"beside\">\n<div>{}</div>\n<div>{}{}{}</div>\n</div>\n", curve_html(view),
                             paragraph(rows_text(*view.evidence)), paragraph(size_text(view)), paragraph(test))}};
}

}  // namespace obverse
