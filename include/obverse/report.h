// A selection or a comparison as a page to show: one HTML file that needs nothing else.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <obverse/compare.h>
#include <obverse/dataset.h>
#include <obverse/selector.h>

namespace obverse {

/// What a report may show of the values of the data: distributions of the first features, example pictures and the
/// names of classes; or none of it. Names of features are always shown.
enum class ReportData { shown, none };
std::span<const std::string_view> names(ReportData);

/// The text of report.html: the answer and how sure it is, every feature with a slider for k, how the first of them are
/// distributed, pictures where the data are pictures, the models, their agreement, data, options and times. `data`:
/// what the selection was made from.
std::string report_html(const Selection& selection, const Dataset& data, ReportData report_data = ReportData::shown);

/// The report of a comparison: which method to use and why, every method, and what the complement brings.
std::string report_html(const Comparison& comparison);

/// Writes the report; the file appears whole or not at all.
void write_report(const Selection& selection, const Dataset& data, const std::string& path,
                  ReportData report_data = ReportData::shown);

}  // namespace obverse
