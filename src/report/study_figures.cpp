#include "report/study_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <span>

#include <fmt/format.h>

#include "downstream/classifiers.h"
#include "options/value.h"
#include "report/report.h"
#include "report/text.h"
#include "support/text.h"

namespace obverse {
namespace {

std::string number(double value) { return std::isfinite(value) ? fmt::format("{:.4g}", value) : std::string(); }

/// From 0 for the least score to 1 for the largest; infinite scores are the largest.
std::vector<double> normalised(const std::vector<float>& scores) {
  Range range;
  for (const float score : scores) range.add(score);
  std::vector<double> out;
  for (const float score : scores) {
    const double share = range.high > range.low ? (score - range.low) / (range.high - range.low) : 0.5;
    out.push_back(std::isnan(score) ? kNoValue : std::clamp(share, 0.0, 1.0));
  }
  return out;
}

/// 1 for the first k of an order of D features, 0 for the others.
std::vector<double> selected(std::span<const std::size_t> order, std::size_t k, std::size_t features) {
  std::vector<double> out(features, 0);
  for (const std::size_t feature : order.first(std::min(k, order.size()))) out[feature] = 1;
  return out;
}

/// softmax(sign * z), in double and against overflow.
std::vector<double> softmax(const std::vector<float>& z, double sign) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const float score : z) largest = std::max(largest, sign * score);
  std::vector<double> out;
  double sum = 0;
  for (const float score : z) {
    out.push_back(std::exp(sign * score - largest));
    sum += out.back();
  }
  for (double& value : out) value /= sum;
  return out;
}

/// Mask and complements of scores, each times the number of features, so that 1 is an even share; in the order of the
/// mask, the largest first.
struct Designs {
  std::vector<double> mask;
  std::vector<double> opposite;   ///< softmax(-z)
  std::vector<double> remainder;  ///< (1-m)/N
};

Designs designs_of(const std::vector<float>& scores) {
  const auto features = static_cast<double>(scores.size());
  const std::vector<double> mask = softmax(scores, 1);
  const std::vector<double> opposite = softmax(scores, -1);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  Designs out;
  for (const std::size_t feature : order) {
    out.mask.push_back(features * mask[feature]);
    out.opposite.push_back(features * opposite[feature]);
    out.remainder.push_back(1 - mask[feature]);
  }
  return out;
}

/// Ranks whose values a CSV holds: all of few, evenly spaced ones of many.
std::vector<std::size_t> sampled_ranks(std::size_t features) {
  constexpr std::size_t kMost = 200;
  std::vector<std::size_t> ranks;
  const std::size_t count = std::min(features, kMost);
  for (std::size_t i = 0; i < count; ++i) ranks.push_back(count < 2 ? 0 : i * (features - 1) / (count - 1));
  return ranks;
}

/// The ks of a set that have something on stability.
std::vector<std::size_t> stability_ks(const StudyView& view, std::size_t set) {
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
std::vector<LineSeries> stability_series(const StudyView& view, std::size_t set, const std::vector<std::size_t>& ks,
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

std::string classifier_words(std::string_view classifier) { return capitalised(classifier_named(classifier).words); }

/// The lines of one classifier on one set, and their numbers.
LineChart accuracy_chart(const StudyView& view, std::size_t set, const std::string& classifier, std::string& csv) {
  const Findings& f = view.findings();
  LineChart chart{.title = fmt::format("{}, {}", view.set(set).title, classifier_title(classifier)),
                  .x_title = "features selected, " + size_title(f),
                  .y_title = "accuracy in %"};
  for (std::size_t i = 0; i < f.sizes.size(); ++i) chart.places.push_back(size_text(f, i));
  csv = "method,rho,k,mean,deviation,seeds\n";
  for (std::size_t m = 0; m < f.methods.size(); ++m) {
    LineSeries series{.look = view.look(m), .values = {}};
    for (std::size_t r = 0; r < f.sizes.size(); ++r) {
      const CellFinding* const cell = view.cell(set, m, r, classifier);
      series.values.push_back(cell == nullptr ? kNoValue : 100 * cell->mean);
      series.deviations.push_back(cell == nullptr ? 0 : 100 * cell->deviation);
      series.tips.emplace_back();
      if (cell == nullptr) continue;
      series.tips.back() = fmt::format("{}, ρ = {} % (k = {}): {} ± {} %, {}", view.method(m).title,
                                       rho_text(cell->rho), with_commas(cell->k), points(cell->mean),
                                       points(cell->deviation), count_text(cell->accuracy.size(), "seed"));
      csv += fmt::format("{},{},{},{:.6g},{:.6g},{}\n", csv_field(view.method(m).name), number(cell->rho), cell->k,
                         cell->mean, cell->deviation, cell->accuracy.size());
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

/// The largest difference that any comparison found, so that their colours mean the same; at most ten points, so that
/// one cell does not bleach the others.
double widest_difference(const Findings& findings) {
  double widest = 0.001;
  for (const ComparisonFinding& comparison : findings.comparisons) {
    for (const ComparedCell& cell : comparison.cells) widest = std::fmax(widest, std::fabs(cell.difference));
  }
  return std::fmin(widest, 0.1);
}

HeatCell won_cell(const StudyView& view, const ComparisonFinding& comparison, const ComparedCell& cell, double widest) {
  const CellFinding& first = view.first_cell(cell);
  const CellFinding& second = view.second_cell(cell);
  return {
      .shade = std::clamp(cell.difference / widest, -1.0, 1.0),
      .text = fmt::format("{:+.1f}{}", 100 * cell.difference, cell.sure_p < kSure ? "*" : ""),
      .tip = fmt::format("{}, {}, ρ = {} %: {} {} ± {}, {} {} ± {}, difference {}, p {}", view.set(first.set).title,
                         classifier_title(first.classifier), rho_text(first.rho), view.method(comparison.first).title,
                         points(first.mean), points(first.deviation), view.method(comparison.second).title,
                         points(second.mean), points(second.deviation), points(cell.difference, true), p_text(cell.p))};
}

}  // namespace

bool has_accuracy(const StudyView& view, std::size_t set) {
  const auto& cells = view.findings().cells;
  return std::any_of(cells.begin(), cells.end(), [set](const CellFinding& cell) { return cell.set == set; });
}

bool has_stability(const StudyView& view, std::size_t set) { return !stability_ks(view, set).empty(); }

bool has_costs(const StudyView& view, std::size_t set) {
  const auto& costs = view.findings().costs;
  return std::any_of(costs.begin(), costs.end(), [set](const CostFinding& cost) { return cost.set == set; });
}

std::vector<const MaskFinding*> masks_of(const StudyView& view, std::size_t set) {
  std::vector<const MaskFinding*> out;
  for (const MaskFinding& mask : view.findings().masks) {
    if (mask.set == set) out.push_back(&mask);
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const MaskFinding* a, const MaskFinding* b) { return a->method < b->method; });
  return out;
}

bool has_design(const MaskFinding& mask) {
  return mask.mask && !mask.complement.empty() && mask.initial_scores.size() == mask.scores.size();
}

std::vector<StudyFigure> accuracy_figures(const StudyView& view, std::size_t set) {
  std::vector<StudyFigure> out;
  std::vector<LineChart> charts;
  Range range;
  for (const std::string& classifier : view.findings().classifiers) {
    out.push_back({.name = fmt::format("accuracy-{}-{}", view.set_key(set), classifier),
                   .caption = {},
                   .drawing = {},
                   .csv = {}});
    charts.push_back(accuracy_chart(view, set, classifier, out.back().csv));
    const Range one = value_range(charts.back().series);
    range.add(one.low);
    range.add(one.high);
  }
  const double room = range.low < range.high ? 0.03 * (range.high - range.low) : 1;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (range.low <= range.high) {
      charts[i].low = std::fmax(0, range.low - room);
      charts[i].high = range.high + room;
    }
    out[i].caption = classifier_words(view.findings().classifiers[i]);
    out[i].drawing = line_chart(charts[i]);
  }
  return out;
}

StudyFigure wins_figure(const StudyView& view, std::size_t index) {
  const Findings& f = view.findings();
  const ComparisonFinding& comparison = f.comparisons[index];
  HeatGrid grid{.title = fmt::format("{}: {} of {} won", comparison_title(view, comparison), comparison.won,
                                     comparison.cells.size()),
                .x_title = size_title(f)};
  for (std::size_t i = 0; i < f.sizes.size(); ++i) grid.columns.push_back(size_text(f, i));
  const double widest = widest_difference(f);
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
        csv +=
            fmt::format("{},{},{},{},{:.6g},{:.6g},{:.6g},{:.6g}\n", csv_field(view.set(s).name), first.classifier,
                        number(first.rho), first.k, first.mean, view.second_cell(cell).mean, cell.difference, cell.p);
      }
      grid.rows.push_back(std::move(row));
    }
  }
  return {.name = fmt::format("wins-{}-{}", view.method_key(comparison.first), view.method_key(comparison.second)),
          .caption = fmt::format("In points; * sure: corrected p < {:g}.", kSure),
          .drawing = heat_grid(grid),
          .csv = std::move(csv)};
}

StudyFigure means_figure(const StudyView& view, std::size_t set) {
  BarChart chart{.title = view.set(set).title, .x_title = "mean accuracy in %"};
  std::string csv = "method,mean,deviation,cells\n";
  Range range;
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) {
    const MeanAccuracy mean = view.mean_accuracy(set, m);
    chart.bars.push_back(
        {.look = view.look(m),
         .value = 100 * mean.mean,
         .deviation = 100 * mean.deviation,
         .text = points(mean.mean),
         .tip = fmt::format("{} on {}: {} ± {} % over {}", view.method(m).title, view.set(set).title, points(mean.mean),
                            points(mean.deviation), count_text(mean.cells, "cell"))});
    range.add(100 * (mean.mean - mean.deviation));
    csv += fmt::format("{},{},{},{}\n", csv_field(view.method(m).name), number(mean.mean), number(mean.deviation),
                       mean.cells);
  }
  // Bars of nearly equal lengths say nothing: they begin at a round number well below the least.
  if (range.low <= range.high) chart.low = std::fmax(0, 10 * std::floor((range.low - 5) / 10));
  return {.name = "mean-accuracy-" + view.set_key(set),
          .caption = fmt::format("The axis begins at {:g} %.", chart.low),
          .drawing = bar_chart(chart),
          .csv = std::move(csv)};
}

StudyFigure masks_figure(const StudyView& view, std::size_t set) {
  const SetFinding& found = view.set(set);
  const ImageShape shape = found.image_shape.value_or(ImageShape{});
  const std::size_t k = view.shown_k(set);
  std::vector<Drawing> parts;
  std::string csv = "method,row,column,score,rank\n";
  for (const MaskFinding* const mask : masks_of(view, set)) {
    const std::string& title = view.method(mask->method).title;
    parts.push_back(pixel_picture({.caption = title,
                                   .height = shape.height,
                                   .width = shape.width,
                                   .values = normalised(mask->scores),
                                   .palette = Palette::blue_to_red}));
    parts.push_back(pixel_picture({.caption = fmt::format("the best {}", k),
                                   .height = shape.height,
                                   .width = shape.width,
                                   .values = selected(mask->order, k, found.features),
                                   .palette = Palette::chosen}));
    for (std::size_t rank = 0; rank < std::min(k, mask->order.size()); ++rank) {
      const std::size_t pixel = mask->order[rank];
      csv += fmt::format("{},{},{},{},{}\n", csv_field(view.method(mask->method).name), pixel / shape.width,
                         pixel % shape.width, number(mask->scores[pixel]), rank + 1);
    }
  }
  return {.name = "masks-" + view.set_key(set),
          .caption = fmt::format("{}: the scores of one model of each method, from blue (least) to red (largest), and "
                                 "the {} pixels it selects.",
                                 found.title, k),
          .drawing = arranged(fmt::format("Masks on {}", found.title), parts, 6),
          .csv = std::move(csv)};
}

StudyFigure examples_figure(const StudyView& view, const MaskFinding& mask) {
  const SetFinding& set = view.set(mask.set);
  const ImageShape shape = set.image_shape.value_or(ImageShape{});
  const std::size_t k = view.shown_k(mask.set);
  const std::vector<double> kept = selected(mask.order, k, set.features);
  const std::size_t columns = std::min<std::size_t>(10, std::max<std::size_t>(1, set.examples.size()));
  std::vector<Drawing> parts;
  std::string csv = "class,row,column,value\n";
  for (std::size_t from = 0; from < set.examples.size(); from += columns) {
    const std::size_t end = std::min(from + columns, set.examples.size());
    for (const bool whole : {true, false}) {
      for (std::size_t i = from; i < end; ++i) {
        PixelPicture picture{.caption = whole && i < set.class_names.size() ? set.class_names[i] : std::string(),
                             .height = shape.height,
                             .width = shape.width};
        for (std::size_t pixel = 0; pixel < std::min(set.examples[i].size(), kept.size()); ++pixel) {
          const bool shown = whole || kept[pixel] > 0;
          picture.values.push_back(shown ? set.examples[i][pixel] / 255.0 : kNoValue);
        }
        parts.push_back(pixel_picture(picture, 64));
      }
      // An unfinished row is filled, so that the next one starts at the left.
      for (std::size_t i = end; i < from + columns; ++i)
        parts.push_back({.title = {}, .width = 64, .height = 0, .body = {}});
    }
    for (std::size_t i = from; i < end; ++i) {
      const std::string label = i < set.class_names.size() ? set.class_names[i] : std::to_string(i);
      for (const std::size_t pixel : std::span(mask.order).first(std::min(k, mask.order.size()))) {
        if (pixel >= set.examples[i].size()) continue;
        csv += fmt::format("{},{},{},{}\n", csv_field(label), pixel / shape.width, pixel % shape.width,
                           set.examples[i][pixel]);
      }
    }
  }
  return {.name = fmt::format("examples-{}-{}", view.set_key(mask.set), view.method_key(mask.method)),
          .caption = fmt::format("{}: an example of each class, whole and with only the {} pixels that {} selects.",
                                 set.title, k, view.method(mask.method).title),
          .drawing = arranged(fmt::format("Examples of {}", set.title), parts, columns),
          .csv = std::move(csv)};
}

std::vector<StudyFigure> design_figures(const StudyView& view, const MaskFinding& mask) {
  const std::array<Designs, 2> designs{designs_of(mask.initial_scores), designs_of(mask.scores)};
  Range range;
  for (const Designs& one : designs) {
    for (const auto* values : {&one.mask, &one.opposite, &one.remainder}) {
      for (const double value : *values) range.add(std::fmax(value, 1e-4));
    }
  }
  std::vector<StudyFigure> out;
  for (std::size_t i = 0; i < designs.size(); ++i) {
    const Designs& one = designs[i];
    ValueChart chart{.title = fmt::format("{}: {}, {}", i == 0 ? "Before" : "After", view.set(mask.set).title,
                                          view.method(mask.method).title),
                     .x_title = "features by their rank in the mask",
                     .y_title = "value times D",
                     .series = {{{"mask", "m = softmax(z)", 0}, one.mask},
                                {{"opposite", "softmax(−z)", 1}, one.opposite},
                                {{"remainder", "(1−m)/N", 2}, one.remainder}},
                     .logarithmic = true,
                     .low = range.low / 1.3,
                     .high = range.high * 1.3};
    std::string csv = "rank,mask,opposite,remainder\n";
    for (const std::size_t rank : sampled_ranks(one.mask.size())) {
      csv += fmt::format("{},{},{},{}\n", rank + 1, number(one.mask[rank]), number(one.opposite[rank]),
                         number(one.remainder[rank]));
    }
    out.push_back(
        {.name = fmt::format("designs-{}-{}-{}", view.set_key(mask.set), view.method_key(mask.method),
                             i == 0 ? "before" : "after"),
         .caption = fmt::format("{}; the model is trained with {}.", i == 0 ? "Before training" : "After training",
                                mask.complement == "remainder" ? "(1−m)/N" : "softmax(−z)"),
         .drawing = value_chart(chart),
         .csv = std::move(csv)});
  }
  return out;
}

StudyFigure gamma_figure(const StudyView& view, const GammaFinding& gamma) {
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
           .text = fmt::format("{:.1f}", 100 * merit),
           .tip = fmt::format("{}, γ = {:g}, k = {}: {} %, chosen by {}", title, gamma.gammas[g],
                              with_commas(gamma.ks[c]), points(merit), count_text(gamma.chosen[g][c], "seed")),
           .marked = gamma.chosen[g][c] > 0 && gamma.chosen[g][c] == most[c]});
      csv += fmt::format("{:g},{},{},{}\n", gamma.gammas[g], gamma.ks[c], number(merit), gamma.chosen[g][c]);
    }
    grid.rows.push_back(std::move(row));
  }
  return {.name = fmt::format("gamma-{}-{}", view.set_key(gamma.set), view.method_key(gamma.method)),
          .caption = "In %; framed: chosen by the most seeds.",
          .drawing = heat_grid(grid),
          .csv = std::move(csv)};
}

StudyFigure stability_figure(const StudyView& view, std::size_t set, Stability kind) {
  const bool jaccard = kind == Stability::jaccard;
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
      csv += fmt::format("{},{},{}\n", csv_field(view.method(series.look.place).name), ks[i], number(series.values[i]));
    }
  }
  return {.name = fmt::format("stability-{}-{}", view.set_key(set), jaccard ? "jaccard" : "nogueira"),
          .caption = title + " between the seeds.",
          .drawing = line_chart(chart),
          .csv = std::move(csv)};
}

StudyFigure frequency_figure(const StudyView& view, std::size_t set) {
  ValueChart chart{.title = view.set(set).title,
                   .x_title = "features by how often they are selected",
                   .y_title = "share of the seeds",
                   .low = 0,
                   .high = 1.02};
  std::string csv = "method,k,place,frequency\n";
  std::size_t k = 0;
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) {
    const StabilityFinding* const found = view.stability_near(set, m, view.shown_k(set));
    if (found == nullptr) continue;
    k = found->k;
    std::vector<double> shares = found->frequency;
    std::sort(shares.begin(), shares.end(), std::greater<>());
    // Up to the first that no seed selects.
    const auto end = std::find(shares.begin(), shares.end(), 0.0);
    shares.erase(end == shares.end() ? end : end + 1, shares.end());
    for (std::size_t i = 0; i < shares.size(); ++i) {
      csv += fmt::format("{},{},{},{}\n", csv_field(view.method(m).name), found->k, i + 1, number(shares[i]));
    }
    chart.series.push_back({view.look(m), std::move(shares)});
  }
  return {.name = "frequency-" + view.set_key(set),
          .caption = fmt::format("Among the best {} of each seed.", with_commas(k)),
          .drawing = value_chart(chart),
          .csv = std::move(csv)};
}

StudyFigure cost_figure(const StudyView& view, std::size_t set) {
  BarChart chart{.title = view.set(set).title, .x_title = "seconds of one thread, all seeds"};
  std::string csv = "method,models,training_seconds,evaluation_seconds,memory_bytes\n";
  for (const CostFinding& cost : view.findings().costs) {
    if (cost.set != set) continue;
    chart.bars.push_back(
        {.look = view.look(cost.method),
         .value = cost.training_seconds,
         .deviation = 0,
         .text = duration_text(cost.training_seconds),
         .tip = fmt::format("{}: {} to select with {}, {} to classify, {} of memory", view.method(cost.method).title,
                            duration_text(cost.training_seconds), count_text(cost.models, "model"),
                            duration_text(cost.evaluation_seconds), byte_text(cost.memory_bytes))});
    csv += fmt::format("{},{},{},{},{}\n", csv_field(view.method(cost.method).name), cost.models,
                       number(cost.training_seconds), number(cost.evaluation_seconds), cost.memory_bytes);
  }
  return {.name = "cost-" + view.set_key(set),
          .caption = "Time to select.",
          .drawing = bar_chart(chart),
          .csv = std::move(csv)};
}

}  // namespace obverse
