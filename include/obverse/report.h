// A selection or a comparison as a page to show: one HTML file that needs nothing else.
#pragma once

#include <string>

#include <obverse/compare.h>
#include <obverse/dataset.h>
#include <obverse/selector.h>

namespace obverse {

/// The text of report.html: the answer and how sure it is, every feature with a slider for k, pictures where the data
/// are pictures, the models, their agreement, data, options and times. `data`: what the selection was made from.
std::string report_html(const Selection& selection, const Dataset& data);

/// The report of a comparison: which method to use and why, every method, and what the complement brings.
std::string report_html(const Comparison& comparison);

/// Writes the report; the file appears whole or not at all.
void write_report(const Selection& selection, const Dataset& data, const std::string& path);

}  // namespace obverse
