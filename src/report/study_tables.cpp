#include "report/study_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "report/html.h"
#include "support/text.h"

namespace obverse {
namespace {

TableCell count_cell(std::size_t count) { return {with_commas(count), static_cast<double>(count)}; }
TableCell points_cell(double share, bool sign = false) { return {points(share, sign), share}; }
TableCell p_cell(double p) { return {p_text(p), p}; }

/// 93.12 ± 0.40, sorted by the mean.
TableCell spread_cell(double mean, double deviation) {
  if (!std::isfinite(mean)) return {"–"};
  return {deviation > 0 ? fmt::format("{} ± {}", points(mean), points(deviation)) : points(mean), mean};
}

/// Set, classifier, rho and k of a compared cell, then both results.
std::vector<TableCell> compared_row(const StudyView& view, const ComparisonFinding& comparison,
                                    const ComparedCell& cell) {
  const CellFinding& first = view.first_cell(cell);
  const CellFinding& second = view.second_cell(cell);
  return {{comparison_title(view, comparison)},
          {view.set(first.set).title},
          {classifier_title(first.classifier)},
          {rho_text(first.rho), first.rho},
          count_cell(first.k),
          spread_cell(first.mean, first.deviation),
          spread_cell(second.mean, second.deviation),
          points_cell(cell.difference, true),
          p_cell(cell.p)};
}

const std::vector<TableColumn>& compared_columns() {
  static const std::vector<TableColumn> columns{{"Comparison"},     {"Set"},         {"By"},
                                                {"ρ %", true},      {"k", true},     {"First %", true},
                                                {"Second %", true}, {"Diff.", true}, {"p", true}};
  return columns;
}

/// HTML in which a number does not part from its deviation.
std::string unbroken(const std::string& html) {
  std::string out;
  for (const char c : html) out += c == ' ' ? std::string("&nbsp;") : std::string(1, c);
  return out;
}

std::string attribute_value(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

}  // namespace

std::string table_html(const ReportTable& table) {
  std::string out =
      fmt::format("<div class=\"scroll\"><table class=\"data\" data-name=\"{}\" data-sortable{}><thead><tr>",
                  escaped(table.name), table.rows.size() > 8 ? " data-filterable data-limit=\"20\"" : "");
  for (const TableColumn& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "", escaped(column.title));
  }
  out += "</tr></thead><tbody>\n";
  for (const auto& row : table.rows) {
    out += "<tr>";
    for (std::size_t c = 0; c < row.size(); ++c) {
      std::string text = escaped(row[c].text);
      if (table.columns[c].number) text = unbroken(text);
      if (row[c].strong) text = fmt::format("<strong>{}</strong>", text);
      out += table.columns[c].number
                 ? fmt::format("<td class=\"number\" data-value=\"{}\">{}</td>", attribute_value(row[c].value), text)
                 : fmt::format("<td>{}</td>", text);
    }
    out += "</tr>\n";
  }
  return out + "</tbody></table></div>\n";
}

std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    if (c == '<') {
      out += "&lt;";
      continue;
    }
    if (std::string_view("|*_`[]\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string table_markdown(const ReportTable& table) {
  std::string out = "|";
  for (const TableColumn& column : table.columns) out += fmt::format(" {} |", markdown_text(column.title));
  out += "\n|";
  for (const TableColumn& column : table.columns) out += column.number ? "---:|" : "---|";
  out += '\n';
  for (const auto& row : table.rows) {
    out += '|';
    for (const TableCell& cell : row) {
      const std::string text = markdown_text(cell.text);
      out += cell.strong ? fmt::format(" **{}** |", text) : fmt::format(" {} |", text);
    }
    out += '\n';
  }
  return out;
}

std::string terminal_text(std::string_view text, const TextStyle& style) {
  if (style.unicode) return printable(text);
  std::string out;
  for (const char32_t c : code_points(printable(text))) {
    switch (c) {
      case U'±':
        out += "+-";
        break;
      case U'–':
        out += '-';
        break;
      case U'ρ':
        out += "rho";
        break;
      default:
        out += c < 0x80 ? static_cast<char>(c) : '?';
    }
  }
  return out;
}

std::string table_plain(const ReportTable& table, const TextStyle& style) {
  std::vector<std::vector<std::string>> lines(1);
  for (const TableColumn& column : table.columns) lines[0].push_back(terminal_text(column.title, style));
  for (const auto& row : table.rows) {
    lines.emplace_back();
    for (const TableCell& cell : row)
      lines.back().push_back(shortened(terminal_text(cell.text, style), 40, style.unicode));
  }
  std::vector<std::size_t> widths(table.columns.size());
  for (const auto& line : lines) {
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], display_width(line[c]));
  }
  std::string out;
  for (const auto& line : lines) {
    std::string text;
    for (std::size_t c = 0; c < line.size(); ++c) {
      const std::string blanks(widths[c] - display_width(line[c]), ' ');
      text += "  ";
      text += table.columns[c].number ? blanks + line[c] : line[c] + blanks;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    out += text + "\n";
  }
  return out;
}

ReportTable comparisons_table(const StudyView& view) {
  ReportTable table{.name = "comparisons",
                    .columns = {{"Comparison"},
                                {"Won", true},
                                {"Tied", true},
                                {"Lost", true},
                                {"Done", true},
                                {"Planned", true},
                                {"Surely won", true},
                                {"Surely lost", true},
                                {"First %", true},
                                {"Second %", true}}};
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
                          points_cell(any ? c.first_mean : kNoValue),
                          points_cell(any ? c.second_mean : kNoValue)});
  }
  return table;
}

ReportTable sets_won_table(const StudyView& view) {
  ReportTable table{.name = "wins-by-set",
                    .columns = {{"Comparison"},
                                {"Set"},
                                {"Won", true},
                                {"Tied", true},
                                {"Lost", true},
                                {"First %", true},
                                {"Second %", true},
                                {"Diff.", true},
                                {"± first", true},
                                {"± second", true}}};
  for (const ComparisonFinding& c : view.findings().comparisons) {
    for (const std::size_t s : view.sets_at_hand()) {
      const Tally tally = view.tally(c, s);
      if (tally.cells == 0) continue;
      table.rows.push_back({{comparison_title(view, c)},
                            {view.set(s).title},
                            count_cell(tally.won),
                            count_cell(tally.tied),
                            count_cell(tally.lost),
                            points_cell(tally.first_mean),
                            points_cell(tally.second_mean),
                            points_cell(tally.first_mean - tally.second_mean, true),
                            points_cell(tally.first_deviation),
                            points_cell(tally.second_deviation)});
    }
  }
  return table;
}

ReportTable compared_cells_table(const StudyView& view) {
  ReportTable table{.name = "compared-cells", .columns = compared_columns()};
  for (const ComparisonFinding& c : view.findings().comparisons) {
    for (const ComparedCell& cell : c.cells) table.rows.push_back(compared_row(view, c, cell));
  }
  return table;
}

ReportTable losses_table(const StudyView& view) {
  ReportTable table{.name = "losses", .columns = compared_columns()};
  table.columns.push_back({"Verdict"});
  for (const ComparisonFinding& c : view.findings().comparisons) {
    std::vector<ComparedCell> lost;
    std::copy_if(c.cells.begin(), c.cells.end(), std::back_inserter(lost),
                 [](const ComparedCell& cell) { return cell.outcome == Outcome::lost; });
    std::stable_sort(lost.begin(), lost.end(),
                     [](const ComparedCell& a, const ComparedCell& b) { return a.difference < b.difference; });
    for (const ComparedCell& cell : lost) {
      table.rows.push_back(compared_row(view, c, cell));
      table.rows.back().push_back({verdict_text(view, cell)});
    }
  }
  return table;
}

ReportTable deviations_table(const StudyView& view) {
  ReportTable table{.name = "deviations",
                    .columns = {{"Comparison"},
                                {"Steadier", true},
                                {"Rougher", true},
                                {"Equal", true},
                                {"± first", true},
                                {"± second", true}}};
  for (const ComparisonFinding& c : view.findings().comparisons) {
    const Tally tally = view.tally(c);
    if (tally.cells == 0) continue;
    table.rows.push_back({{comparison_title(view, c)},
                          count_cell(c.steadier),
                          count_cell(c.rougher),
                          count_cell(tally.cells - std::min(tally.cells, c.steadier + c.rougher)),
                          points_cell(tally.first_deviation),
                          points_cell(tally.second_deviation)});
  }
  return table;
}

ReportTable means_table(const StudyView& view) {
  const Findings& f = view.findings();
  ReportTable table{.name = "mean-accuracy", .columns = {{"Method"}}};
  for (const std::size_t s : view.sets_at_hand()) table.columns.push_back({view.set(s).title, true});
  table.columns.push_back({"Mean of the sets", true});
  std::vector<double> best(table.columns.size(), -1);
  for (std::size_t m = 0; m < f.methods.size(); ++m) {
    std::vector<TableCell> row{{view.method(m).title}};
    double sum = 0;
    for (const std::size_t s : view.sets_at_hand()) {
      const MeanAccuracy mean = view.mean_accuracy(s, m);
      const std::size_t whole = view.cells_of(s);
      sum += mean.cells == whole ? mean.mean : kNoValue;  // a part of the cells cannot be compared
      TableCell cell = spread_cell(mean.mean, mean.deviation);
      if (mean.cells > 0 && mean.cells < whole) cell.text += fmt::format(" ({}/{})", mean.cells, whole);
      if (mean.cells == whole && whole > 0) best[row.size()] = std::fmax(best[row.size()], mean.mean);
      row.push_back(std::move(cell));
    }
    const double all = view.sets_at_hand().empty() ? kNoValue : sum / static_cast<double>(view.sets_at_hand().size());
    if (std::isfinite(all)) best[row.size()] = std::fmax(best[row.size()], all);
    row.push_back(points_cell(all));
    table.rows.push_back(std::move(row));
  }
  for (auto& row : table.rows) {
    for (std::size_t c = 1; c < row.size(); ++c) row[c].strong = row[c].value == best[c];
  }
  return table;
}

ReportTable costs_table(const StudyView& view) {
  ReportTable table{
      .name = "costs",
      .columns = {{"Set"}, {"Method"}, {"Models", true}, {"Selecting", true}, {"Classifying", true}, {"Memory", true}}};
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

ReportTable frequency_table(const StudyView& view) {
  ReportTable table{.name = "frequency",
                    .columns = {{"Set"},
                                {"Method"},
                                {"k", true},
                                {"By any seed", true},
                                {"By most seeds", true},
                                {"By all seeds", true},
                                {"Jaccard", true},
                                {"Stability", true}}};
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

ReportTable methods_table(const StudyView& view) {
  ReportTable table{.name = "methods", .columns = {{"Method"}, {"Name"}, {"Options"}}};
  for (const MethodFinding& method : view.findings().methods) {
    table.rows.push_back({{method.title}, {method.name}, {method.details}});
  }
  return table;
}

ReportTable sets_table(const StudyView& view) {
  ReportTable table{.name = "sets",
                    .columns = {{"Set"},
                                {"Training rows", true},
                                {"Test rows", true},
                                {"Features", true},
                                {"Classes", true},
                                {"Task"},
                                {"Note"}}};
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
