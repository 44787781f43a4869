// A study as sections, from which its page and its documentation are made: both say the same.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "page/document.h"
#include "page/explorer.h"
#include "page/html.h"
#include "report/findings_figures.h"
#include "report/findings_tables.h"
#include "report/findings_words.h"
#include "report/study.h"
#include "support/text.h"

namespace obverse {
namespace {

using Blocks = std::vector<Block>;

/// Of sets without pictures the explorers hold as many of the features at least, or a tenth if that is more: the
/// scores, names and frequencies of thousands of features for every method would make the page slow to open.
constexpr std::size_t kLeastExplored = 100;

/// One figure for each set that any of the findings is of.
template <class Finding, class Make>
std::vector<PageFigure> figures_by_set(const FindingsView& view, const std::vector<Finding>& findings, Make make) {
  std::vector<PageFigure> out;
  for (const std::size_t s : view.sets_at_hand()) {
    if (any_of_set(findings, s)) out.push_back(make(view, s));
  }
  return out;
}

/// The blocks under a paragraph on what they show; nothing where there are none.
Blocks under(std::string words, Blocks blocks) {
  if (!blocks.empty()) blocks.insert(blocks.begin(), Words{std::move(words)});
  return blocks;
}

Blocks accuracy_blocks(const FindingsView& view) {
  Blocks out;
  std::vector<std::size_t> methods(view.findings().methods.size());
  std::iota(methods.begin(), methods.end(), std::size_t{0});
  for (const std::size_t s : view.sets_at_hand()) {
    if (!any_of_set(view.findings().cells, s)) continue;
    out.push_back(Heading{view.set(s).title});
    out.push_back(FigureRow{.name = "accuracy-" + view.set_key(s),
                            .title = fmt::format("{} on {}", capitalised(view.measure(s)), view.set(s).title),
                            .figures = accuracy_figures(view, s, view.findings().classifiers, methods),
                            .legend = view.looks()});
  }
  return under(
      "Test results of classifiers refitted on the selected features, against how many there are: mean over the seeds, "
      "with a band of one deviation. The panels of a set share their y axis.",
      std::move(out));
}

Blocks means_blocks(const FindingsView& view) {
  if (view.findings().cells.empty()) return {};
  return {Words{"In % over all sizes and classifiers, ± the deviation of that mean over the seeds. The best of each "
                "column is in bold; (9/21) marks means over a part of the cells."},
          means_table(view)};
}

Blocks losses_blocks(const FindingsView& view) {
  Blocks out;
  for (const ComparisonFinding& c : view.findings().comparisons) {
    const std::string text = losses_text(view, c);
    out.push_back(Words{text.empty() ? fmt::format("{}: no cell is lost.", comparison_title(view, c)) : text});
  }
  return out;
}

Blocks deviations_blocks(const FindingsView& view) {
  Blocks out;
  for (const ComparisonFinding& c : view.findings().comparisons) {
    if (std::string text = steadiness_text(view, c); !text.empty()) out.push_back(Words{std::move(text)});
  }
  return out;
}

std::string explorer_of(const FindingsView& view, const MaskFinding& mask) {
  const SetFinding& set = view.set(mask.set);
  const std::size_t k = view.shown_k(mask.set);
  const StabilityFinding* const stability = view.stability_near(mask.set, mask.method, k);
  Explorer explorer{.id = fmt::format("mask-{}-{}", view.set_key(mask.set), view.method_key(mask.method)),
                    .title = fmt::format("{}, {}", set.title, view.method(mask.method).title),
                    .k = k,
                    .held = std::max({kLeastExplored, (set.features + 9) / 10, k}),
                    .order = mask.order,
                    .name = [&](std::size_t feature) { return view.feature_name(mask.set, feature); },
                    .score = [&](std::size_t feature) { return std::optional<double>(mask.scores[feature]); },
                    .image = set.image_shape};
  if (stability != nullptr && stability->frequency.size() == set.features) {
    explorer.frequency = [stability](std::size_t feature) { return stability->frequency[feature]; };
  }
  for (std::size_t i = 0; set.image_shape && i < set.examples.size(); ++i) {
    const std::string label = i < set.class_names.size() ? set.class_names[i] : std::to_string(i);
    explorer.examples.push_back({{"label", label}, {"pixels", base64(set.examples[i])}});
  }
  return fmt::format("<details><summary>{} (seed {}{})</summary>\n{}</details>\n",
                     escaped(view.method(mask.method).title), mask.seed,
                     mask.mask ? fmt::format(", γ = {:g}", mask.gamma) : "", explorer_html(explorer));
}

Blocks masks_blocks(const FindingsView& view) {
  Blocks out;
  for (const std::size_t s : view.sets_at_hand()) {
    const auto masks = masks_of(view, s);
    if (masks.empty()) continue;
    if (out.empty()) {
      out.push_back(
          Markup{paragraph(fmt::format("Open a method to move k. Of sets without pictures the page holds the first {} "
                                       "features, or a tenth of all if that is more.",
                                       kLeastExplored))});
    }
    const std::string& title = view.set(s).title;
    out.push_back(Heading{title});
    const auto add = [&](std::string name, PageFigure figure) {
      out.push_back(FigureRow{.name = figure.name, .title = std::move(name), .figures = {std::move(figure)}});
    };
    if (view.set(s).image_shape) add("Masks on " + title, masks_figure(view, s));
    if (view.set(s).image_shape && !view.set(s).examples.empty()) {
      add("Examples of " + title, examples_figure(view, *masks.front()));
    }
    for (const MaskFinding* const mask : masks) out.push_back(Markup{explorer_of(view, *mask)});
  }
  return under(
      "The scores of one model of each method: the one of the first seed that answers for the k in the middle.",
      std::move(out));
}

Blocks designs_blocks(const FindingsView& view) {
  Blocks out;
  for (const std::size_t s : view.sets_at_hand()) {
    // The models stand beside each other, before the training above and after it below.
    std::vector<PageFigure> figures;
    for (const MaskFinding* const mask : masks_of(view, s)) {
      if (!has_design(*mask)) continue;
      std::vector<PageFigure> pair = design_figures(view, *mask);
      figures.insert(figures.begin() + static_cast<std::ptrdiff_t>(figures.size() / 2), std::move(pair[0]));
      figures.push_back(std::move(pair[1]));
    }
    if (figures.empty()) continue;
    const std::size_t columns = figures.size() / 2;
    out.push_back(Heading{view.set(s).title});
    out.push_back(FigureRow{.name = "designs-" + view.set_key(s),
                            .title = fmt::format("Mask and complements on {}", view.set(s).title),
                            .figures = std::move(figures),
                            .legend = design_looks(),
                            .columns = columns});
  }
  return under(
      "The mask m = softmax(z) and two designs of its complement, softmax(−z) and (1−m)/N, each times the number "
      "of features D, so that 1 is an even share. Both have the opposite order of the mask; with many features "
      "(1−m)/N is nearly even whatever the mask, while softmax(−z) spreads as far as the mask does. Each model was "
      "trained with one design; the other one is computed from the same scores.",
      std::move(out));
}

Blocks gamma_blocks(const FindingsView& view) {
  Blocks out;
  for (const std::size_t s : view.sets_at_hand()) {
    std::vector<PageFigure> figures;
    for (const GammaFinding& gamma : view.findings().gammas) {
      if (gamma.set == s) figures.push_back(gamma_figure(view, gamma));
    }
    if (figures.empty()) continue;
    out.push_back(FigureRow{.name = "gamma-" + view.set_key(s),
                            .title = fmt::format("Choice of γ on {}", view.set(s).title),
                            .figures = std::move(figures)});
  }
  return under(
      "For each k, every seed chooses γ, the weight of the complementary loss, on validation rows held out of its "
      "training rows: by the accuracy of a classifier refitted on the k features, smoothed over neighbouring k. "
      "Each cell shows the mean over the seeds in %; the stronger the blue, the better within its column, and a "
      "frame marks what most seeds chose. Test rows take no part in the choice.",
      std::move(out));
}

Blocks stability_blocks(const FindingsView& view) {
  Blocks out;
  for (const std::size_t s : view.sets_at_hand()) {
    if (!any_of_set(view.findings().stability, s)) continue;
    out.push_back(FigureRow{.name = "stability-" + view.set_key(s),
                            .title = fmt::format("Stability between seeds on {}", view.set(s).title),
                            .figures = {stability_figure(view, s, StabilityIndex::jaccard),
                                        stability_figure(view, s, StabilityIndex::nogueira)},
                            .legend = view.looks(),
                            .columns = 2});
  }
  if (out.empty()) return out;
  out.push_back(Words{"The features selected by any seed, by more than half of the seeds and by all of them:"});
  out.push_back(frequency_table(view));
  return under(
      "How well the selections of different seeds agree. The Jaccard index of two selections is the share of the "
      "features in either that are in both, averaged over all pairs; Nogueira's index is 1 for identical "
      "selections and 0 for chance, whatever k. Seeds that disagree may still classify equally well: redundant "
      "features stand in for each other.",
      std::move(out));
}

Blocks costs_blocks(const FindingsView& view) {
  std::vector<PageFigure> figures = figures_by_set(
      view, view.findings().costs, [](const FindingsView& v, std::size_t s) { return time_figure(v, s); });
  if (figures.empty()) return {};
  return {Words{fmt::format("Seconds of one thread, all seeds together; memory is the most that the whole process held "
                            "while it ran. All units together took {} of one thread.",
                            duration_text(view.findings().thread_seconds))},
          FigureRow{.name = "time",
                    .title = "Accuracy and time",
                    .figures = std::move(figures),
                    .legend = view.looks(),
                    .page_only = true},
          costs_table(view)};
}

Blocks methods_blocks(const FindingsView& view) {
  const Findings& f = view.findings();
  return {methods_table(view), Heading{"Sets"}, sets_table(view),
          Markup{heading_html("To make it again") + fmt::format("<p><code>{}</code></p>\n", escaped(f.command)) +
                 paragraph(fmt::format("Plan {}, Obverse {}, {} of {} done.", f.plan, f.version,
                                       with_commas(f.units_done), count_text(f.units_planned, "unit")))}};
}

std::vector<Section> study_sections(const FindingsView& view) {
  const Findings& f = view.findings();
  Blocks wins = wins_blocks(view);
  if (!wins.empty()) wins.insert(wins.end(), {Heading{"Set by set"}, sets_won_table(view)});
  return {{"accuracy", "Accuracy", accuracy_blocks(view)},
          {"means", "Mean accuracy", means_blocks(view)},
          {"wins", "Wins", std::move(wins)},
          {"losses", "Losses", losses_blocks(view)},
          {"deviations", "Deviations", deviations_blocks(view)},
          {"masks", "Masks", masks_blocks(view)},
          {"designs", "Complements", designs_blocks(view)},
          {"gamma", "Choice of γ", gamma_blocks(view)},
          {"stability", "Stability", stability_blocks(view)},
          {"costs", "Time and memory", costs_blocks(view)},
          {"methods", "Methods and sets", methods_blocks(view)},
          {"cells", "Every cell", f.comparisons.empty() ? Blocks{} : Blocks{compared_cells_table(view)}}};
}

/// What stands above the sections of the page.
std::string lead(const FindingsView& view) {
  const auto& comparisons = view.findings().comparisons;
  std::string facts;
  std::string answers;
  for (const ComparisonFinding& c : comparisons) {
    facts += fact(comparison_title(view, c), fmt::format("{} of {}", c.won, c.cells.size()),
                  fmt::format("cells won, {} tied, {} lost.{}", c.tied, c.lost, means_text(c)));
    answers +=
        fmt::format("<p><strong>{}</strong> {}</p>\n", escaped(answer_text(view, c)), escaped(certainty_text(view, c)));
  }
  std::string out = paragraph(question_text(view));
  out += comparisons.empty()
             ? paragraph("The plan compares no methods cell by cell; the sections show what each of them reaches.")
             : fmt::format("<dl class=\"facts\">\n{}</dl>\n<div class=\"answer\">\n{}</div>\n", facts, answers);
  for (const std::string& note : note_texts(view)) out += paragraph(note);
  return out;
}

}  // namespace

std::vector<Block> wins_blocks(const FindingsView& view) {
  FigureRow row{.name = "wins", .title = "Cells won and lost", .figures = {}};
  for (std::size_t i = 0; i < view.findings().comparisons.size(); ++i) row.figures.push_back(wins_figure(view, i));
  if (row.figures.empty()) return {};
  const bool percent = view.format().percent();
  return {Words{fmt::format("A cell is one set, one classifier and one size; its number is the difference{}. "
                            "The first method of a comparison wins it (blue) when its mean result is the {} one, "
                            "and loses it (orange) when that of the second is. A star: sure, with a corrected p < "
                            "{:g}. All comparisons share one scale of colours.",
                            percent ? " in points" : "", percent ? "larger" : "smaller", kSure)},
          std::move(row), comparisons_table(view)};
}

Page study_page(const Findings& findings) {
  const FindingsView view(findings);
  return {
      .title = findings.title.empty() ? findings.plan : findings.title,
      .subtitle = fmt::format("{} of {} at hand, {}", view.sets_at_hand().size(),
                              count_text(findings.sets.size(), "set"), count_text(findings.methods.size(), "method")),
      .lead = lead(view),
      .sections = page_sections(study_sections(view)),
      .footer = fmt::format("<p>Obverse {}. Made by <code>{}</code></p>", escaped(findings.version),
                            escaped(findings.command))};
}

std::vector<FigureFile> figure_files(const Findings& findings) {
  const FindingsView view(findings);
  return figure_files(study_sections(view));
}

std::string findings_markdown(const Findings& findings, const std::string& figure_prefix) {
  const FindingsView view(findings);
  std::string out =
      fmt::format("# {}\n\n{}\n\nMade by Obverse {} with\n\n    {}\n\nin {} of one thread.\n\n",
                  markdown_text(findings.title), markdown_text(question_text(view)), markdown_text(findings.version),
                  printable(findings.command), duration_text(findings.thread_seconds));
  if (!findings.comparisons.empty()) out += "## The answer\n\n";
  for (const ComparisonFinding& c : findings.comparisons) {
    out += fmt::format("* **{}** {}\n", markdown_text(answer_text(view, c)), markdown_text(certainty_text(view, c)));
  }
  if (!findings.comparisons.empty()) out += '\n';
  for (const std::string& note : note_texts(view)) out += markdown_text(note) + "\n\n";
  out += sections_markdown(study_sections(view), figure_prefix);
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace obverse
