// What parts of the rows say of a selection, in words and as a table for a terminal.
#pragma once

#include <string>

#include <obverse/evidence.h>
#include <obverse/selector.h>

#include "metrics/metrics.h"
#include "page/terminal.h"

namespace obverse {

/// 92.8% for a share, 0.512 for any other metric.
std::string score_text(const Metric& metric, double score);

/// A line for each size, with score, interval, random features and a bar; then all features and none.
std::string curve_table(const Selection& selection, const TextStyle& style);

/// Whether there is anything to select by.
std::string verdict_text(const Verdict& verdict);

/// The score at k with its interval, beside the base rate.
std::string score_sentence(const Selection& selection);

/// How far selections from disjoint halves agree.
std::string stability_text(const Stability& stability);

}  // namespace obverse
