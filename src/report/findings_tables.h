// The tables of findings.
#pragma once

#include "page/table.h"
#include "report/findings_view.h"

namespace obverse {

/// For each comparison: won, tied, lost, of how many cells, how many surely, means.
ReportTable comparisons_table(const FindingsView& view);
/// The same for each set.
ReportTable sets_won_table(const FindingsView& view);
/// Every compared cell with means, deviations, difference and p.
ReportTable compared_cells_table(const FindingsView& view);
/// Mean accuracy for each set and method over all rho and classifiers, the best of each set strong.
ReportTable means_table(const FindingsView& view);
/// The methods on one set in a few numbers: mean over all sizes and classifiers, mean of each classifier, time to
/// select and, of several runs, stability.
ReportTable summary_table(const FindingsView& view, std::size_t set);
/// 93.1 ± 0.4, or a loss with all of its digits; sorted by the mean.
TableCell score_cell(const ScoreFormat& format, double mean, double deviation = 0);
/// The methods on one set by one classifier for each size, the best of each strong.
ReportTable sizes_table(const FindingsView& view, std::size_t set, const std::string& classifier);
/// Models, time and memory for each set and method.
ReportTable costs_table(const FindingsView& view);
/// How many features at the middle k some seed, most seeds and all seeds select.
ReportTable frequency_table(const FindingsView& view);
ReportTable methods_table(const FindingsView& view);
ReportTable sets_table(const FindingsView& view);

}  // namespace obverse
