// The step that every experiment is made of: classifiers learn from some features of the training rows, are asked about
// the test rows, and are measured.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/evaluation.h>
#include <obverse/results.h>

#include "dataset/splits.h"
#include "downstream/classifiers.h"
#include "downstream/target.h"
#include "support/team.h"

namespace obverse {

/// A pair of training and test rows with what every trial on it needs.
struct PreparedSplit {
  PreparedSplit(const TrainTest& split, Scaling neighbour_scaling);

  Dataset train;  ///< tables as numbers, by what the training rows say
  Dataset test;
  Affine scaling;               ///< of the training rows, for the neighbours
  std::vector<Target> learned;  ///< one, or one for each label or quantity; the features where there is no target
  std::vector<Target> asked;

 private:
  PreparedSplit(Scaling neighbour_scaling, const TrainTest& numbers);
};

/// What the options say of the models.
FitSettings fit_settings(const EvaluateOptions& options);

/// What is tried on a split, as plain data.
struct Trial {
  Result place = {};  ///< what its rows have in common: set, method, run, fold and whose features
  std::span<const std::size_t> features = {};
  std::vector<std::string> classifiers = {};
  FitSettings settings = {};
  std::uint64_t seed = 0;
};

/// What one classifier, fitted on the features, says about the test rows: a prediction of each target.
std::vector<Prediction> trial_predictions(const PreparedSplit& split, const Trial& trial, std::string_view classifier,
                                          Team& team);

/// Refits every classifier on the features: a row for each of them and each metric of the task. The values depend on
/// the seed and not on the team.
std::vector<Result> run_trial(const PreparedSplit& split, const Trial& trial, Team& team);

/// The features that a selection answers with, at a place.
SelectedFeatures selected_features(const Selection& selection, const Result& place);

/// Adds the notes of a selection that are not there yet.
void add_notes(const Selection& selection, std::vector<std::string>& notes);

}  // namespace obverse
