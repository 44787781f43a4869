// The stand-ins of a selection, as text for a terminal and as a section of its page.
#pragma once

#include <string>
#include <vector>

#include <obverse/selector.h>

#include "page/document.h"
#include "page/terminal.h"
#include "report/selection_view.h"

namespace obverse {

/// A line for each of the first features that have stand-ins, under a heading; nothing where none has.
std::string stand_ins_text(const Selection& selection, const TextStyle& style);

/// A table of the stand-ins, and a map of the clusters.
std::vector<Block> stand_ins_blocks(const SelectionView& view);

}  // namespace obverse
