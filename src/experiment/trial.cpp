#include "experiment/trial.h"

#include "backend/device.h"
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
    : train(split.train),
      test(split.test),
      scaling(fit_scaling(split.train, neighbour_scaling)),
      learned(targets_or_features(split.train, scaling)),
      asked(targets_or_features(split.test, scaling)) {}

FitSettings fit_settings(const EvaluateOptions& options) {
  return {.trees = static_cast<std::size_t>(options.trees),
          .neighbours = static_cast<std::size_t>(options.neighbours),
          .device = &device_named(options.select.device)};
}

ClassifierResult run_trial(const PreparedSplit& split, const std::string& classifier,
                           std::span<const std::size_t> features, const EvaluateOptions& options, std::uint64_t seed,
                           Team& team) {
  const auto start = Clock::now();
  const std::vector<Prediction> predictions = classifier_named(classifier)
                                                  .predict({.train = split.train,
                                                            .test = split.test,
                                                            .features = features,
                                                            .scaling = split.scaling,
                                                            .learned = split.learned,
                                                            .settings = fit_settings(options),
                                                            .seed = seed},
                                                           team);
  ClassifierResult result{.classifier = classifier, .values = {}};
  for (const Metric& metric : metrics_of(split.train.task())) {
    result.values.push_back(mean_value(metric, split.asked, predictions));
  }
  result.seconds = seconds_since(start);
  return result;
}

}  // namespace obverse
