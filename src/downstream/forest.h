// Forests of fully grown trees: random forest (Breiman 2001) and extremely randomised trees (Geurts et al. 2006).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "downstream/coded_columns.h"
#include "downstream/target.h"
#include "downstream/tree.h"
#include "support/team.h"

namespace obverse {

struct ForestOptions {
  SplitKind split = SplitKind::best;  ///< best: random forest; random: extremely randomised trees
  bool bootstrap = true;              ///< each tree sees as many rows as there are, drawn with replacement
  std::size_t trees = 100;
  std::size_t candidates = 0;      ///< features looked at in a node; 0: sqrt(features), all of them for values
  std::size_t depth = 0;           ///< most levels; 0: until every leaf is pure
  std::size_t leaf = 1;            ///< fewest rows in a leaf
  std::size_t codes = kWideCodes;  ///< different values of a feature that are told apart, at most
  std::uint64_t seed = 0;
  std::function<bool(double done)> progress = {};  ///< from the calling thread; returns false to stop
};

ForestOptions random_forest(std::uint64_t seed = 0);
ForestOptions extra_trees(std::uint64_t seed = 0);

/// Trees depend on the options and the data alone, not on the team.
class Forest {
 public:
  /// Learns from the given features of the rows of `train`, each as good as so many rows as its weight in the target
  /// says; a bootstrap draws every row of positive weight alike, as scikit-learn does. Throws Error with Fault::stopped
  /// where `progress` says so.
  Forest(const Dataset& train, std::span<const std::size_t> features, const Target& target,
         const ForestOptions& options, Team& team);

  /// The mean of what the trees say. `data` has the columns of the training data.
  Prediction predict(const Dataset& data, Team& team) const;

  /// For each training row, in their order, the mean of the trees that have not seen it; all 0 for a row that every
  /// tree has seen. The forest must have been grown with a bootstrap, on these rows.
  Prediction predict_out_of_bag(const Dataset& train, Team& team) const;

  /// Mean decrease of impurity of each of the features, adding up to 1; all 0 when no tree has a split.
  const std::vector<double>& importances() const { return importances_; }
  const std::vector<Tree>& trees() const { return trees_; }

 private:
  Prediction predict(const Dataset& data, bool out_of_bag, Team& team) const;

  std::vector<std::size_t> features_;
  std::size_t outputs_;
  std::vector<Tree> trees_;
  std::vector<std::vector<bool>> seen_;  // (trees, training rows) with a bootstrap, else empty
  std::vector<double> importances_;
};

}  // namespace obverse
