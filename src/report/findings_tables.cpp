#include "report/findings_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/findings_words.h"
#include "support/text.h"

namespace obverse {
namespace {

TableCell number_cell(const ScoreFormat& format, double score) { return {format.number(score), score}; }
TableCell difference_cell(const ScoreFormat& format, double difference) {
  return {format.change(difference), difference};
}

/// Sorted by the mean.
TableCell spread_cell(const ScoreFormat& format, double mean, double deviation) {
  return {format.spread(mean, deviation), mean};
}

/// A table whose columns of text stand before those of numbers.
ReportTable empty_table(std::string name, const std::vector<std::string>& texts,
                        const std::vector<std::string>& numbers) {
  ReportTable table{.name = std::move(name), .columns = {}};
  for (const std::string& title : texts) table.columns.push_back({title});
  for (const std::string& title : numbers) table.columns.push_back({title, true});
  return table;
}

/// The best value of each column of numbers is strong: the largest share, the smallest loss.
void mark_best(ReportTable& table, bool larger_is_better) {
  const double sign = larger_is_better ? 1 : -1;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    if (!table.columns[c].number) continue;
    double best = -std::numeric_limits<double>::infinity();
    for (const auto& row : table.rows) best = row[c].partial ? best : std::fmax(best, sign * row[c].value);
    for (auto& row : table.rows) row[c].strong = sign * row[c].value == best && !row[c].partial;
  }
}

/// The title of a column of scores with its unit.
std::string titled(std::string_view title, const ScoreFormat& format) {
  return fmt::format("{}{}", title, format.sign());
}

}  // namespace

ReportTable comparisons_table(const FindingsView& view) {
  const ScoreFormat format = view.format();
  ReportTable table = empty_table("comparisons", {"Comparison"},
                                  {"Won", "Tied", "Lost", "Done", "Planned", "Surely won", "Surely lost",
                                   titled("First", format), titled("Second", format)});
  for (const ComparisonFinding& c : view.findings().comparisons) {
    const Tally tally = view.tally(c);
    const std::size_t runnable = view.runnable(c);
    const bool any = tally.cells > 0;
    TableCell done = count_cell(c.cells.size());
    if (c.cells.size() < runnable) done.text += fmt::format(" of {}", with_commas(runnable));
    table.rows.push_back({{comparison_title(view, c)},
                          count_cell(c.won),
                          count_cell(c.tied),
                          count_cell(c.lost),
                          std::move(done),
                          count_cell(c.planned),
                          count_cell(tally.surely_won),
                          count_cell(tally.surely_lost),
                          number_cell(format, any ? c.first_mean : kNoValue),
                          number_cell(format, any ? c.second_mean : kNoValue)});
  }
  return table;
}

ReportTable sets_won_table(const FindingsView& view) {
  const ScoreFormat format = view.format();
  ReportTable table = empty_table(
      "wins-by-set", {"Comparison", "Set"},
      {"Won", "Tied", "Lost", titled("First", format), titled("Second", format), "Diff.", "± first", "± second"});
  for (const ComparisonFinding& c : view.findings().comparisons) {
    for (const std::size_t s : view.sets_at_hand()) {
      const Tally tally = view.tally(c, s);
      if (tally.cells == 0) continue;
      table.rows.push_back({{comparison_title(view, c)},
                            {view.set(s).title},
                            count_cell(tally.won),
                            count_cell(tally.tied),
                            count_cell(tally.lost),
                            number_cell(format, tally.first_mean),
                            number_cell(format, tally.second_mean),
                            difference_cell(format, tally.first_mean - tally.second_mean),
                            number_cell(format, tally.first_deviation),
                            number_cell(format, tally.second_deviation)});
    }
  }
  return table;
}

ReportTable compared_cells_table(const FindingsView& view) {
  const ScoreFormat format = view.format();
  ReportTable table = empty_table("compared-cells", {"Comparison", "Set", "By"},
                                  {"ρ %", "k", titled("First", format), titled("Second", format), "Diff.", "p"});
  for (const ComparisonFinding& c : view.findings().comparisons) {
    for (const ComparedCell& cell : c.cells) {
      const CellFinding& first = view.first_cell(cell);
      const CellFinding& second = view.second_cell(cell);
      table.rows.push_back({{comparison_title(view, c)},
                            {view.set(first.set).title},
                            {classifier_title(first.classifier)},
                            {rho_text(first.rho), first.rho},
                            count_cell(first.k),
                            spread_cell(format, first.mean, first.deviation),
                            spread_cell(format, second.mean, second.deviation),
                            difference_cell(format, cell.difference),
                            {p_text(cell.p), cell.p}});
    }
  }
  return table;
}

ReportTable means_table(const FindingsView& view) {
  const ScoreFormat format = view.format();
  ReportTable table{.name = "mean-accuracy", .columns = {{"Method"}}};
  for (const std::size_t s : view.sets_at_hand()) table.columns.push_back({view.set(s).title, true});
  table.columns.push_back({"Mean of the sets", true});
  for (std::size_t m = 0; m < view.findings().methods.size(); ++m) {
    std::vector<TableCell> row{{view.method(m).title}};
    double sum = 0;
    for (const std::size_t s : view.sets_at_hand()) {
      const MeanResult mean = view.mean(s, m);
      const std::size_t whole = view.cells_of(s);
      sum += mean.cells == whole ? mean.mean : kNoValue;  // a part of the cells cannot be compared
      row.push_back(spread_cell(format, mean.mean, mean.deviation));
      row.back().partial = mean.cells < whole;
      if (mean.cells > 0 && mean.cells < whole) row.back().text += fmt::format(" ({}/{})", mean.cells, whole);
    }
    row.push_back(number_cell(format, sum / static_cast<double>(view.sets_at_hand().size())));
    table.rows.push_back(std::move(row));
  }
  mark_best(table, format.percent());
  return table;
}

TableCell score_cell(const ScoreFormat& format, double mean, double deviation) {
  return {format.spread(mean, deviation, 1), mean};
}

ReportTable summary_table(const FindingsView& view, std::size_t set) {
  const Findings& f = view.findings();
  const ScoreFormat format = view.format();
  ReportTable table{.name = "methods", .columns = {{"Method"}, {titled("Mean", format), true}}};
  for (const std::string& classifier : f.classifiers) table.columns.push_back({classifier_title(classifier), true});
  table.columns.push_back({"Time", true});
  if (f.seeds > 1) table.columns.push_back({"Stable", true});
  for (const CostFinding& cost : f.costs) {
    if (cost.set != set) continue;
    const MeanResult mean = view.mean(set, cost.method);
    std::vector<TableCell> row{{view.method(cost.method).title}, score_cell(format, mean.mean, mean.deviation)};
    for (const std::string& classifier : f.classifiers) {
      row.push_back(score_cell(format, view.mean(set, cost.method, {.classifier = classifier}).mean));
    }
    row.push_back({duration_text(cost.training_seconds), cost.training_seconds});
    const StabilityFinding* const found = view.stability_near(set, cost.method, view.shown_k(set));
    const double stability = found == nullptr ? kNoValue : found->stability;
    if (f.seeds > 1) row.push_back({std::isfinite(stability) ? fmt::format("{:.2f}", stability) : "–", stability});
    table.rows.push_back(std::move(row));
  }
  return table;
}

ReportTable sizes_table(const FindingsView& view, std::size_t set, const std::string& classifier) {
  const Findings& f = view.findings();
  const ScoreFormat format = view.format();
  ReportTable table{.name = "methods-" + classifier, .columns = {{"Method"}}};
  for (const std::string& size : size_texts(f))
    table.columns.push_back({fmt::format("{} {}", size_title(f), size), true});
  table.columns.push_back({"Mean", true});
  for (std::size_t m = 0; m < f.methods.size(); ++m) {
    table.rows.push_back({{view.method(m).title}});
    for (std::size_t size = 0; size < f.sizes.size(); ++size) {
      table.rows.back().push_back(score_cell(format, view.mean(set, m, {.size = size, .classifier = classifier}).mean));
    }
    table.rows.back().push_back(score_cell(format, view.mean(set, m, {.classifier = classifier}).mean));
  }
  mark_best(table, format.percent());
  return table;
}

ReportTable costs_table(const FindingsView& view) {
  ReportTable table = empty_table("costs", {"Set", "Method"}, {"Models", "Selecting", "Classifying", "Memory"});
  for (const CostFinding& cost : view.findings().costs) {
    table.rows.push_back({{view.set(cost.set).title},
                          {view.method(cost.method).title},
                          count_cell(cost.models),
                          {duration_text(cost.training_seconds), cost.training_seconds},
                          {duration_text(cost.evaluation_seconds), cost.evaluation_seconds},
                          {byte_text(cost.memory_bytes), static_cast<double>(cost.memory_bytes)}});
  }
  return table;
}

ReportTable frequency_table(const FindingsView& view) {
  ReportTable table = empty_table("frequency", {"Set", "Method"},
                                  {"k", "By any seed", "By most seeds", "By all seeds", "Jaccard", "Stability"});
  const Findings& f = view.findings();
  for (const std::size_t s : view.sets_at_hand()) {
    for (std::size_t m = 0; m < f.methods.size(); ++m) {
      const StabilityFinding* const found = view.stability_near(s, m, view.shown_k(s));
      if (found == nullptr) continue;
      const auto above = [&](double share) {
        return static_cast<std::size_t>(std::count_if(found->frequency.begin(), found->frequency.end(),
                                                      [share](double frequency) { return frequency > share; }));
      };
      table.rows.push_back({{view.set(s).title},
                            {view.method(m).title},
                            count_cell(found->k),
                            count_cell(above(0)),
                            count_cell(above(0.5)),
                            count_cell(above(1 - 1e-9)),
                            {fmt::format("{:.3f}", found->jaccard), found->jaccard},
                            {fmt::format("{:.3f}", found->stability), found->stability}});
    }
  }
  return table;
}

ReportTable methods_table(const FindingsView& view) {
  ReportTable table = empty_table("methods", {"Method", "Name", "Options"}, {});
  for (const MethodFinding& method : view.findings().methods) {
    table.rows.push_back({{method.title}, {method.name}, {method.details}});
  }
  return table;
}

ReportTable sets_table(const FindingsView& view) {
  ReportTable table = empty_table("sets", {"Set"}, {"Training rows", "Test rows", "Features", "Classes"});
  table.columns.insert(table.columns.end(), {{"Task"}, {"Note"}});
  for (const SetFinding& set : view.findings().sets) {
    if (!set.missing.empty()) {
      table.rows.push_back({{set.title}, {"–"}, {"–"}, {"–"}, {"–"}, {"–"}, {"left out: " + set.missing}});
      continue;
    }
    table.rows.push_back(
        {{set.title},
         count_cell(set.training_rows),
         count_cell(set.test_rows),
         count_cell(set.features),
         set.classes > 0 ? count_cell(set.classes) : TableCell{"–"},
         {std::string(names(set.task)[static_cast<std::size_t>(set.task)])},
         {set.image_shape ? fmt::format("pictures of {} x {}", set.image_shape->height, set.image_shape->width)
                          : std::string()}});
  }
  return table;
}

}  // namespace obverse
