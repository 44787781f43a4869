// Mean decrease of impurity in a forest on all features: what a feature alone and after others contributes to its
// splits.
#include <numeric>

#include "baselines/baselines.h"
#include "downstream/forest.h"

namespace obverse {
namespace {

std::vector<double> importances(const Dataset& data, ForestOptions forest, const BaselineOptions& options, Team& team) {
  forest.seed = options.seed;
  forest.trees = kImportanceTrees;
  forest.progress = options.progress;
  std::vector<std::size_t> features(data.features());
  std::iota(features.begin(), features.end(), std::size_t{0});
  return Forest(data, features, target_of(data), forest, team).importances();
}

}  // namespace

std::vector<double> rf_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, random_forest(), options, team);
}

std::vector<double> ert_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, extra_trees(), options, team);
}

}  // namespace obverse
