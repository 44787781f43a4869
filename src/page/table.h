// A table, made once and shown as HTML, Markdown or text.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "page/chart.h"
#include "page/terminal.h"

namespace obverse {

struct TableHeading {
  std::string title;
  bool number = false;
};

struct TableCell {
  std::string text;
  double value = kNoValue;  ///< what a column of numbers is sorted by
  bool strong = false;
  bool partial = false;  ///< not to be compared with the others of its column
};

/// 60,000, sorted by its value.
TableCell count_cell(std::size_t count);

struct ReportTable {
  std::string name;  ///< of the file it is saved to
  std::vector<TableHeading> columns;
  std::vector<std::vector<TableCell>> rows = {};
  std::vector<std::string> series = {};  ///< of each row, by which a legend of the page switches it; may be empty
  std::size_t picked = std::numeric_limits<std::size_t>::max();  ///< a row that stands out on the page
};

/// With headers that sort, a field that filters and a button that saves, where page.js is at work.
std::string table_html(const ReportTable& table);
std::string table_markdown(const ReportTable& table);
/// Text for a line or a table of Markdown, its markup made plain.
std::string markdown_text(std::string_view text);
/// Columns padded with blanks, for a terminal.
std::string table_plain(const ReportTable& table, const TextStyle& style);

}  // namespace obverse
