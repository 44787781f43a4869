#include "page/table.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "page/html.h"
#include "page/terminal.h"
#include "support/text.h"

namespace obverse {
namespace {

/// HTML in which a number does not part from its deviation.
std::string unbroken(const std::string& html) {
  std::string out;
  for (const char c : html) out += c == ' ' ? std::string("&nbsp;") : std::string(1, c);
  return out;
}

std::string attribute_value(double value) { return std::isfinite(value) ? fmt::format("{:.6g}", value) : ""; }

}  // namespace

TableCell count_cell(std::size_t count) { return {with_commas(count), static_cast<double>(count)}; }

std::string table_html(const ReportTable& table) {
  std::string out =
      fmt::format("<div class=\"scroll\"><table class=\"data\" data-name=\"{}\" data-sortable{}><thead><tr>",
                  escaped(table.name), table.rows.size() > 8 ? " data-filterable data-limit=\"20\"" : "");
  for (const TableHeading& column : table.columns) {
    out += fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "", escaped(column.title));
  }
  out += "</tr></thead><tbody>\n";
  for (std::size_t i = 0; i < table.rows.size(); ++i) {
    const auto& row = table.rows[i];
    out += i < table.series.size() ? fmt::format("<tr data-series=\"{}\"", escaped(table.series[i])) : "<tr";
    out += i == table.picked ? " class=\"picked\">" : ">";
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
  for (const TableHeading& column : table.columns) out += fmt::format(" {} |", markdown_text(column.title));
  out += "\n|";
  for (const TableHeading& column : table.columns) out += column.number ? "---:|" : "---|";
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

std::string table_plain(const ReportTable& table, const TextStyle& style) {
  std::vector<std::vector<std::string>> lines(1);
  for (const TableHeading& column : table.columns) lines[0].push_back(terminal_text(column.title, style));
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

}  // namespace obverse
