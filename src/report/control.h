// What error control says of a selection, in words and in the parts of its page.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <obverse/evidence.h>

#include "page/document.h"
#include "report/selection_view.h"

namespace obverse {

/// How many features pass, by what rule, how many false ones are expected among them, and what the permuted copies say.
std::string control_text(const Control& control, std::size_t accepted);

/// Whether control decided which features are selected.
bool is_controlled(const SelectionView& view);

/// In place of the answer: that no feature passes.
std::string no_feature_notice(const Control& control);

/// The accepted features with their frequency; nothing without control.
std::vector<Block> control_blocks(const SelectionView& view);

}  // namespace obverse
