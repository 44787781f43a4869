// A study as CSV, JSON, a page, Markdown and text.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "page/document.h"
#include "page/terminal.h"
#include "report/findings_view.h"

namespace obverse {

/// One line for each cell: set, method, rho, k, classifier, mean, deviation and seeds.
std::string cells_csv(const Findings& findings);

/// One line for each compared cell: both results, difference, p, and who won.
std::string comparisons_csv(const Findings& findings);

/// Everything that the study found; a number that is not finite becomes null. Features are numbered from 1.
nlohmann::ordered_json findings_json(const Findings& findings);

/// The report of a study: the question, the answer of every comparison, how sure it is, and all that led to it. Works
/// for any plan: without comparisons, with sets missing, and with work left to do. Sections that would have nothing to
/// show are left out. Throws Error when an index in the findings points nowhere.
Page study_page(const Findings& findings);

/// The figures that findings_markdown shows.
std::vector<FigureFile> figure_files(const Findings& findings);

/// The study as a page of documentation. `figure_prefix` stands before the names of the figures, such as "paper/".
std::string findings_markdown(const Findings& findings, const std::string& figure_prefix);

/// For a terminal: each comparison with its counts, and the mean accuracy for each set and method.
std::string study_text(const Findings& findings, const TextStyle& style);

/// Every comparison as a grid of its cells, and their counts; for any page of findings. Empty without comparisons.
std::vector<Block> wins_blocks(const FindingsView& view);

}  // namespace obverse
