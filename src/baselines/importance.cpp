// Mean decrease of impurity in a forest on all features: what a feature alone and after others contributes to its
// splits. Columns with many values and features with many columns gain from chance. Where features may have several
// columns the score is therefore the sum over the columns less that of a copy of the feature with its rows permuted
// (Nembrini, Koenig and Wright 2018), which has the same columns and the same chance.
#include "baselines/baselines.h"
#include "baselines/features.h"
#include "dataset/permuted_copies.h"
#include "downstream/forest.h"

namespace obverse {
namespace {

constexpr double kLeastImportance = -1;  // a copy has at most all of it

/// (columns) the mean over the targets.
std::vector<double> column_importances(const Dataset& data, const ForestOptions& forest, Team& team) {
  const std::vector<Target> targets = targets_of(data);
  std::vector<double> scores(data.columns());
  for (const Target& target : targets) {
    const std::vector<double> some = Forest(data, all_columns(data), target, forest, team).importances();
    for (std::size_t c = 0; c < scores.size(); ++c) scores[c] += some[c] / static_cast<double>(targets.size());
  }
  return scores;
}

std::vector<double> importances(const Dataset& data, ForestOptions forest, const BaselineOptions& options, Team& team) {
  forest.seed = options.seed;
  forest.trees = options.trees;
  forest.codes = options.codes;
  forest.progress = options.progress;
  if (!has_parts(data)) return column_importances(data, forest, team);
  const Dataset both = with_permuted_copies(data, options.seed);
  const std::vector<double> sums = sums_by_feature(both, column_importances(both, forest, team));
  std::vector<double> scores(data.features());
  for (std::size_t f = 0; f < scores.size(); ++f) scores[f] = sums[f] - sums[scores.size() + f];
  for (const std::size_t feature : constant_features(data)) scores[feature] = kLeastImportance;
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
