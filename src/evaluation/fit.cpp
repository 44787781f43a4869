#include "evaluation/fit.h"

#include "backend/device.h"
#include "dataset/scaling.h"
#include "downstream/forest.h"
#include "downstream/neighbours.h"

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

std::vector<Prediction> fit_predict(const PreparedSplit& split, Classifier classifier,
                                    std::span<const std::size_t> features, const EvaluateOptions& options,
                                    std::uint64_t seed, Team& team) {
  if (classifier == Classifier::knn) {
    const NeighbourQuery query{&split.train,
                               &split.test,
                               features,
                               &split.scaling,
                               static_cast<std::size_t>(options.neighbours),
                               device_number(options.select.device)};
    if (split.train.has_target()) return neighbour_predictions(query, split.learned, team);
    return {feature_prediction(query, team)};
  }
  ForestOptions forest = classifier == Classifier::rf ? random_forest(seed) : extra_trees(seed);
  forest.trees = static_cast<std::size_t>(options.trees);
  std::vector<Prediction> predictions;
  for (const Target& target : split.learned) {
    predictions.push_back(Forest(split.train, features, target, forest, team).predict(split.test, team));
  }
  return predictions;
}

std::vector<double> measured(const PreparedSplit& split, std::span<const Prediction> predictions) {
  std::vector<double> values;
  for (const Metric& metric : metrics_of(split.train.task())) {
    values.push_back(mean_value(metric, split.asked, predictions));
  }
  return values;
}

}  // namespace obverse
