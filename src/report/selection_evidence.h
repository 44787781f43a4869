// What the parts of the rows say about a selection, in words and in the parts of its page.
#pragma once

#include <string>
#include <vector>

#include "page/document.h"
#include "page/explorer.h"
#include "report/selection_view.h"

namespace obverse {

/// That the features say nothing about the target; nothing where they do.
std::string no_signal_notice(const EvidenceView& evidence);

/// For the list of class `facts`: the score on rows that took no part, how many features and why, how stable they are.
/// The score and what is said about it follow the slider.
std::string evidence_facts(const SelectionView& view);

/// What the slider shows, size by size; the selected one as in the facts.
std::vector<MeasuredSize> measured_sizes(const SelectionView& view);

/// The curve, and how to read it.
std::vector<Block> curve_blocks(const SelectionView& view);

}  // namespace obverse
