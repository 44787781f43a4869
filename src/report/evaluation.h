// An evaluation as text, CSV and JSON.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <obverse/evaluation.h>

#include "page/terminal.h"

namespace obverse {

/// Which rows were learned from and which were tested on, in words.
std::string rows_text(const Evaluation& evaluation);

/// For each classifier a table by the asked metric: mean, deviation, interval, how many results, a bar, and the
/// difference to all features.
std::string evaluation_tables(const Evaluation& evaluation, const TextStyle& style);

/// What ± and the interval stand for.
std::string spread_text(const Evaluation& evaluation);

/// For each classifier a sentence on what the selected features keep of all of them.
std::vector<std::string> evaluation_sentences(const Evaluation& evaluation);

/// The text of evaluation.csv: a line for each classifier, set of features and metric. It holds no times: the same
/// evaluation gives the same bytes.
std::string evaluation_csv(const Evaluation& evaluation);

/// The evaluation as a tree; a number that is not defined becomes null.
nlohmann::ordered_json evaluation_tree(const Evaluation& evaluation);

}  // namespace obverse
