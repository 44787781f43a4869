// One classifier, learned from some features of the training rows and asked about the test rows.
#pragma once

#include <cstdint>
#include <span>

#include <obverse/evaluation.h>

#include "backend/ops.h"
#include "downstream/target.h"
#include "evaluation/folds.h"
#include "support/team.h"

namespace obverse {

/// A pair of training and test rows with what every fit on it needs.
struct PreparedSplit {
  PreparedSplit(const TrainTest& split, Scaling neighbour_scaling);

  Dataset train;
  Dataset test;
  Affine scaling;  ///< of the training rows, for the neighbours
  Target learned;
  Target asked;
};

/// Predictions for the test rows. `options` say how many trees and neighbours; neighbours know no chance.
Prediction fit_predict(const PreparedSplit& split, Classifier classifier, std::span<const std::size_t> features,
                       const EvaluateOptions& options, std::uint64_t seed, Team& team);

}  // namespace obverse
