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
  const std::vector<Target> targets = targets_of(data);
  std::vector<double> scores(data.features());
  for (const Target& target : targets) {
    const std::vector<double> some = Forest(data, all_features(data), target, forest, team).importances();
    for (std::size_t d = 0; d < scores.size(); ++d) scores[d] += some[d] / static_cast<double>(targets.size());
  }
  return scores;
}

}  // namespace

std::vector<double> rf_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, random_forest(), options, team);
}

std::vector<double> ert_scores(const Dataset& data, const BaselineOptions& options, Team& team) {
  return importances(data, extra_trees(), options, team);
}

}  // namespace obverse
