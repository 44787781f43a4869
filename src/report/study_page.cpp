#include "report/study_page.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "report/html.h"
#include "report/page_parts.h"
#include "report/study_figures.h"
#include "report/study_tables.h"
#include "report/text.h"
#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// Of sets without pictures the explorers hold as many of the features at least, or a tenth if that is more: the
/// scores, names and frequencies of thousands of features for every method would make the page slow to open.
constexpr std::size_t kLeastExplored = 100;

std::string methods_legend(const StudyView& view) {
  std::vector<SeriesLook> looks;
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) looks.push_back(view.look(m));
  return legend_html(looks);
}

/// One figure for each set of which there is something to show.
std::vector<StudyFigure> figures_by_set(const StudyView& view, bool (*has)(const StudyView&, std::size_t),
                                        StudyFigure (*make)(const StudyView&, std::size_t)) {
  std::vector<StudyFigure> out;
  for (const std::size_t s : view.sets_at_hand()) {
    if (has(view, s)) out.push_back(make(view, s));
  }
  return out;
}

// ---- What stands above the sections ----

std::string lead(const StudyView& view) {
  const Findings& f = view.findings();
  std::string out = paragraph(question_text(view));
  if (!f.comparisons.empty()) out += "<dl class=\"facts\">\n";
  for (const ComparisonFinding& c : f.comparisons) {
    const std::string means =
        c.cells.empty() ? std::string()
                        : fmt::format(" Mean accuracy {} against {} %.", points(c.first_mean), points(c.second_mean));
    out += fact(comparison_title(view, c), fmt::format("{} of {}", c.won, c.cells.size()),
                fmt::format("cells won, {} tied, {} lost.{}", c.tied, c.lost, means));
  }
  if (!f.comparisons.empty()) out += "</dl>\n";
  if (!f.comparisons.empty()) out += "<div class=\"answer\">\n";
  for (const ComparisonFinding& c : f.comparisons) {
    out +=
        fmt::format("<p><strong>{}</strong> {}</p>\n", escaped(answer_text(view, c)), escaped(certainty_text(view, c)));
  }
  if (!f.comparisons.empty()) out += "</div>\n";
  if (f.comparisons.empty()) {
    out += paragraph("The plan compares no methods cell by cell; the sections show what each of them reaches.");
  }
  for (const std::string& note : note_texts(view)) out += paragraph(note);
  return out;
}

// ---- The sections ----

std::string accuracy_section(const StudyView& view) {
  std::string out;
  for (const std::size_t s : view.sets_at_hand()) {
    if (has_accuracy(view, s)) out += heading(view.set(s).title) + figures_html(accuracy_figures(view, s));
  }
  if (out.empty()) return out;
  return paragraph(
             "Test accuracy of classifiers refitted on the selected features, against the share of the features, "
             "mean over the seeds with a band of one deviation. The panels of a set share their y axis.") +
         methods_legend(view) + out;
}

std::string wins_section(const StudyView& view) {
  const auto& comparisons = view.findings().comparisons;
  if (comparisons.empty()) return {};
  std::vector<StudyFigure> figures;
  for (std::size_t i = 0; i < comparisons.size(); ++i) figures.push_back(wins_figure(view, i));
  std::string out = paragraph(
      "A cell is one set, one classifier and one size. The first method of a comparison wins it (blue) when its mean "
      "accuracy over the seeds is the larger one, and loses it (orange) when that of the second is. All comparisons "
      "share one scale of colours.");
  out += figures_html(figures) + heading("Counts") + table_html(comparisons_table(view));
  out += heading("Set by set") + table_html(sets_won_table(view));
  return out + heading("Cell by cell") + table_html(compared_cells_table(view));
}

std::string losses_section(const StudyView& view) {
  const auto& comparisons = view.findings().comparisons;
  if (comparisons.empty()) return {};
  std::string out;
  for (const ComparisonFinding& c : comparisons) {
    const std::string text = losses_text(view, c);
    out += paragraph(text.empty() ? fmt::format("{}: no cell is lost.", comparison_title(view, c)) : text);
  }
  const ReportTable table = losses_table(view);
  return table.rows.empty() ? out : out + table_html(table);
}

std::string deviations_section(const StudyView& view) {
  std::string out;
  for (const ComparisonFinding& c : view.findings().comparisons) out += paragraph(steadiness_text(view, c));
  return out.empty() ? out : out + table_html(deviations_table(view));
}

std::string means_section(const StudyView& view) {
  const auto figures = figures_by_set(view, has_accuracy, means_figure);
  if (figures.empty()) return {};
  return paragraph(
             "Mean accuracy in % over all sizes and classifiers, with the deviation of that mean over the seeds. The "
             "best of each column is in bold; (9/21) marks means over a part of the cells.") +
         table_html(means_table(view)) + methods_legend(view) + figures_html(figures);
}

/// A number as short as the page needs it: four digits.
Json short_number(double value) {
  if (!std::isfinite(value)) return nullptr;
  return number_in<double>(fmt::format("{:.4g}", value)).value_or(value);
}

/// Whether the features of a set of pictures go by row and column, or by no name, which the page can tell by itself.
bool has_pixel_names(const SetFinding& set) {
  for (std::size_t i = 0; i < set.feature_names.size(); ++i) {
    const std::size_t width = set.image_shape->width;
    if (set.feature_names[i] != fmt::format("pixel_{}_{}", i / width, i % width)) return false;
  }
  return true;
}

/// What the explorer of a ranking reads. Features are renumbered by rank where only the first are held.
Json explorer_json(const StudyView& view, const MaskFinding& mask) {
  const SetFinding& set = view.set(mask.set);
  const bool picture = set.image_shape.has_value();
  const std::size_t k = view.shown_k(mask.set);
  std::vector<std::size_t> features;  // those that are held, in the order of their numbers on the page
  Json order = Json::array();
  if (picture) {
    features.resize(set.features);
    for (std::size_t i = 0; i < set.features; ++i) features[i] = i;
    order = mask.order;
  } else {
    const std::size_t held = std::max({kLeastExplored, (set.features + 9) / 10, k});
    features.assign(mask.order.begin(),
                    mask.order.begin() + static_cast<std::ptrdiff_t>(std::min(held, mask.order.size())));
    for (std::size_t i = 0; i < features.size(); ++i) order.push_back(i);
  }
  const StabilityFinding* const stability = view.stability_near(mask.set, mask.method, k);
  Json names = Json::array();
  Json scores = Json::array();
  Json frequency = Json::array();
  for (const std::size_t feature : features) {
    names.push_back(view.feature_name(mask.set, feature));
    scores.push_back(short_number(mask.scores[feature]));
    if (stability == nullptr || feature >= stability->frequency.size()) continue;
    frequency.push_back(short_number(stability->frequency[feature]));
  }
  Json examples = Json::array();
  for (std::size_t i = 0; picture && i < set.examples.size(); ++i) {
    const std::string label = i < set.class_names.size() ? set.class_names[i] : std::to_string(i);
    examples.push_back({{"label", label}, {"pixels", base64(set.examples[i])}});
  }
  Json tree{{"title", fmt::format("{}, {}", set.title, view.method(mask.method).title)},
            {"names", picture && has_pixel_names(set) ? Json(nullptr) : std::move(names)},
            {"scores", std::move(scores)},
            {"order", std::move(order)},
            {"frequency", frequency.size() == features.size() ? std::move(frequency) : Json(nullptr)},
            {"image", nullptr},
            {"examples", std::move(examples)},
            {"k", k},
            {"truth", nullptr},
            {"total", set.features}};
  if (picture) tree["image"] = {{"height", set.image_shape->height}, {"width", set.image_shape->width}};
  return tree;
}

std::string explorer_html(const StudyView& view, const MaskFinding& mask) {
  const std::string id = fmt::format("mask-{}-{}", view.set_key(mask.set), view.method_key(mask.method));
  const std::string model =
      mask.mask ? fmt::format("seed {}, γ = {:g}", mask.seed, mask.gamma) : fmt::format("seed {}", mask.seed);
  return fmt::format(
      "<details><summary>{} ({})</summary>\n<div class=\"explorer\" data-source=\"{}\"></div>"
      "<script type=\"application/json\" id=\"{}\">{}</script>\n</details>\n",
      escaped(view.method(mask.method).title), escaped(model), id, id, script_json(explorer_json(view, mask)));
}

std::string masks_section(const StudyView& view) {
  std::string out;
  for (const std::size_t s : view.sets_at_hand()) {
    const auto masks = masks_of(view, s);
    if (masks.empty()) continue;
    out += heading(view.set(s).title);
    if (view.set(s).image_shape) {
      out += figure_html(masks_figure(view, s));
      if (!view.set(s).examples.empty()) out += figure_html(examples_figure(view, *masks.front()));
    }
    for (const MaskFinding* const mask : masks) out += explorer_html(view, *mask);
  }
  if (out.empty()) return out;
  return paragraph(fmt::format("The scores of one model of each method: the one of the first seed that answers for the "
                               "k in the middle. Open a method to move k. Of sets without pictures the page holds the "
                               "first {} features, or a tenth of all if that is more.",
                               kLeastExplored)) +
         out;
}

std::string designs_section(const StudyView& view) {
  std::string out;
  for (const std::size_t s : view.sets_at_hand()) {
    // The models stand beside each other, before the training above and after it below.
    std::vector<StudyFigure> before;
    std::vector<StudyFigure> after;
    for (const MaskFinding* const mask : masks_of(view, s)) {
      if (!has_design(*mask)) continue;
      std::vector<StudyFigure> pair = design_figures(view, *mask);
      before.push_back(std::move(pair[0]));
      after.push_back(std::move(pair[1]));
    }
    if (!before.empty()) out += heading(view.set(s).title) + figures_html(before) + figures_html(after);
  }
  if (out.empty()) return out;
  return paragraph(
             "The mask m = softmax(z) and two designs of its complement, softmax(−z) and (1−m)/N, each times the "
             "number of features D, so that 1 is an even share. Both have the opposite order of the mask; with "
             "many features (1−m)/N is nearly even whatever the mask, while softmax(−z) spreads as far as the "
             "mask does. Each model was trained with the design its caption names; the other one is computed "
             "from the same scores.") +
         legend_html({{"mask", "m = softmax(z)", 0}, {"opposite", "softmax(−z)", 1}, {"remainder", "(1−m)/N", 2}}) +
         out;
}

std::string gamma_section(const StudyView& view) {
  if (view.findings().gammas.empty()) return {};
  std::vector<StudyFigure> figures;
  for (const GammaFinding& gamma : view.findings().gammas) figures.push_back(gamma_figure(view, gamma));
  return paragraph(
             "Each seed chooses the weight of the complementary loss, γ, for each k on validation rows held out of its "
             "own training rows, by the accuracy of a judge refitted on the k features, smoothed over neighbouring k. "
             "The cells show the mean over the seeds; a stronger blue is better within a column. The test rows have no "
             "part in it.") +
         figures_html(figures);
}

std::string stability_section(const StudyView& view) {
  std::string out;
  for (const Stability kind : {Stability::jaccard, Stability::nogueira}) {
    std::vector<StudyFigure> figures;
    for (const std::size_t s : view.sets_at_hand()) {
      if (has_stability(view, s)) figures.push_back(stability_figure(view, s, kind));
    }
    if (!figures.empty()) {
      out += heading(kind == Stability::jaccard ? "Jaccard index" : "Nogueira's stability") + figures_html(figures);
    }
  }
  if (out.empty()) return out;
  return paragraph(
             "How far the features that different seeds select agree. The Jaccard index is the share that two "
             "selections have in common of what either holds, mean over all pairs; Nogueira's index is 1 for "
             "identical selections and 0 for chance, whatever k. Seeds that disagree may still classify equally "
             "well: redundant features stand in for each other.") +
         methods_legend(view) + out;
}

std::string frequency_section(const StudyView& view) {
  const auto figures = figures_by_set(view, has_stability, frequency_figure);
  if (figures.empty()) return {};
  return paragraph(
             "The share of the seeds that select a feature, the most frequent first: were all seeds to agree, it "
             "would fall from 1 to 0 at k. The table counts the features selected by any seed, by more than half "
             "of the seeds and by all of them.") +
         methods_legend(view) + figures_html(figures) + table_html(frequency_table(view));
}

std::string costs_section(const StudyView& view) {
  const auto figures = figures_by_set(view, has_costs, cost_figure);
  if (figures.empty()) return {};
  return paragraph(fmt::format("Seconds of one thread, all seeds together; memory is the most that the whole process "
                               "held while it ran. All units together took {} of one thread.",
                               duration_text(view.findings().thread_seconds))) +
         methods_legend(view) + figures_html(figures) + table_html(costs_table(view));
}

std::string options_section(const StudyView& view) {
  const Findings& f = view.findings();
  std::string out = table_html(methods_table(view)) + heading("Sets") + table_html(sets_table(view));
  out += heading("To make it again");
  return out + fmt::format("<p><code>{}</code></p>\n", escaped(f.command)) +
         paragraph(fmt::format("Plan {}, Obverse {}, {} of {} done.", f.plan, f.version, with_commas(f.units_done),
                               count_text(f.units_planned, "unit")));
}

}  // namespace

Page study_page(const Findings& findings) {
  const StudyView view(findings);
  Page page{
      .title = findings.title.empty() ? findings.plan : findings.title,
      .subtitle = fmt::format("{} of {} at hand, {}", view.sets_at_hand().size(),
                              count_text(findings.sets.size(), "set"), count_text(findings.methods.size(), "method")),
      .lead = lead(view),
      .sections = {},
      .footer = fmt::format("<p>Obverse {}. Made by <code>{}</code></p>", escaped(findings.version),
                            escaped(findings.command))};
  const auto add = [&](std::string id, std::string title, std::string html) {
    if (!html.empty()) page.sections.push_back({std::move(id), std::move(title), std::move(html)});
  };
  add("accuracy", "Accuracy", accuracy_section(view));
  add("wins", "Wins", wins_section(view));
  add("losses", "Losses", losses_section(view));
  add("deviations", "Deviations", deviations_section(view));
  add("means", "Mean accuracy", means_section(view));
  add("masks", "Masks", masks_section(view));
  add("designs", "Complements", designs_section(view));
  add("gamma", "Choice of γ", gamma_section(view));
  add("stability", "Stability", stability_section(view));
  add("frequency", "Frequency", frequency_section(view));
  add("costs", "Time and memory", costs_section(view));
  add("options", "Methods and options", options_section(view));
  return page;
}

}  // namespace obverse
