// A selection as text for a terminal and as a page.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "page/page.h"
#include "page/terminal.h"

namespace obverse {

/// rank, name, score, a bar, and how many resamples selected it, or without any how many trained models; at most `most`
/// rows, the rest counted.
std::string selection_table(const Selection& selection, std::size_t most, const TextStyle& style);

/// What the selected groups of columns hold, a line for each of those among the first `most` features; empty without
/// any.
std::string groups_text(const Selection& selection, std::size_t most, const TextStyle& style);

/// How far the models of the sweep agree, in words.
std::string agreement_text(const Selection& selection);
std::string agreement_text(std::size_t models, double stability, double jaccard);

/// What a stability says of the models: "agree closely".
std::string_view agreement_words(double stability);

/// The pixels that were selected, as a picture of two characters each; empty for data that are no pictures.
std::string selection_picture(const Dataset& data, const Selection& selection, const TextStyle& style);

/// The text of selection.json as a tree. Throws Error for what is not JSON or is nested far deeper than a selection.
nlohmann::ordered_json parsed_selection(const std::string& text, const std::string& source);

/// The report: the question, the answer, how sure it is, and all that led to it, from what selection.json holds. Throws
/// Error when the tree is that of something else; `source` names it.
Page selection_page(const nlohmann::ordered_json& selection, const std::string& source = "selection.json");

}  // namespace obverse
