#include "experiment/trial.h"

#include <algorithm>

#include "backend/device.h"
#include "dataset/encoding.h"
#include "dataset/scaling.h"
#include "metrics/metrics.h"
#include "support/clock.h"

namespace obverse {
namespace {

std::vector<Target> targets_or_features(const Dataset& data, const Affine& scaling) {
  std::vector<Target> targets = targets_of(data);
  if (targets.empty()) targets.push_back(feature_target(data, scaling));
  return targets;
}

}  // namespace

PreparedSplit::PreparedSplit(const TrainTest& split, Scaling neighbour_scaling)
    : PreparedSplit(neighbour_scaling, encoded(split)) {}

PreparedSplit::PreparedSplit(Scaling neighbour_scaling, const TrainTest& numbers)
    : train(numbers.train),
      test(numbers.test),
      scaling(fit_scaling(train, neighbour_scaling)),
      learned(targets_or_features(train, scaling)),
      asked(targets_or_features(test, scaling)) {}

FitSettings fit_settings(const EvaluateOptions& options) {
  return {.trees = static_cast<std::size_t>(options.trees),
          .neighbours = static_cast<std::size_t>(options.neighbours),
          .device = &device_named(options.select.device)};
}

std::vector<Prediction> trial_predictions(const PreparedSplit& split, const Trial& trial, std::string_view classifier,
                                          Team& team) {
  const FlushDenormals flush;  // as the team's workers do: which thread takes a task must not matter
  const std::vector<std::size_t> columns = split.train.columns_of(trial.features);
  return classifier_named(classifier)
      .predict({.train = split.train,
                .test = split.test,
                .columns = columns,
                .scaling = split.scaling,
                .learned = split.learned,
                .settings = trial.settings,
                .seed = trial.seed},
               team);
}

std::vector<Result> run_trial(const PreparedSplit& split, const Trial& trial, Team& team) {
  const FlushDenormals flush;  // metrics too
  std::vector<Result> rows;
  for (const std::string& classifier : trial.classifiers) {
    const auto start = Clock::now();
    const std::vector<Prediction> predictions = trial_predictions(split, trial, classifier, team);
    const std::size_t first = rows.size();
    for (const Metric& metric : metrics_of(split.train.task())) {
      Result& row = rows.emplace_back(trial.place);
      row.k = trial.features.size();
      row.classifier = classifier;
      row.metric = metric.name;
      row.value = mean_value(metric, split.asked, predictions);
    }
    const double seconds = seconds_since(start);
    for (std::size_t i = first; i < rows.size(); ++i) rows[i].seconds = seconds;
  }
  return rows;
}

SelectedFeatures selected_features(const Selection& selection, const Result& place) {
  const auto top = selection.ranking.top(selection.k);
  return {place.set, place.method, place.run, place.fold, selection.k, {top.begin(), top.end()}};
}

void add_notes(const Selection& selection, std::vector<std::string>& notes) {
  for (const std::string& note : selection.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
}

}  // namespace obverse
