// Options as JSON, as they are echoed in results.
#pragma once

#include <nlohmann/json.hpp>

#include <obverse/compare.h>
#include <obverse/evaluation.h>
#include <obverse/options.h>

namespace obverse {

/// Every option under its name; a word such as `off` where zero or an empty list goes by one.
nlohmann::ordered_json options_json(const TrainOptions& options);
/// The same, with the recipes under `recipes`; for a baseline what it looks at.
nlohmann::ordered_json options_json(const SelectOptions& options);
/// Those of the evaluation, then the seed, the threads and the device; the selection is not among them.
nlohmann::ordered_json options_json(const EvaluateOptions& options);
/// The same of a comparison.
nlohmann::ordered_json options_json(const CompareOptions& options);

}  // namespace obverse
