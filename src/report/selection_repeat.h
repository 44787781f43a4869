// How to make a selection again: code to copy from its page.
#pragma once

#include <string>
#include <vector>

#include "page/document.h"
#include "report/selection_view.h"

namespace obverse {

/// The command line, quoted for a shell. `view` has a path and a request.
std::string select_command(const SelectionView& view);

/// The lines of Python. `view` has a request; without a path the data are X and y.
std::vector<std::string> python_lines(const SelectionView& view);

/// Both; none where nobody knows what was asked for.
std::vector<Block> repeat_blocks(const SelectionView& view);

}  // namespace obverse
