// A study as a page of documentation, and the figures that go with it.
#include <algorithm>

#include <fmt/format.h>

#include "report/study.h"
#include "report/study_figures.h"
#include "report/study_tables.h"
#include "report/text.h"
#include "support/text.h"

namespace obverse {
namespace {

/// A figure of the page of documentation: what is one row of small multiples on a report is one file here.
struct DocumentFigure {
  std::string section;  ///< id of the section that shows it
  std::string name;
  std::string caption;
  Drawing drawing;
};

std::vector<SeriesLook> looks(const StudyView& view) {
  std::vector<SeriesLook> out;
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) out.push_back(view.look(m));
  return out;
}

/// Figures beside each other under one legend.
Drawing with_legend(const std::string& title, const std::vector<SeriesLook>& series,
                    const std::vector<StudyFigure>& figures, std::size_t columns) {
  std::vector<Drawing> drawings;
  drawings.reserve(figures.size());
  for (const StudyFigure& figure : figures) drawings.push_back(figure.drawing);
  const Drawing row = arranged(title, drawings, columns);
  return arranged(title, {legend_drawing(series, std::fmax(row.width, 320)), row}, 1);
}

/// The models of a set beside each other, before the training above and after it below; none where no model has them.
void add_designs(const StudyView& view, std::size_t set, std::vector<DocumentFigure>& out) {
  std::vector<StudyFigure> figures;
  for (const MaskFinding* const mask : masks_of(view, set)) {
    if (!has_design(*mask)) continue;
    std::vector<StudyFigure> pair = design_figures(view, *mask);
    figures.insert(figures.begin() + static_cast<std::ptrdiff_t>(figures.size() / 2), std::move(pair[0]));
    figures.push_back(std::move(pair[1]));
  }
  if (figures.empty()) return;
  const std::string title = fmt::format("Mask and complements on {}", view.set(set).title);
  out.push_back(
      {"designs", "designs-" + view.set_key(set), "",
       with_legend(title, {{"mask", "m = softmax(z)", 0}, {"opposite", "softmax(−z)", 1}, {"remainder", "(1−m)/N", 2}},
                   figures, figures.size() / 2)});
}

/// The choice of gamma of all methods on a set.
void add_gammas(const StudyView& view, std::size_t set, std::vector<DocumentFigure>& out) {
  std::vector<Drawing> drawings;
  for (const GammaFinding& gamma : view.findings().gammas) {
    if (gamma.set == set) drawings.push_back(gamma_figure(view, gamma).drawing);
  }
  if (drawings.empty()) return;
  out.push_back({"gamma", "gamma-" + view.set_key(set), "",
                 arranged(fmt::format("Choice of γ on {}", view.set(set).title), drawings, 3)});
}

std::vector<DocumentFigure> document_figures(const StudyView& view) {
  std::vector<DocumentFigure> out;
  for (const std::size_t s : view.sets_at_hand()) {
    const std::string& title = view.set(s).title;
    const std::string& key = view.set_key(s);
    if (has_accuracy(view, s)) {
      const std::string text = fmt::format("Accuracy on {}", title);
      out.push_back({"accuracy", "accuracy-" + key, "", with_legend(text, looks(view), accuracy_figures(view, s), 3)});
    }
    const auto masks = masks_of(view, s);
    if (!masks.empty() && view.set(s).image_shape) {
      StudyFigure figure = masks_figure(view, s);
      out.push_back({"masks", figure.name, figure.caption, std::move(figure.drawing)});
      if (!view.set(s).examples.empty()) {
        StudyFigure examples = examples_figure(view, *masks.front());
        out.push_back({"masks", examples.name, examples.caption, std::move(examples.drawing)});
      }
    }
    add_designs(view, s, out);
    add_gammas(view, s, out);
    if (has_stability(view, s)) {
      const std::string text = fmt::format("Stability between seeds on {}", title);
      out.push_back(
          {"stability", "stability-" + key, "",
           with_legend(text, looks(view),
                       {stability_figure(view, s, Stability::jaccard), stability_figure(view, s, Stability::nogueira)},
                       2)});
    }
  }
  std::vector<Drawing> wins;
  for (std::size_t c = 0; c < view.findings().comparisons.size(); ++c) wins.push_back(wins_figure(view, c).drawing);
  if (!wins.empty()) out.push_back({"wins", "wins", "", arranged("Cells won and lost", wins, 3)});
  return out;
}

}  // namespace

std::vector<FigureFile> figure_files(const Findings& findings) {
  const StudyView view(findings);
  std::vector<FigureFile> out;
  for (const DocumentFigure& figure : document_figures(view)) {
    out.push_back({figure.name + ".svg", standalone_svg(svg_text(figure.drawing))});
  }
  return out;
}

std::string findings_markdown(const Findings& findings, const std::string& figure_prefix) {
  const StudyView view(findings);
  const std::vector<DocumentFigure> figures = document_figures(view);
  std::string out = fmt::format("# {}\n\n{}\n\n", markdown_text(findings.title), markdown_text(question_text(view)));
  const auto add = [&](const std::string& text) {
    if (!text.empty()) out += markdown_text(text) + "\n\n";
  };
  const auto add_table = [&](const ReportTable& table) {
    if (!table.rows.empty()) out += table_markdown(table) + "\n";
  };
  const auto add_figures = [&](std::string_view section) {
    for (const DocumentFigure& figure : figures) {
      if (figure.section != section) continue;
      out += fmt::format("![{}]({}{}.svg)\n\n", markdown_text(figure.drawing.title), figure_prefix, figure.name);
      if (!figure.caption.empty()) out += markdown_text(figure.caption) + "\n\n";
    }
  };
  const auto has = [&](std::string_view section) {
    return std::any_of(figures.begin(), figures.end(), [&](const auto& figure) { return figure.section == section; });
  };

  out += fmt::format("Made by Obverse {} with\n\n    {}\n\n", markdown_text(findings.version),
                     printable(findings.command));
  out += fmt::format("in {} of one thread.\n\n", duration_text(findings.thread_seconds));
  if (!findings.comparisons.empty()) out += "## The answer\n\n";
  for (const ComparisonFinding& c : findings.comparisons) {
    out += fmt::format("* **{}**", markdown_text(answer_text(view, c)));
    if (const std::string text = certainty_text(view, c); !text.empty()) out += fmt::format(" {}", markdown_text(text));
    out += '\n';
  }
  if (!findings.comparisons.empty()) out += '\n';
  add_table(comparisons_table(view));
  for (const std::string& note : note_texts(view)) add(note);
  if (has("accuracy")) out += "## Accuracy\n\nMean over the seeds; the band is one deviation.\n\n";
  add_figures("accuracy");
  if (!findings.cells.empty()) {
    out += "## Mean accuracy\n\nIn % over all sizes and classifiers, ± the deviation of that mean over the seeds.\n\n";
    add_table(means_table(view));
  }
  if (!findings.comparisons.empty()) {
    out +=
        "## Wins\n\nDifferences in points of accuracy for every set, classifier and size: blue where the first method "
        "wins, "
        "orange where it loses. A star: sure, with a corrected p < 0.05.\n\n";
    add_figures("wins");
    add_table(sets_won_table(view));
    out += "## Losses\n\n";
    for (const ComparisonFinding& c : findings.comparisons) {
      const std::string text = losses_text(view, c);
      add(text.empty() ? fmt::format("{}: no cell is lost.", comparison_title(view, c)) : text);
    }
    add_table(losses_table(view));
    out += "## Deviations\n\n";
    for (const ComparisonFinding& c : findings.comparisons) add(steadiness_text(view, c));
  }
  if (has("masks")) out += "## Masks\n\n";
  add_figures("masks");
  if (has("designs")) {
    out +=
        "## Mask and complement\n\nThe mask m = softmax(z) and two designs of its complement, each times the number of "
        "features, so that 1 is an even share; features by their rank in the mask.\n\n";
  }
  add_figures("designs");
  if (has("gamma")) {
    out +=
        "## The choice of γ\n\nEach seed chooses a γ for each k by the accuracy of the judge on its own validation "
        "rows, smoothed over "
        "neighbouring k. Here in %, mean over the seeds. A stronger blue is better within a column; the frame is what "
        "most seeds chose.\n\n";
  }
  add_figures("gamma");
  if (has("stability")) out += "## Stability\n\n";
  add_figures("stability");
  if (!findings.stability.empty()) {
    out += "Features selected by any, by most and by all of the seeds:\n\n";
    add_table(frequency_table(view));
  }
  if (!findings.costs.empty()) {
    out += "## Time and memory\n\nSeconds of one thread, all seeds together; memory of the whole process.\n\n";
    add_table(costs_table(view));
  }
  out += "## Methods and sets\n\n";
  add_table(methods_table(view));
  add_table(sets_table(view));
  if (!findings.comparisons.empty()) {
    out += "## Every cell\n\n";
    add_table(compared_cells_table(view));
  }
  while (out.ends_with("\n\n")) out.pop_back();
  return out;
}

}  // namespace obverse
