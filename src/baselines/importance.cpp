// Mean decrease of impurity in a forest on all features: what a feature alone and after others contributes to its
// splits.
#include "baselines/baselines.h"
#include "downstream/forest.h"

namespace obverse {
namespace {

std::vector<double> importances(const Dataset& data, ForestOptions forest, const BaselineOptions& options, Team& team) {
  forest.seed = options.seed;
  forest.trees = kImportanceTrees;
  forest.progress = options.progress;
  return Forest(data, all_features(data), target_of(data), forest, team).importances();
}

}  // namespace

std::vector<double> rf_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, random_forest(), options, team);
}

std::vector<double> ert_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, extra_trees(), options, team);
}

}  // namespace obverse
