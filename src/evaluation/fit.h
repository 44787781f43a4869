// One model, learned from some features of the training rows and asked about the test rows.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <obverse/evaluation.h>

#include "backend/ops.h"
#include "downstream/classifiers.h"
#include "downstream/target.h"
#include "dataset/splits.h"
#include "metrics/metrics.h"
#include "support/team.h"

namespace obverse {

/// A pair of training and test rows with what every fit on it needs.
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

/// A prediction of each target for the test rows.
std::vector<Prediction> fit_predict(const PreparedSplit& split, std::string_view classifier,
                                    std::span<const std::size_t> features, const EvaluateOptions& options,
                                    std::uint64_t seed, Team& team);

/// By each metric of the task.
std::vector<double> measured(const PreparedSplit& split, std::span<const Prediction> predictions);

}  // namespace obverse
