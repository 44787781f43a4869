// The report of a comparison.
#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include <obverse/report.h>
#include <obverse/version.h>

#include "comparison/recommend.h"
#include "downstream/classifiers.h"
#include "metrics/metrics.h"
#include "metrics/score_format.h"
#include "options/json.h"
#include "options/methods.h"
#include "page/code.h"
#include "page/html.h"
#include "report/comparison.h"
#include "report/findings_figures.h"
#include "report/study.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kCurves = 6;  // methods with a line in the chart, from the best on

/// The mask alone, for places that say in another way whether its complement is there.
std::string mask_name(const std::string& method) {
  return method.ends_with(kWithComplement) ? without_complement(method) : method;
}

ScoreFormat format_of(const Comparison& c) { return ScoreFormat(metric_named(c.metric)); }
std::string measure_of(const Comparison& c) { return std::string(measure_name(metric_named(c.metric))); }

// ---- The top of the page ----

std::string title_of(const Comparison& c) {
  return c.target_name.empty() ? "Which method selects best?"
                               : fmt::format("Which method selects best for \u2018{}\u2019?", c.target_name);
}

std::string subtitle(const Comparison& c, const ComparisonOrigin& origin) {
  std::vector<std::string> parts;
  if (!origin.path.empty()) parts.push_back(origin.path.substr(origin.path.find_last_of('/') + 1));
  parts.push_back(count_text(c.training_rows + c.test_rows, "row"));
  parts.push_back(count_text(c.features, "feature"));
  if (c.classes > 0) parts.push_back(c.classes == 1 ? "1 class" : with_commas(c.classes) + " classes");
  parts.push_back(count_text(c.methods.size(), "method"));
  parts.push_back(count_text(static_cast<std::size_t>(c.options.runs), "run"));
  return join(parts, " · ");
}

/// " ± 0.4", or nothing for one run.
std::string spread_words(const ScoreFormat& format, const ComparedMethod& method) {
  return method.run_means.size() > 1 ? format.plus_minus(method.mean, method.deviation, 1) : std::string();
}

std::string facts(const Comparison& c) {
  const ComparedMethod* const chosen = c.method(c.recommended);
  const ComparedMethod& best = c.methods.front();
  const ScoreFormat format = format_of(c);
  std::string out = "<dl class=\"facts\">\n";
  if (chosen != nullptr) {
    out += fact(
        "Recommended", mask_name(chosen->name),
        fmt::format("{}{} {}{}, rank {} of {}", chosen->name.ends_with(kWithComplement) ? "with its complement; " : "",
                    mean_name(metric_named(c.metric)), format.score(chosen->mean), spread_words(format, *chosen),
                    chosen->rank, c.methods.size()));
    out += fact("Time to select", duration_text(chosen->seconds),
                chosen == &best ? "the method with the best mean"
                                : fmt::format("{} takes {}", best.name, duration_text(best.seconds)));
  }
  if (chosen != &best) {
    out += fact("Best mean", format.score(best.mean), fmt::format("{}{}", best.name, spread_words(format, best)));
  }
  const ComparedMethod* const random = c.method(kRandom);
  out += fact("All features", format.score(c.all_features.mean),
              random != nullptr && random->rank > 0
                  ? fmt::format("no selection; random features reach {}", format.score(random->mean))
                  : std::string("no selection"));
  return out + "</dl>\n";
}

/// The name in bold, then the reasons.
std::string lead(const Comparison& c) {
  const std::size_t name = c.recommended.empty() ? 0 : std::min(c.recommendation.find(':'), c.recommendation.size());
  std::string out;
  for (const std::string& warning : c.warnings) {
    out += fmt::format("<p class=\"notice\"><strong>Too good to be true?</strong> {}.</p>\n", escaped(warning));
  }
  return out +
         fmt::format("<p class=\"answer\"><strong>{}</strong>{}</p>\n", escaped(c.recommendation.substr(0, name)),
                     escaped(c.recommendation.substr(name))) +
         facts(c);
}

// ---- Features ----

std::vector<Block> features_blocks(const Comparison& c, const ComparisonOrigin& origin) {
  if (c.consensus.features.empty()) return {};
  std::vector<Block> out{Words{features_words(c)}, features_table(c), Words{missed_words(c)}};
  if (origin.next_command.empty()) return out;
  out.push_back(Markup{heading_html("Next step") + paragraph("Select from all rows with the recommended method:") +
                       code_html("the command", {origin.next_command})});
  return out;
}

// ---- Methods ----

std::vector<Block> methods_blocks(const Comparison& c) {
  std::vector<std::string> notes;
  for (const ComparedMethod& method : c.methods) {
    if (!method.note.empty()) notes.push_back(fmt::format("{} could not rank the data: {}", method.name, method.note));
  }
  notes.insert(notes.end(), c.notes.begin(), c.notes.end());
  return {Words{rows_text(c) + " " + table_words(c) + " The recommended method is in bold."}, methods_table(c),
          Markup{notes.empty() ? std::string() : heading_html("Notes") + notes_html(notes)}};
}

/// The best methods, and the recommended one where it is not among them.
std::vector<std::size_t> drawn_methods(const FindingsView& view, std::size_t recommended) {
  std::vector<std::size_t> out(std::min(kCurves, view.findings().methods.size()));
  std::iota(out.begin(), out.end(), std::size_t{0});
  if (recommended != kNoMethod && recommended >= out.size()) out.push_back(recommended);
  return out;
}

std::vector<Block> curves_blocks(const FindingsView& view, std::size_t recommended) {
  const std::vector<std::size_t> methods = drawn_methods(view, recommended);
  std::vector<SeriesLook> legend;
  for (const std::size_t m : methods) legend.push_back(view.look(m));
  std::vector<std::string> classifiers = view.findings().classifiers;
  if (classifiers.size() > 1) classifiers.insert(classifiers.begin(), std::string());  // their mean
  return {Words{fmt::format("{}{} by number of selected features: mean over the runs, with a band of one standard "
                            "deviation. All panels share the same y axis.",
                            methods.size() == 1 ? std::string("The method")
                                                : fmt::format("The {} with the best means",
                                                              count_text(std::min(kCurves, methods.size()), "method")),
                            methods.size() > kCurves ? " and the recommended one" : "")},
          FigureRow{.name = "accuracy",
                    .title = "Results by number of features",
                    .figures = accuracy_figures(view, 0, classifiers, methods),
                    .legend = std::move(legend)}};
}

std::vector<Block> time_blocks(const Comparison& c, const FindingsView& view, std::size_t recommended) {
  const SelectOptions& select = c.options.select;
  return {Words{fmt::format(
              "Wall time of one selection for all k, with {}{}. Methods with a complement train one network for each "
              "weight of the complementary loss and choose one of them; \u2018no network\u2019 methods rank without "
              "training. The ring marks the recommended method.",
              count_text(static_cast<std::size_t>(select.threads), "thread"),
              select.device == "cpu" ? "" : ", networks on " + select.device)},
          FigureRow{.name = "time",
                    .title = "Results and time",
                    .figures = {time_figure(view, 0, recommended)},
                    .legend = kind_looks(view)}};
}

std::vector<Block> complement_blocks(const FindingsView& view) {
  std::vector<Block> out = wins_blocks(view);
  if (out.empty()) return out;
  const auto& comparisons = view.findings().comparisons;
  const bool larger_is_better = view.format().percent();
  const auto gained = std::count_if(comparisons.begin(), comparisons.end(), [&](const ComparisonFinding& c) {
    return larger_is_better ? c.first_mean > c.second_mean : c.first_mean < c.second_mean;
  });
  out.insert(out.begin(), Words{fmt::format("Each mask with its complement (first) against the mask alone (second): "
                                            "the complement helps {} of {}.",
                                            gained, comparisons.size())});
  return out;
}

std::vector<Block> classifiers_blocks(const Comparison& c, const FindingsView& view) {
  std::vector<Block> out;
  const ScoreFormat format = format_of(c);
  const FitSettings settings{.trees = static_cast<std::size_t>(c.options.trees),
                             .neighbours = static_cast<std::size_t>(c.options.neighbours)};
  for (const std::string& classifier : c.options.classifiers) {
    out.push_back(Heading{capitalised(classifier_named(classifier).description(settings))});
    out.push_back(
        Words{fmt::format("{}{}: {} with all features.", capitalised(measure_of(c)), format.unit(),
                          format.score(c.results.mean({.method = c.all_features.name, .classifier = classifier})))});
    out.push_back(sizes_table(view, 0, classifier));
  }
  return out;
}

// ---- Data, options and how to do it again ----

std::string data_html(const Comparison& c, const ComparisonOrigin& origin) {
  Pairs pairs;
  pairs.add_known("File", origin.path);
  pairs.add_known("Format", origin.format);
  pairs.add_known("Test file", origin.test_path);
  pairs.add("Features", c.features);
  pairs.add_known("Target", c.target_name);
  pairs.add_known("Classes", c.classes);
  pairs.add("Training rows", c.training_rows);
  pairs.add("Test rows", c.test_rows);
  pairs.add("Fingerprint", c.data_fingerprint);
  return pairs.html();
}

std::string options_section(const Comparison& c, const ComparisonOrigin& origin) {
  nlohmann::ordered_json asked = options_json(c.options);
  asked.erase("methods");  // all are in the first table
  std::string out = options_html(asked) + heading_html("Training of the masks") +
                    options_html(comparison_tree(c, origin)["selection"]);
  if (origin.command.empty()) return out;
  return out + heading_html("Run it again") + fmt::format("<p><code>{}</code></p>\n", escaped(origin.command));
}

std::string run_html(const Comparison& c, const ComparisonOrigin& origin) {
  Pairs pairs;
  pairs.add("Comparing", duration_text(c.seconds));
  if (origin.peak_memory > 0) pairs.add("Most memory held", byte_text(origin.peak_memory));
  pairs.add("Version", fmt::format("Obverse {}", kVersion));
  return pairs.html();
}

}  // namespace

Page comparison_page(const Comparison& comparison, const ComparisonOrigin& origin) {
  const Findings findings = findings_of(comparison);
  const FindingsView view(findings);
  const auto named = std::find_if(findings.methods.begin(), findings.methods.end(),
                                  [&](const MethodFinding& method) { return method.name == comparison.recommended; });
  const std::size_t recommended =
      named == findings.methods.end() ? kNoMethod : static_cast<std::size_t>(named - findings.methods.begin());
  return {.title = title_of(comparison),
          .subtitle = subtitle(comparison, origin),
          .lead = lead(comparison),
          .sections = page_sections({{"features", "Features", features_blocks(comparison, origin)},
                                     {"methods", "Methods", methods_blocks(comparison)},
                                     {"curves", capitalised(measure_of(comparison)), curves_blocks(view, recommended)},
                                     {"time", "Time", time_blocks(comparison, view, recommended)},
                                     {"complement", "Complement", complement_blocks(view)},
                                     {"classifiers", "Classifiers", classifiers_blocks(comparison, view)},
                                     {"data", "Data", {Markup{data_html(comparison, origin)}}},
                                     {"options", "Options", {Markup{options_section(comparison, origin)}}},
                                     {"run", "Time and memory", {Markup{run_html(comparison, origin)}}}}),
          .footer = footer_html(kVersion)};
}

std::string report_html(const Comparison& comparison) { return page_html(comparison_page(comparison)); }

}  // namespace obverse
