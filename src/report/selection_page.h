// The report of a selection: the question, the answer, how sure it is, and all that led to it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/page.h"

namespace obverse {

/// From what selection.json holds. Throws Error when the tree is that of something else; `source` names it.
Page selection_page(const nlohmann::ordered_json& selection, const std::string& source = "selection.json");

}  // namespace obverse
