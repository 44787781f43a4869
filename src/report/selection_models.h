// The models of a sweep and what chose between them, on the page of a selection.
#pragma once

#include <vector>

#include "metrics/metrics.h"
#include "page/document.h"
#include "report/selection_view.h"

namespace obverse {

/// Whether masks and rankers competed.
bool is_pool(const SelectionView& view);

/// Whether models were judged at all: a single one answers without.
bool was_judged(const SelectionView& view);

/// Whether classifiers refitted on the features of the models judged them; their own networks did otherwise.
bool judges_refitted(const SelectionView& view);

/// By what the models were judged.
const Metric& judging_metric(const SelectionView& view);

/// The score of a merit, which is the negative of a loss.
double signed_score(const Metric& metric, double merit);

/// Which model answers and why, all of them as a figure and as a table, and what their numbers are.
std::vector<Block> models_blocks(const SelectionView& view);

}  // namespace obverse
