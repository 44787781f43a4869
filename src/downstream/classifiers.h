// The models that are refitted on selected features, each with everything that commands, results and pages say of it;
// the only list of them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>

#include "backend/device.h"
#include "dataset/scaling.h"
#include "downstream/target.h"
#include "support/team.h"

namespace obverse {

/// What the options say of the models.
struct FitSettings {
  std::size_t trees = 100;  ///< of a forest
  std::size_t neighbours = 5;
  const Device* device = &processor();  ///< that finds neighbours
  bool even_classes = false;            ///< the training rows are weighted so that each class counts the same
};

/// What a model learns from and is asked about.
struct FitInput {
  const Dataset& train;
  const Dataset& test;
  std::span<const std::size_t> columns;
  const Affine& scaling;            ///< of the training rows, for models that compare or add up columns
  std::span<const Target> learned;  ///< of the training rows: one, or one for each label or quantity
  FitSettings settings = {};
  std::uint64_t seed = 0;
};

struct Classifier {
  std::string_view name;   ///< rf, as it is typed and as results call it
  std::string_view title;  ///< RF, in tables
  std::string_view words;  ///< random forest
  /// "a random forest of 100 trees".
  std::string (*description)(const FitSettings& settings);
  bool by_chance;       ///< another seed may give other predictions
  bool tells_features;  ///< learns all features at once, which data without a target is measured by
  /// Grows with the time of one fit on so many features.
  double (*work)(std::size_t features);
  /// A prediction of each target for the test rows, the same for every size of the team.
  std::vector<Prediction> (*predict)(const FitInput& input, Team& team);
};

std::span<const Classifier> classifiers();
/// Throws Error for a name that none has.
const Classifier& classifier_named(std::string_view name);
/// Those of the asked ones that can be measured by the task; where none of them can, all that can.
std::vector<std::string> classifiers_for(Task task, const std::vector<std::string>& asked);

}  // namespace obverse
