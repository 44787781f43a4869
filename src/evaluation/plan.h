// What an evaluation is going to do: options without `auto`, pairs of training and test rows, and what to warn of.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <obverse/evaluation.h>

#include "dataset/splits.h"
#include "downstream/classifiers.h"

namespace obverse {

/// Fills in what was left open. Throws Error for options that cannot work together or with the input.
EvaluateOptions fill_automatic(EvaluateOptions options, const EvaluationInput& input);

/// One pair, or one for each fold of each round. `options` have no `auto` left. Throws Error where a pair cannot be
/// learned from or tested on.
std::vector<TrainTest> splits_of(const EvaluationInput& input, const EvaluateOptions& options);

/// The rows as classifiers learn from them: each class counts the same where it does so in the selection.
TrainTest as_learned(const TrainTest& split, const EvaluateOptions& options);
/// Those of the models that learn from such rows of this task.
FitSettings settings_as_learned(const EvaluateOptions& options, Task task);

/// Adds a note on a metric of `auto` that is not the usual one, with the reason; nothing otherwise.
void add_metric_note(std::string_view metric, const Dataset& data, std::vector<std::string>& notes);

/// Why the results may be better than what new rows will show.
std::vector<std::string> warnings_for(const EvaluationInput& input, const EvaluateOptions& options);

}  // namespace obverse
