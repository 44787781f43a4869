#include "report/comparison_page.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <obverse/report.h>
#include <obverse/version.h>

#include "comparison/recommend.h"
#include "comparison/score.h"
#include "downstream/classifiers.h"
#include "experiment/statistics.h"
#include "options/json.h"
#include "options/methods.h"
#include "options/value.h"
#include "report/html.h"
#include "report/page_parts.h"
#include "report/report.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kCurves = 6;  // methods that have a line of their own, from the best on
constexpr std::string_view kRandom = "random";

std::string plural(std::size_t count, const std::string& noun) {
  return with_commas(count) + " " + noun + (count == 1 ? "" : "s");
}

/// A metric at the beginning of a sentence.
std::string capital(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z') text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::vector<std::size_t> sizes_of(const Comparison& c) { return {c.options.k.begin(), c.options.k.end()}; }

std::vector<std::string> size_texts(const Comparison& c) {
  std::vector<std::string> out;
  for (const std::size_t k : sizes_of(c)) out.push_back(with_commas(k));
  return out;
}

std::string classifier_words(std::string_view classifier, const CompareOptions& options) {
  return capitalised(classifier_named(classifier)
                         .description({.trees = static_cast<std::size_t>(options.trees),
                                       .neighbours = static_cast<std::size_t>(options.neighbours)}));
}

/// The mask alone, for places that say in another way whether its complement is there.
std::string mask_name(const std::string& method) {
  return method.ends_with(kWithComplement) ? without_complement(method) : method;
}

// ---- What stands above the sections ----

std::string title_of(const Comparison& c) {
  return c.target_name.empty() ? "Which method selects best?"
                               : fmt::format("Which method selects best for \u2018{}\u2019?", c.target_name);
}

std::string subtitle(const Comparison& c, const ComparisonOrigin& origin) {
  std::vector<std::string> parts;
  if (!origin.path.empty()) parts.push_back(origin.path.substr(origin.path.find_last_of('/') + 1));
  parts.push_back(plural(c.training_rows + c.test_rows, "row"));
  parts.push_back(plural(c.features, "feature"));
  if (c.classes > 0) parts.push_back(c.classes == 1 ? "1 class" : with_commas(c.classes) + " classes");
  parts.push_back(plural(c.methods.size(), "method"));
  parts.push_back(plural(static_cast<std::size_t>(c.options.runs), "run"));
  return join(parts, " · ");
}

std::string spread_words(const ComparedMethod& method) {
  return method.run_means.size() > 1 ? fmt::format(" ± {}", score_number(method.deviation)) : std::string();
}

std::string facts(const Comparison& c) {
  const ComparedMethod* const chosen = c.method(c.recommended);
  const ComparedMethod& best = c.methods.front();
  std::string out = "<dl class=\"facts\">\n";
  if (chosen != nullptr) {
    out += fact("Recommended", mask_name(chosen->name),
                fmt::format("{}mean {} {}{}, rank {} of {}",
                            chosen->name.ends_with(kWithComplement) ? "with its complement; " : "", c.metric,
                            score_text(chosen->mean), spread_words(*chosen), chosen->rank, c.methods.size()));
    out += fact(
        "Time to select", short_duration(chosen->seconds),
        chosen == &best ? "the best mean, too" : fmt::format("{} takes {}", best.name, short_duration(best.seconds)));
  }
  if (chosen != &best) {
    out += fact("Best mean", score_text(best.mean), fmt::format("{}{}", best.name, spread_words(best)));
  }
  const ComparedMethod* const random = c.method(kRandom);
  out += fact("All features", score_text(c.all_features.mean),
              random != nullptr && random->rank > 0
                  ? fmt::format("without a selection; random features reach {}", score_text(random->mean))
                  : std::string("without a selection"));
  return out + "</dl>\n";
}

/// The name stands out, the reasons follow it.
std::string lead(const Comparison& c) {
  const std::size_t name = c.recommended.empty() ? 0 : std::min(c.recommendation.find(':'), c.recommendation.size());
  return fmt::format("<p class=\"answer\"><strong>{}</strong>{}</p>\n", escaped(c.recommendation.substr(0, name)),
                     escaped(c.recommendation.substr(name))) +
         facts(c);
}

// ---- Methods ----

/// The table of the command, with the rank before it and how far the runs agree behind it.
ReportTable page_table(const Comparison& c) {
  ReportTable table = methods_table(c);
  for (TableColumn& column : table.columns) column.title = capital(column.title);
  for (std::size_t i = 0; i < c.options.classifiers.size(); ++i) {
    table.columns[i + 2].title = classifier_title(c.options.classifiers[i]);
  }
  table.columns.insert(table.columns.begin(), {"Rank", true});
  const bool several = c.options.runs > 1;
  if (several) table.columns.push_back({"Stability", true});
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const ComparedMethod& method = i < c.methods.size() ? c.methods[i] : c.all_features;
    const auto rank = static_cast<double>(method.rank);
    table.rows[i].insert(table.rows[i].begin(),
                         method.rank > 0 ? TableCell{std::to_string(method.rank), rank} : TableCell{"–"});
    if (!several) continue;
    table.rows[i].push_back(method.rank > 0 ? TableCell{fmt::format("{:.2f}", method.stability), method.stability}
                                            : TableCell{"–"});
  }
  return table;
}

std::string methods_section(const Comparison& c) {
  std::string out = paragraph(rows_text(c) + " " + table_words(c) + " The recommended method is in bold.");
  if (c.options.runs > 1) {
    const auto sizes = sizes_of(c);
    out += paragraph(
        fmt::format("Stability is Nogueira's index of the {} features that the runs selected: 1 is identical, 0 is "
                    "chance. Where features repeat each other, a low one need not be bad.",
                    with_commas(sizes[sizes.size() / 2])));
  }
  out += table_html(page_table(c));
  std::string notes;
  for (const ComparedMethod& method : c.methods) {
    if (!method.note.empty()) {
      notes += fmt::format("<li>{} could not rank the data: {}</li>\n", escaped(method.name), escaped(method.note));
    }
  }
  for (const std::string& note : c.notes) notes += fmt::format("<li>{}</li>\n", escaped(note));
  return notes.empty() ? out : out + heading("Notes") + "<ul class=\"notes\">\n" + notes + "</ul>\n";
}

// ---- Curves ----

/// The best methods, and the recommended one where it is not among them.
std::vector<const ComparedMethod*> drawn_methods(const Comparison& c) {
  std::vector<const ComparedMethod*> out;
  for (const ComparedMethod& method : c.methods) {
    if (method.rank > 0 && (method.rank <= kCurves || method.name == c.recommended)) out.push_back(&method);
  }
  return out;
}

std::vector<SeriesLook> curve_looks(const std::vector<const ComparedMethod*>& methods) {
  std::vector<SeriesLook> out;
  for (std::size_t i = 0; i < methods.size(); ++i) out.push_back({methods[i]->name, methods[i]->name, i});
  return out;
}

/// Mean of each run with one k.
double deviation_at(const Comparison& c, const ComparedMethod& method, std::size_t k, std::string_view classifier) {
  std::vector<double> runs(static_cast<std::size_t>(c.options.runs));
  std::vector<double> counts(runs.size());
  for (const ComparedScore& score : method.scores) {
    if (score.k != k || (!classifier.empty() && score.classifier != classifier)) continue;
    runs[score.run] += score.value;
    ++counts[score.run];
  }
  for (std::size_t run = 0; run < runs.size(); ++run) runs[run] /= counts[run];
  return spread_of(runs).deviation;
}

LineChart curves(const Comparison& c, const std::vector<const ComparedMethod*>& methods, std::string_view classifier,
                 std::string& csv) {
  LineChart chart{.title = classifier.empty() ? "Mean" : classifier_title(classifier),
                  .x_title = "features selected, k",
                  .y_title = score_title(c.metric),
                  .places = size_texts(c)};
  const std::vector<SeriesLook> looks = curve_looks(methods);
  csv = "method,k,mean,deviation\n";
  for (std::size_t i = 0; i < methods.size(); ++i) {
    LineSeries series{.look = looks[i], .values = {}};
    for (const std::size_t k : sizes_of(c)) {
      const double mean = methods[i]->mean_of(k, classifier);
      const double deviation = deviation_at(c, *methods[i], k, classifier);
      series.values.push_back(100 * mean);
      series.tips.push_back(fmt::format("{}, k = {}: {}", methods[i]->name, with_commas(k), score_text(mean)));
      if (c.options.runs > 1) series.tips.back() += fmt::format(" ± {}", score_number(deviation));
      csv += fmt::format("{},{},{:.6g},{:.6g}\n", csv_field(methods[i]->name), k, mean, deviation);
    }
    chart.series.push_back(std::move(series));
  }
  return chart;
}

std::string curves_section(const Comparison& c) {
  const auto methods = drawn_methods(c);
  std::vector<LineChart> charts;
  std::vector<PageFigure> figures;
  Range range;
  const auto add = [&](std::string_view classifier, std::string name, std::string caption) {
    figures.push_back({.name = std::move(name), .caption = std::move(caption), .drawing = {}, .csv = {}});
    charts.push_back(curves(c, methods, classifier, figures.back().csv));
    const Range one = value_range(charts.back().series);
    range.add(one.low);
    range.add(one.high);
  };
  add({}, "by-size", "Mean of the classifiers");
  charts.back().width = 480;
  charts.back().height = 300;
  for (const std::string& classifier : c.options.classifiers) {
    add(classifier, "by-size-" + classifier, classifier_words(classifier, c.options));
  }
  const double room = range.low < range.high ? 0.03 * (range.high - range.low) : 1;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    charts[i].low = std::fmax(0, range.low - room);
    charts[i].high = range.high + room;
    figures[i].drawing = line_chart(charts[i]);
  }
  std::string out =
      paragraph(fmt::format("The first {} by their mean{}, against the number of selected features; mean over the "
                            "runs. All panels share one y axis.",
                            plural(std::min(kCurves, methods.size()), "method"),
                            methods.size() > kCurves ? " and the recommended one" : "")) +
      legend_html(curve_looks(methods)) + figure_html(figures.front());
  if (c.options.classifiers.size() < 2) return out;
  return out + figures_html({figures.begin() + 1, figures.end()});
}

// ---- Time ----

SeriesLook kind_look(std::string_view method) {
  switch (kind_of(method)) {
    case MethodKind::mask_with_complement:
      return {"with", "mask with its complement", 0};
    case MethodKind::mask:
      return {"without", "mask alone", 1};
    case MethodKind::ranker:
      return {"ranker", "no network", 2};
  }
  return {};
}

std::string time_section(const Comparison& c) {
  ScatterChart chart{.title = fmt::format("{} and time", capital(c.metric)),
                     .x_title = "seconds to select, one run",
                     .y_title = "mean " + score_title(c.metric),
                     .width = 500,
                     .height = 380};
  std::vector<SeriesLook> kinds;
  std::string csv = "method,seconds,mean\n";
  const auto add = [&](const ComparedMethod& method) {
    const SeriesLook look = kind_look(method.name);
    const auto is_known = [&](const SeriesLook& known) { return known.key == look.key; };
    if (std::none_of(kinds.begin(), kinds.end(), is_known)) kinds.push_back(look);
    chart.points.push_back({.look = look,
                            .label = mask_name(method.name),
                            .x = std::fmax(method.seconds, 1e-4),
                            .y = 100 * method.mean,
                            .tip = fmt::format("{}: {}{} in {}", method.name, score_text(method.mean),
                                               spread_words(method), short_duration(method.seconds)),
                            .marked = method.name == c.recommended});
    csv += fmt::format("{},{:.4g},{:.6g}\n", csv_field(method.name), method.seconds, method.mean);
  };
  // The recommended one comes first and so has its label.
  if (const ComparedMethod* const chosen = c.method(c.recommended)) add(*chosen);
  for (const ComparedMethod& method : c.methods) {
    if (method.rank > 0 && method.name != c.recommended) add(method);
  }
  std::sort(kinds.begin(), kinds.end(), [](const SeriesLook& a, const SeriesLook& b) { return a.place < b.place; });
  const PageFigure figure{.name = "time",
                          .caption = "High and to the left is better; the ring marks the recommended method.",
                          .drawing = scatter_chart(chart),
                          .csv = std::move(csv)};
  const SelectOptions& select = c.options.select;
  return paragraph(
             fmt::format("Wall time of one selection for every k, with {}{}. Methods with a complement train a network "
                         "for every weight of it and choose one; \u2018no network\u2019 ranks without any.",
                         plural(static_cast<std::size_t>(select.threads), "thread"),
                         select.device == "cpu" ? "" : ", networks on " + select.device)) +
         legend_html(kinds) + figure_html(figure);
}

// ---- The complement ----

struct ComplementPair {
  const ComparedMethod* with;
  const ComparedMethod* without;
};

std::vector<ComplementPair> complement_pairs(const Comparison& c) {
  std::vector<ComplementPair> out;
  for (const std::string& name : c.options.methods) {
    const ComparedMethod* const with = c.method(name);
    const ComparedMethod* const without = c.method(without_complement(name));
    if (without != nullptr && with->rank > 0 && without->rank > 0) out.push_back({with, without});
  }
  return out;
}

std::string complement_section(const Comparison& c) {
  const auto pairs = complement_pairs(c);
  if (pairs.empty()) return {};
  ReportTable table{.name = "complement", .columns = {{"Mask"}, {"Alone", true}, {"With", true}, {"Difference", true}}};
  const bool several = c.options.runs > 1;
  if (several) table.columns.push_back({"p", true});
  HeatGrid grid{.title = "What the complement brings, in points", .x_title = "k", .columns = size_texts(c)};
  grid.columns.emplace_back("mean");
  std::string csv = "mask,k,difference\n";
  double widest = kNearScore;
  for (const ComplementPair& pair : pairs) widest = std::fmax(widest, std::fabs(pair.with->mean - pair.without->mean));
  std::size_t gained = 0;
  for (const auto& [with, without] : pairs) {
    const double difference = with->mean - without->mean;
    gained += difference > 0 ? 1 : 0;
    table.rows.push_back({{without->name},
                          {score_number(without->mean), without->mean},
                          {score_number(with->mean), with->mean},
                          {signed_points(difference), difference}});
    if (several) {
      const double p = paired_difference(with->run_means, without->run_means, overlap_of(c)).p;
      table.rows.back().push_back({p_text(p), p});
    }
    HeatRow row{.label = without->name, .cells = {}};
    const auto add = [&](const std::string& place, double value) {
      row.cells.push_back({.shade = std::clamp(value / widest, -1.0, 1.0),
                           .text = signed_points(value),
                           .tip = fmt::format("{}, {}: {} points", row.label, place, signed_points(value))});
      csv += fmt::format("{},{},{:.6g}\n", csv_field(row.label), place, value);
    };
    for (const std::size_t k : sizes_of(c)) add(cat("k = ", k), with->mean_of(k) - without->mean_of(k));
    add("mean", difference);
    grid.rows.push_back(std::move(row));
  }
  const PageFigure figure{.name = "complement",
                          .caption = "Blue: better with the complement; orange: worse.",
                          .drawing = heat_grid(grid),
                          .csv = std::move(csv)};
  return paragraph(fmt::format(
             "The same masks with and without their complement: {} of {} gain by it.{}", gained, pairs.size(),
             several ? " p is that of a two-sided paired t-test over the runs, corrected for rows that they "
                       "share; several tests at "
                       "once find something by chance."
                     : "")) +
         figure_html(figure) + table_html(table);
}

// ---- Classifier by classifier ----

std::string classifier_table(const Comparison& c, const std::string& classifier) {
  ReportTable table{.name = cat("methods-", classifier), .columns = {{"Method"}}};
  for (const std::string& k : size_texts(c)) table.columns.push_back({"k = " + k, true});
  table.columns.push_back({"Mean", true});
  std::vector<double> best(table.columns.size(), -1);
  for (const ComparedMethod& method : c.methods) {
    if (method.rank == 0) continue;
    std::vector<TableCell> row{{method.name}};
    std::vector<std::size_t> sizes = sizes_of(c);
    sizes.push_back(0);  // all of them
    for (const std::size_t k : sizes) {
      const double mean = method.mean_of(k, classifier);
      best[row.size()] = std::fmax(best[row.size()], mean);
      row.push_back({score_number(mean), mean});
    }
    table.rows.push_back(std::move(row));
  }
  for (auto& row : table.rows) {
    for (std::size_t i = 1; i < row.size(); ++i) row[i].strong = row[i].value == best[i];
  }
  return paragraph(fmt::format("{}: {} with all features.", capital(score_title(c.metric)),
                               score_text(c.all_features.mean_of(0, classifier)))) +
         table_html(table);
}

std::string classifiers_section(const Comparison& c) {
  std::string out;
  for (const std::string& classifier : c.options.classifiers) {
    out += heading(classifier_words(classifier, c.options)) + classifier_table(c, classifier);
  }
  return out;
}

// ---- Data, options and how to do it again ----

std::string data_section(const Comparison& c, const ComparisonOrigin& origin) {
  Pairs pairs;
  if (!origin.path.empty()) pairs.add("File", origin.path);
  if (!origin.format.empty()) pairs.add("Format", origin.format);
  if (!origin.test_path.empty()) pairs.add("Test file", origin.test_path);
  pairs.add("Features", with_commas(c.features));
  if (!c.target_name.empty()) pairs.add("Target", c.target_name);
  if (c.classes > 0) pairs.add("Classes", with_commas(c.classes));
  pairs.add("Training rows", with_commas(c.training_rows));
  pairs.add("Test rows", with_commas(c.test_rows));
  pairs.add("Fingerprint", c.data_fingerprint);
  return pairs.html();
}

std::string options_section(const Comparison& c, const ComparisonOrigin& origin) {
  nlohmann::ordered_json asked = options_json(c.options);
  asked.erase("methods");  // all are in the first table
  std::string out =
      options_html(asked) + heading("Training of the masks") + options_html(comparison_tree(c, origin)["selection"]);
  if (origin.command.empty()) return out;
  return out + heading("To do it again") + fmt::format("<p><code>{}</code></p>\n", escaped(origin.command));
}

std::string run_section(const Comparison& c, const ComparisonOrigin& origin) {
  Pairs pairs;
  pairs.add("Comparing", duration_text(c.seconds));
  if (origin.peak_memory > 0) pairs.add("Most memory held", byte_text(origin.peak_memory));
  pairs.add("Version", cat("Obverse ", kVersion));
  return pairs.html();
}

}  // namespace

Page comparison_page(const Comparison& comparison, const ComparisonOrigin& origin) {
  Page page{.title = title_of(comparison),
            .subtitle = subtitle(comparison, origin),
            .lead = lead(comparison),
            .sections = {},
            .footer = fmt::format("Made by Obverse {}. The page is one file and loads nothing from elsewhere.",
                                  escaped(kVersion))};
  const auto add = [&](std::string id, std::string title, std::string html) {
    if (!html.empty()) page.sections.push_back({std::move(id), std::move(title), std::move(html)});
  };
  add("methods", "Methods", methods_section(comparison));
  add("curves", capital(comparison.metric), curves_section(comparison));
  add("time", "Time", time_section(comparison));
  add("complement", "Complement", complement_section(comparison));
  add("classifiers", "Classifiers", classifiers_section(comparison));
  add("data", "Data", data_section(comparison, origin));
  add("options", "Options", options_section(comparison, origin));
  add("run", "Time and memory", run_section(comparison, origin));
  return page;
}

std::string report_html(const Comparison& comparison) { return page_html(comparison_page(comparison)); }

}  // namespace obverse
