#include "metrics/base_rate.h"

#include <vector>

#include "dataset/scaling.h"
#include "downstream/constant.h"

namespace obverse {

double base_rate(const Metric& metric, const Dataset& data, const Dataset& test) {
  const Dataset train = data.of_positive_weight();
  std::vector<Target> learned;
  std::vector<Target> truth;
  if (train.has_target()) {
    learned = targets_of(train);
    truth = targets_of(test);
  } else {
    const Affine scaling = fit_scaling(train, Scaling::automatic);
    learned = {feature_target(train, scaling)};
    truth = {feature_target(test, scaling)};
  }
  std::vector<Prediction> predictions;
  for (const Target& target : learned) predictions.push_back(without_features(target, test.rows()));
  return mean_value(metric, truth, predictions);
}

}  // namespace obverse
