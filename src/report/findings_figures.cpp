#include "report/findings_figures.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/findings_words.h"
#include "support/shares.h"
#include "support/text.h"
#include "writers/csv.h"

namespace obverse {
namespace {

/// The ks of a set that have something on stability.
std::vector<std::size_t> stability_ks(const FindingsView& view, std::size_t set) {
  std::vector<std::size_t> ks;
  for (const StabilityFinding& one : view.findings().stability) {
    if (one.set == set) ks.push_back(one.k);
  }
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

std::vector<std::string> texts_of(const std::vector<std::size_t>& counts) {
  std::vector<std::string> out;
  out.reserve(counts.size());
  for (const std::size_t count : counts) out.push_back(with_commas(count));
  return out;
}

/// A line for each method that has a value of the kind at some k.
std::vector<LineSeries> stability_series(const FindingsView& view, std::size_t set, const std::vector<std::size_t>& ks,
                                         double StabilityFinding::*value) {
  std::vector<LineSeries> out;
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) {
    LineSeries series{.look = view.look(m), .values = std::vector<double>(ks.size(), kNoValue)};
    for (const StabilityFinding& one : view.findings().stability) {
      if (one.set != set || one.method != m) continue;
      const auto place = static_cast<std::size_t>(std::lower_bound(ks.begin(), ks.end(), one.k) - ks.begin());
      series.values[place] = one.*value;
    }
    if (std::any_of(series.values.begin(), series.values.end(), [](double v) { return std::isfinite(v); })) {
      out.push_back(std::move(series));
    }
  }
  return out;
}

/// The lines of one classifier on one set, or of the mean of all, and their numbers.
LineChart accuracy_chart(const FindingsView& view, std::size_t set, const std::string& classifier,
                         std::span<const std::size_t> methods, std::string& csv) {
  const Findings& f = view.findings();
  const ScoreFormat format = view.format();
  LineChart chart{
      .title = fmt::format("{}, {}", view.set(set).title, classifier.empty() ? "mean" : classifier_title(classifier)),
      .x_title = "features selected, " + size_title(f),
      .y_title = fmt::format("{}{}", view.measure(set), format.unit()),
      .places = size_texts(f)};
  csv = "method,rho,k,mean,deviation,runs\n";
  for (const std::size_t m : methods) {
    LineSeries series{.look = view.look(m), .values = {}};
    for (std::size_t size = 0; size < f.sizes.size(); ++size) {
      const MeanResult found = view.mean(set, m, {.size = size, .classifier = classifier});
      series.values.push_back(format.scale() * found.mean);
      series.deviations.push_back(format.scale() * found.deviation);
      series.tips.push_back(fmt::format("{}, {}: {}{}, {}", view.method(m).title, place_text(f, found.rho, found.k),
                                        format.spread(found.mean, found.deviation), format.sign(),
                                        count_text(found.runs, "run")));
      if (found.cells == 0) continue;
      csv += csv_line(view.method(m).name, found.rho, found.k, found.mean, found.deviation, found.runs);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// The largest difference that any comparison found, so that their colours mean the same; of shares at most ten points,
/// so that one cell does not bleach the others.
double widest_difference(const FindingsView& view) {
  double widest = view.format().percent() ? 0.001 : 1e-9;
  for (const ComparisonFinding& comparison : view.findings().comparisons) {
    for (const ComparedCell& cell : comparison.cells) widest = std::fmax(widest, std::fabs(cell.difference));
  }
  return view.format().percent() ? std::fmin(widest, 0.1) : widest;
}

HeatCell won_cell(const FindingsView& view, const ComparisonFinding& comparison, const ComparedCell& cell,
                  double widest) {
  const CellFinding& first = view.first_cell(cell);
  const CellFinding& second = view.second_cell(cell);
  const ScoreFormat format = view.format();
  const double gain = format.percent() ? cell.difference : -cell.difference;
  return {.shade = std::clamp(gain / widest, -1.0, 1.0),
          .text = format.change(cell.difference, 1) + (cell.sure_p < kSure ? "*" : ""),
          .tip = fmt::format("{}, {}, {}: {} {}, {} {}, difference {}, p {}", view.set(first.set).title,
                             classifier_title(first.classifier), place_text(view.findings(), first.rho, first.k),
                             view.method(comparison.first).title, format.spread(first.mean, first.deviation),
                             view.method(comparison.second).title, format.spread(second.mean, second.deviation),
                             format.change(cell.difference), p_text(cell.p))};
}

/// How the point of a method looks: as those of its kind, or as its lines where kinds are not known.
SeriesLook kind_look(const FindingsView& view, std::size_t method) {
  const std::string& kind = view.method(method).kind;
  if (kind.empty()) return view.look(method);
  const std::vector<SeriesLook> kinds = kind_looks(view);
  return *std::find_if(kinds.begin(), kinds.end(), [&](const SeriesLook& look) { return look.name == kind; });
}

}  // namespace

std::vector<SeriesLook> kind_looks(const FindingsView& view) {
  std::vector<SeriesLook> out;
  for (const MethodFinding& method : view.findings().methods) {
    const auto same = [&](const SeriesLook& look) { return look.name == method.kind; };
    if (method.kind.empty() || std::any_of(out.begin(), out.end(), same)) continue;
    out.push_back({fmt::format("kind-{}", out.size() + 1), method.kind, out.size()});
  }
  return out;
}

std::vector<PageFigure> accuracy_figures(const FindingsView& view, std::size_t set,
                                         const std::vector<std::string>& classifiers,
                                         std::span<const std::size_t> methods) {
  std::vector<PageFigure> out;
  std::vector<LineChart> charts;
  Range range;
  for (const std::string& classifier : classifiers) {
    const bool mean = classifier.empty();
    out.push_back({.name = fmt::format("accuracy-{}-{}", view.set_key(set), mean ? "mean" : classifier),
                   .caption = mean ? "Mean of the classifiers" : classifier_words(classifier),
                   .drawing = {},
                   .csv = {}});
    charts.push_back(accuracy_chart(view, set, classifier, methods, out.back().csv));
    const Range one = value_range(charts.back().series);
    range.add(one.low);
    range.add(one.high);
  }
  const double room = range.low < range.high ? 0.03 * (range.high - range.low) : 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (range.low <= range.high) {
      charts[i].low = range.low < 0 ? range.low - room : std::fmax(0, range.low - room);
      charts[i].high = range.high + room;
    }
    out[i].drawing = line_chart(charts[i]);
  }
  return out;
}

PageFigure wins_figure(const FindingsView& view, std::size_t index) {
  const Findings& f = view.findings();
  const ComparisonFinding& comparison = f.comparisons[index];
  HeatGrid grid{.title = fmt::format("{}: {} of {} won", comparison_title(view, comparison), comparison.won,
                                     comparison.cells.size()),
                .x_title = size_title(f),
                .columns = size_texts(f)};
  const double widest = widest_difference(view);
  std::string csv = "set,classifier,rho,k,first_mean,second_mean,difference,p\n";
  for (const std::size_t s : view.sets_at_hand()) {
    for (std::size_t c = 0; c < f.classifiers.size(); ++c) {
      HeatRow row{.label = classifier_title(f.classifiers[c]),
                  .cells = std::vector<HeatCell>(f.sizes.size()),
                  .group = c == 0 ? view.set(s).title : std::string()};
      for (const ComparedCell& cell : comparison.cells) {
        const CellFinding& first = view.first_cell(cell);
        if (first.set != s || first.classifier != f.classifiers[c]) continue;
        row.cells[first.size] = won_cell(view, comparison, cell, widest);
        csv += csv_line(view.set(s).name, first.classifier, first.rho, first.k, first.mean, view.second_cell(cell).mean,
                        cell.difference, cell.p);
      }
      grid.rows.push_back(std::move(row));
    }
  }
  return {.name = fmt::format("wins-{}-{}", view.method_key(comparison.first), view.method_key(comparison.second)),
          .caption = fmt::format("{}; * sure: corrected p < {:g}.",
                                 view.format().percent() ? "In points" : "Differences, less is better", kSure),
          .drawing = heat_grid(grid),
          .csv = std::move(csv)};
}

PageFigure gamma_figure(const FindingsView& view, const GammaFinding& gamma) {
  const std::string title = fmt::format("{}, {}", view.set(gamma.set).title, view.method(gamma.method).title);
  HeatGrid grid{.title = title, .x_title = "γ \\ k", .columns = texts_of(gamma.ks)};
  std::string csv = "gamma,k,merit,chosen\n";
  std::vector<Range> ranges(gamma.ks.size());
  std::vector<std::size_t> most(gamma.ks.size());  // seeds that chose the same gamma
  for (std::size_t g = 0; g < gamma.gammas.size(); ++g) {
    for (std::size_t c = 0; c < gamma.ks.size(); ++c) {
      ranges[c].add(gamma.merit[g][c]);
      most[c] = std::max(most[c], gamma.chosen[g][c]);
    }
  }
  for (std::size_t g = 0; g < gamma.gammas.size(); ++g) {
    HeatRow row{.label = fmt::format("{:g}", gamma.gammas[g]), .cells = {}};
    for (std::size_t c = 0; c < gamma.ks.size(); ++c) {
      const double merit = gamma.merit[g][c];
      const Range& range = ranges[c];
      const double share = range.high > range.low ? (merit - range.low) / (range.high - range.low) : 0.5;
      row.cells.push_back(
          {.shade = std::isfinite(merit) ? std::fmax(share, 1e-3) : kNoValue,
           .text = points(merit, 1),
           .tip = fmt::format("{}, γ = {:g}, k = {}: {} %, chosen by {}", title, gamma.gammas[g],
                              with_commas(gamma.ks[c]), points(merit), count_text(gamma.chosen[g][c], "seed")),
           .marked = gamma.chosen[g][c] > 0 && gamma.chosen[g][c] == most[c]});
      csv += csv_line(gamma.gammas[g], gamma.ks[c], merit, gamma.chosen[g][c]);
    }
    grid.rows.push_back(std::move(row));
  }
  return {.name = fmt::format("gamma-{}-{}", view.set_key(gamma.set), view.method_key(gamma.method)),
          .caption = "In %; framed: chosen by the most seeds.",
          .drawing = heat_grid(grid),
          .csv = std::move(csv)};
}

PageFigure stability_figure(const FindingsView& view, std::size_t set, StabilityIndex kind) {
  const bool jaccard = kind == StabilityIndex::jaccard;
  const std::vector<std::size_t> ks = stability_ks(view, set);
  const std::string title = jaccard ? "Jaccard index" : "Nogueira's stability";
  LineChart chart{
      .title = view.set(set).title,
      .x_title = "features selected, k",
      .y_title = title,
      .places = texts_of(ks),
      .series = stability_series(view, set, ks, jaccard ? &StabilityFinding::jaccard : &StabilityFinding::stability),
      .low = 0,
      .high = 1.02};
  // Nogueira's index lies below 0 where seeds agree less than chance.
  if (const Range range = value_range(chart.series); range.low < 0) chart.low = range.low - 0.02;
  std::string csv = "method,k,value\n";
  for (const LineSeries& series : chart.series) {
    for (std::size_t i = 0; i < ks.size(); ++i) {
      csv += csv_line(view.method(series.look.place).name, ks[i], series.values[i]);
    }
  }
  return {.name = fmt::format("stability-{}-{}", view.set_key(set), jaccard ? "jaccard" : "nogueira"),
          .caption = title + " between the seeds.",
          .drawing = line_chart(chart),
          .csv = std::move(csv)};
}

PageFigure time_figure(const FindingsView& view, std::size_t set, std::size_t marked) {
  const ScoreFormat format = view.format();
  ScatterChart chart{.title = view.set(set).title,
                     .x_title = "seconds to select",
                     .y_title = mean_name(view.metric(set)) + std::string(format.unit()),
                     .width = 480,
                     .height = 360};
  std::string csv = "method,models,selecting_seconds,classifying_seconds,memory_bytes,mean\n";
  for (const CostFinding& cost : view.findings().costs) {
    if (cost.set != set) continue;
    const MeanResult mean = view.mean(set, cost.method);
    chart.points.push_back(
        {.look = kind_look(view, cost.method),
         .label = view.method(cost.method).title,
         .x = std::fmax(cost.training_seconds, 1e-4),
         .y = format.scale() * mean.mean,
         .tip = fmt::format("{}: {}{} in {}", view.method(cost.method).title, format.spread(mean.mean, mean.deviation),
                            format.sign(), duration_text(cost.training_seconds)),
         .marked = cost.method == marked});
    csv += csv_line(view.method(cost.method).name, cost.models, cost.training_seconds, cost.evaluation_seconds,
                    cost.memory_bytes, mean.mean);
  }
  // A marked point comes first, so that its label has room.
  std::stable_partition(chart.points.begin(), chart.points.end(), [](const ScatterPoint& p) { return p.marked; });
  return {.name = "time-" + view.set_key(set),
          .caption = fmt::format("{} and to the left is better.", format.percent() ? "High" : "Low"),
          .drawing = scatter_chart(chart),
          .csv = std::move(csv)};
}

}  // namespace obverse
