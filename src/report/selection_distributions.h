// How the first selected features are distributed, on the page of a selection.
#pragma once

#include <vector>

#include "page/document.h"
#include "report/selection_view.h"

namespace obverse {

/// A small chart for each feature, and how to read them; none where the selection holds no values of the data.
std::vector<Block> distribution_blocks(const SelectionView& view);

}  // namespace obverse
