// The tables of a study, each made once and shown as HTML, Markdown or text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/study_view.h"
#include "report/text.h"

namespace obverse {

struct TableColumn {
  std::string title;
  bool number = false;
};

struct TableCell {
  std::string text;
  double value = kNoValue;  ///< what a column of numbers is sorted by
  bool strong = false;
};

struct ReportTable {
  std::string name;  ///< of the file it is saved to
  std::vector<TableColumn> columns;
  std::vector<std::vector<TableCell>> rows = {};
};

/// With headers that sort, a field that filters and a button that saves, where page.js is at work.
std::string table_html(const ReportTable& table);
std::string table_markdown(const ReportTable& table);
/// Text for a line or a table of Markdown, its markup made plain.
std::string markdown_text(std::string_view text);
/// Columns padded with blanks, for a terminal.
std::string table_plain(const ReportTable& table, const TextStyle& style);

/// Text of ours, with ±, – and ρ spelled out where the place shows ASCII only; control characters made visible.
std::string terminal_text(std::string_view text, const TextStyle& style);

/// For each comparison: won, tied, lost, of how many cells, how many surely, means.
ReportTable comparisons_table(const StudyView& view);
/// The same for each set.
ReportTable sets_won_table(const StudyView& view);
/// Every compared cell with means, deviations, difference and p.
ReportTable compared_cells_table(const StudyView& view);
/// Those that the first method of a comparison loses, the worst first.
ReportTable losses_table(const StudyView& view);
/// For each comparison in how many cells the first method varies less between seeds, and the mean deviations.
ReportTable deviations_table(const StudyView& view);
/// Mean accuracy for each set and method over all rho and classifiers, the best of each set strong.
ReportTable means_table(const StudyView& view);
/// Models, time and memory for each set and method.
ReportTable costs_table(const StudyView& view);
/// How many features at the middle k some seed, most seeds and all seeds select.
ReportTable frequency_table(const StudyView& view);
ReportTable methods_table(const StudyView& view);
ReportTable sets_table(const StudyView& view);

}  // namespace obverse
