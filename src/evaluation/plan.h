// What an evaluation is going to do: options without `auto`, pairs of training and test rows, and what to warn of.
#pragma once

#include <string>
#include <vector>

#include <obverse/evaluation.h>

#include "dataset/splits.h"

namespace obverse {

/// Fills in what was left open. Throws Error for options that cannot work together or with the input.
EvaluateOptions fill_automatic(EvaluateOptions options, const EvaluationInput& input);

/// One pair, or one for each fold of each round. `options` have no `auto` left. Throws Error where a pair cannot be
/// learned from or tested on.
std::vector<TrainTest> splits_of(const EvaluationInput& input, const EvaluateOptions& options);

/// Why the results may be better than what new rows will show.
std::vector<std::string> warnings_for(const EvaluationInput& input, const EvaluateOptions& options);

}  // namespace obverse
