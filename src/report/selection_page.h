// The report of a selection: the question, the answer, how sure it is, and all that led to it.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "report/page.h"

namespace obverse {

/// The text of selection.json as a tree. Throws Error for what is not JSON or is nested far deeper than a selection.
nlohmann::ordered_json parsed_selection(const std::string& text, const std::string& source);

/// From what selection.json holds. Throws Error when the tree is that of something else; `source` names it.
Page selection_page(const nlohmann::ordered_json& selection, const std::string& source = "selection.json");

}  // namespace obverse
