// The step that every experiment is made of: classifiers learn from some features of the training rows, are asked about
// the test rows, and are measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <obverse/evaluation.h>

#include "dataset/splits.h"
#include "downstream/classifiers.h"
#include "downstream/target.h"
#include "support/team.h"

namespace obverse {

/// A pair of training and test rows with what every trial on it needs.
struct PreparedSplit {
  PreparedSplit(const TrainTest& split, Scaling neighbour_scaling);

  Dataset train;
  Dataset test;
  Affine scaling;               ///< of the training rows, for the neighbours
  std::vector<Target> learned;  ///< one, or one for each label or quantity; the features where there is no target
  std::vector<Target> asked;
};

/// What the options say of the models.
FitSettings fit_settings(const EvaluateOptions& options);

/// What a classifier reached.
struct ClassifierResult {
  std::string classifier = {};
  std::vector<double> values;  ///< by each metric of the task
  double seconds = 0;          ///< learning and predicting
};

/// Refits a classifier on the given features. The values depend on the seed and not on the team.
ClassifierResult run_trial(const PreparedSplit& split, const std::string& classifier,
                           std::span<const std::size_t> features, const EvaluateOptions& options, std::uint64_t seed,
                           Team& team);

}  // namespace obverse
