// The report of a selection.
#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/report.h>

#include "metrics/metrics.h"
#include "page/document.h"
#include "page/explorer.h"
#include "page/html.h"
#include "report/control.h"
#include "report/selection.h"
#include "report/selection_distributions.h"
#include "report/selection_evidence.h"
#include "report/selection_models.h"
#include "report/selection_repeat.h"
#include "report/selection_stand_ins.h"
#include "report/selection_view.h"
#include "report/shown_score.h"
#include "support/json.h"
#include "support/text.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNamesInLead = 12;
constexpr std::size_t kMostFeatures = 10000;  // that a page holds, so that it stays small; pictures are held whole
constexpr std::size_t kOftenSelected = 10;

template <class... Parts>
void add(std::string& out, fmt::format_string<Parts...> format, Parts&&... parts) {
  fmt::format_to(std::back_inserter(out), format, std::forward<Parts>(parts)...);
}

std::string name_html(const std::string& name) { return "<bdi>" + escaped(excerpt(name, 60)) + "</bdi>"; }

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

ExplorerQuestion question_parts(const SelectionView& view) {
  const std::string name = "\u2018" + view.target + "\u2019";
  std::string what = view.target.empty() ? "the classes apart" : "the classes of " + name + " apart";
  if (view.task == Task::multilabel || view.task == Task::regression) what = view.target.empty() ? "the target" : name;
  if (view.task == Task::reconstruction) what = "what is in all the others";
  const std::string known = count_text(view.names.size(), "feature");
  return {"Which ", fmt::format(" of the {} tells {}?", known, what), fmt::format(" of the {} tell {}?", known, what)};
}

std::string question(const SelectionView& view) {
  const ExplorerQuestion parts = question_parts(view);
  if (view.k == 0) return cat("Which", parts.after_many);
  return cat(parts.before, with_commas(view.k), view.k == 1 ? parts.after_one : parts.after_many);
}

std::string method_name(const std::string& method) {
  if (method == "cfm") return "a mask and its complement (CFM)";
  if (method == "fm") return "a mask alone (FM)";
  if (method == "auto") return "the best of masks and rankers";
  return trains_networks(method) ? "the mask " + method : method;
}

std::string subtitle(const SelectionView& view) {
  std::vector<std::string> parts;
  if (!view.path.empty()) parts.push_back(file_name(view.path));
  parts.push_back(count_text(view.training_rows + view.validation_rows, "row"));
  if (view.classes > 0) parts.push_back(view.classes == 1 ? "1 class" : with_commas(view.classes) + " classes");
  parts.push_back("ranked by " + method_name(view.method));
  return join(parts, " · ");
}

/// For each feature whether it is a true one.
std::vector<bool> truth(const SelectionView& view) {
  std::vector<bool> out(view.names.size());
  for (const std::size_t feature : view.true_features) out[feature] = true;
  return out;
}

/// True features among the selected.
std::size_t true_selected(const SelectionView& view) {
  const std::vector<bool> is_true = truth(view);
  const auto selected = std::span(view.order).first(view.k);
  return static_cast<std::size_t>(
      std::count_if(selected.begin(), selected.end(), [&](std::size_t feature) { return is_true[feature]; }));
}

/// The accuracy on the rows of a test file.
std::string test_fact(const SelectionView& view) {
  const TestView& test = *view.test;
  const Metric& metric = metrics_of(view.task).front();
  std::vector<std::string> details;
  if (test.low && test.high) details.push_back(shown_interval(metric, *test.low, *test.high));
  if (test.base_rate) details.push_back(cat("without features ", shown_score(metric, *test.base_rate)));
  details.push_back(fmt::format("{}5 nearest neighbours on {}; {} with all {}",
                                view.evidence ? cat("with the ", count_text(view.k, "selected feature"), ": ") : "",
                                count_text(test.rows, "test row"), shown_score(metric, test.all),
                                count_text(view.names.size(), "feature")));
  return fact(capitalised(cat("test ", metric.title)), shown_score(metric, test.selected), join(details, "; "));
}

/// What the held-out rows say that took part in the choice between models.
std::string choice_fact(const SelectionView& view) {
  const Metric& metric = judging_metric(view);
  std::string details = fmt::format("on {} that also picked the model: expect a little {} on new data",
                                    count_text(view.validation_rows, "row"), metric.larger_is_better ? "less" : "more");
  if (view.base_rate && judges_refitted(view)) {
    details += cat("; without features ", shown_score(metric, *view.base_rate));
  }
  return fact(capitalised(cat("held-out ", metric.title)),
              shown_score(metric, signed_score(metric, *view.models[view.chosen].accuracy)), details);
}

/// How sure the answer is.
std::string facts(const SelectionView& view) {
  std::string out = "<dl class=\"facts\">\n";
  if (view.evidence) out += evidence_facts(view);
  if (view.test) out += test_fact(view);
  if (!view.evidence && was_judged(view) && view.models[view.chosen].accuracy) out += choice_fact(view);
  if (view.models.size() > 1 && !view.evidence) {
    out += fact("Stability", fmt::format("{:.2f}", view.stability),
                fmt::format("1 is identical, 0 is chance: the {} models {}", view.models.size(),
                            agreement_words(view.stability)));
  }
  if (!view.true_features.empty()) {
    out += fact("True features found", fmt::format("{} of {}", true_selected(view), view.true_features.size()),
                fmt::format("among the first {}; chance would find {:.1f}", view.k,
                            static_cast<double>(view.k) * static_cast<double>(view.true_features.size()) /
                                static_cast<double>(view.names.size())));
  }
  if (view.trained) {
    out +=
        is_pool(view)
            ? fact("Answered by", view.models[view.chosen].method,
                   cat("best of ", view.models.size(), " candidates, found in ", duration_text(view.training_seconds)))
            : fact("Models", with_commas(view.models.size()), "trained in " + duration_text(view.training_seconds));
  } else {
    out += fact("Method", view.method, "no network was trained: " + view.reason);
  }
  return out + "</dl>\n";
}

std::string lead(const SelectionView& view) {
  const bool noise = view.evidence && !view.evidence->verdict.signal;
  std::string out;
  for (const std::string& warning : view.warnings) {
    add(out, "<p class=\"notice\"><strong>Too good to be true?</strong> {}</p>\n", escaped(warning));
  }
  if (view.evidence) out += no_signal_notice(*view.evidence);
  if (view.k == 0) return out + no_feature_notice(*view.evidence->control) + facts(view);
  out += "<p class=\"answer\" data-follow=\"answer\">";
  if (noise) {
    add(out, "The first {} of the ranking:</p>\n", view.k == 1 ? "feature" : with_commas(view.k));
  } else {
    out += view.k == 1 ? "This one:</p>\n" : fmt::format("These {}, best first:</p>\n", with_commas(view.k));
  }
  add(out, "<ul class=\"names{}\" data-follow=\"names\">\n", noise ? " noise" : "");
  const std::size_t shown = std::min(view.k, kNamesInLead);
  for (std::size_t i = 0; i < shown; ++i) add(out, "<li>{}</li>\n", name_html(view.names[view.order[i]]));
  if (shown < view.k) {
    add(out, "<li class=\"rest\">and <a href=\"#features\">{} more</a></li>\n", with_commas(view.k - shown));
  }
  return out + "</ul>\n" + facts(view);
}

/// What the scores are.
std::string scores_html(const SelectionView& view) {
  if (!view.trained) return fmt::format("The scores are those of the method: {}.", escaped(view.reason));
  if (!view.columns.empty()) {
    return "The score of a feature is its share of the mask less that of a copy of it with permuted rows: 0 is noise.";
  }
  const auto kept = view.options.find("keep");
  if (kept != view.options.end() && kept->is_array() && !kept->empty()) {
    return "The score of a feature is its share of the mask; features that are kept have the largest one of the "
           "others.";
  }
  return "The score of a feature is its share of the mask; all of them add up to 1.";
}

std::string features_html(const SelectionView& view) {
  std::string out = "<p>" + scores_html(view);
  if (is_controlled(view)) {
    add(out,
        " <em>Selected by</em> is the share of the {} halves of the rows that select the feature, or one that can take "
        "its place.",
        with_commas(view.evidence->control->halves));
  } else if (view.evidence) {
    add(out, " <em>Selected by</em> is the share of the {} that have the feature among their first {}.",
        count_text(view.evidence->resamples, "selection") + " from parts of the rows (folds and halves)",
        with_commas(view.k));
  } else if (view.models.size() > 1) {
    add(out, " <em>Selected by</em> is the share of the {} models that have the feature among their first {}.",
        view.models.size(), with_commas(view.k));
  }
  out += "</p>\n";
  if (!view.image && view.names.size() > kMostFeatures) {
    add(out, "<p>This page holds the first {} of {}; <code>ranking.csv</code> has all of them.</p>\n",
        with_commas(kMostFeatures), count_text(view.names.size(), "feature"));
  }
  out += "<noscript><ol>";
  for (std::size_t i = 0; i < std::min<std::size_t>(view.k, 100); ++i) {
    add(out, "<li>{}</li>", name_html(view.names[view.order[i]]));
  }
  const auto name = [&](std::size_t feature) { return view.names[feature]; };
  const auto score = [&](std::size_t feature) { return view.scores[feature]; };
  Explorer explorer{.id = "ranking",
                    .title = question(view),
                    .k = std::max<std::size_t>(1, view.k),
                    .held = kMostFeatures,
                    .order = view.order,
                    .name = name,
                    .score = score,
                    .image = view.image,
                    .picture = view.mask_scores,
                    .picture_title = "Mask scores before the softmax"};
  if (view.models.size() > 1) explorer.frequency = [&](std::size_t feature) { return view.frequency[feature]; };
  if (view.evidence) {
    const std::vector<double>& frequency =
        is_controlled(view) ? view.evidence->control->frequency : view.evidence->frequency;
    explorer.frequency = [&](std::size_t feature) { return frequency[feature]; };
    explorer.measured = measured_sizes(view);
    if (view.k > 0) explorer.question = question_parts(view);
  }
  if (!view.true_features.empty()) explorer.truth = truth(view);
  for (const ExampleView& example : view.examples) {
    explorer.examples.push_back({{"label", example.label}, {"pixels", example.pixels}});
  }
  return out + "</ol></noscript>\n" + explorer_html(explorer);
}

/// What the groups of columns hold, in the order of the ranking.
std::vector<Block> groups_blocks(const SelectionView& view) {
  if (view.columns.empty()) return {};
  ReportTable table{.name = "groups", .columns = {{"Group"}, {"Rank", true}, {"Columns", true}, {"Which"}}};
  for (std::size_t rank = 0; rank < view.order.size(); ++rank) {
    const std::vector<std::string>& columns = view.columns[view.order[rank]];
    if (columns.empty()) continue;
    table.rows.push_back({{excerpt(view.names[view.order[rank]], 60)},
                          count_cell(rank + 1),
                          count_cell(columns.size()),
                          {excerpt(join(columns), 200)}});
  }
  return {Words{"The columns of a group are one feature: they are selected together and counted once."},
          std::move(table)};
}

std::vector<Block> notes_blocks(const SelectionView& view) {
  if (view.notes.empty()) return {};
  return {Markup{notes_html(view.notes)}};
}

/// Features outside the answer that other models selected most often.
std::vector<std::size_t> often_selected(const SelectionView& view) {
  std::vector<std::size_t> others;
  for (std::size_t rank = view.k; rank < view.order.size(); ++rank) {
    if (view.frequency[view.order[rank]] > 0) others.push_back(view.order[rank]);
  }
  std::stable_sort(others.begin(), others.end(),
                   [&](std::size_t a, std::size_t b) { return view.frequency[a] > view.frequency[b]; });
  if (others.size() > kOftenSelected) others.resize(kOftenSelected);
  return others;
}

std::vector<Block> agreement_blocks(const SelectionView& view) {
  if (view.models.size() < 2) return {};
  std::vector<Block> out{Words{agreement_text(view.models.size(), view.stability, view.jaccard)}};
  if (view.evidence) {
    out.push_back(
        Words{"These are the models of one sweep, trained on the same rows: their agreement shows how much recipe, "
              "seed and gamma matter, not what other rows would select."});
  }
  const std::vector<std::size_t> others = often_selected(view);
  if (others.empty()) return out;
  ReportTable table{.name = "alternatives", .columns = {{"Feature"}, {"Selected by", true}, {"Rank", true}}};
  for (const std::size_t f : others) {
    const auto rank = std::find(view.order.begin(), view.order.end(), f) - view.order.begin() + 1;
    table.rows.push_back({{excerpt(view.names[f], 60)},
                          {fmt::format("{:.0f} %", 100 * view.frequency[f]), view.frequency[f]},
                          count_cell(static_cast<std::size_t>(rank))});
  }
  out.push_back(
      Words{"Where features repeat each other, many sets serve equally well. These are not in the answer, but other "
            "models selected them:"});
  out.push_back(std::move(table));
  return out;
}

std::string data_html(const SelectionView& view) {
  Pairs pairs;
  pairs.add_known("File", view.path);
  pairs.add_known("Format", view.format);
  pairs.add("Features", view.names.size());
  if (view.image) pairs.add("Pictures", fmt::format("{} x {} pixels", view.image->height, view.image->width));
  pairs.add_known("Target", view.target);
  pairs.add_known("Classes", view.classes);
  pairs.add("Training rows", view.training_rows);
  pairs.add_known("Held-out rows", view.validation_rows);
  if (view.test) pairs.add("Test rows", view.test->rows);
  const std::size_t shown = std::min(view.constant_features.size(), kNamesInLead);
  std::string constant = join(std::span(view.constant_features).first(shown));
  if (shown < view.constant_features.size()) constant += cat(" and ", view.constant_features.size() - shown, " more");
  pairs.add_known("Constant, ranked last", constant);
  pairs.add("Fingerprint", view.fingerprint);
  return pairs.html();
}

std::string run_html(const SelectionView& view) {
  Pairs pairs;
  pairs.add(view.trained ? "Training" : "Ranking", duration_text(view.training_seconds));
  if (view.trained) pairs.add("Choosing", duration_text(view.choosing_seconds));
  if (view.evidence) pairs.add("Measuring", duration_text(view.evidence->seconds));
  if (view.peak_memory > 0) pairs.add("Most memory held", byte_text(view.peak_memory));
  pairs.add("Version", "Obverse " + view.version);
  return pairs.html();
}

}  // namespace

Json parsed_selection(const std::string& text, const std::string& source) {
  return parse_json(text, cat(printable(source), ": not a selection: expected JSON as `obverse select -o` writes it"));
}

Page selection_page(const Json& selection, const std::string& source) {
  const SelectionView view = selection_view(selection, source);
  return {.title = question(view),
          .subtitle = subtitle(view),
          .lead = lead(view),
          .sections =
              page_sections({{"control", "Error control", control_blocks(view)},
                             {"size", "How many", curve_blocks(view)},
                             {"features", "Features", {Markup{features_html(view)}}},
                             {"groups", "Groups of columns", groups_blocks(view)},
                             {"distributions", "Distributions", distribution_blocks(view)},
                             {"stand-ins", "Stand-ins", stand_ins_blocks(view)},
                             {"notes", "Notes", notes_blocks(view)},
                             {"models", "Models", models_blocks(view)},
                             {"agreement", view.evidence ? "Agreement of models" : "Agreement", agreement_blocks(view)},
                             {"data", "Data", {Markup{data_html(view)}}},
                             {"options", "Options", {Markup{options_html(view.options)}}},
                             {"repeat", "Repeat it", repeat_blocks(view)},
                             {"run", "Time and memory", {Markup{run_html(view)}}}}),
          .footer = footer_html(view.version)};
}

std::string report_html(const Selection& selection, const Dataset& data, ReportData report_data) {
  Json tree = selection_tree(selection, data);
  if (report_data == ReportData::none) leave_out_values(tree);
  return page_html(selection_page(tree));
}

void write_report(const Selection& selection, const Dataset& data, const std::string& path, ReportData report_data) {
  write_file(path, [&](AtomicFile& file) { file.write(report_html(selection, data, report_data)); });
}

}  // namespace obverse
