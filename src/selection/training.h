// Selections before they are asked for a size: data checked, models trained or the scores of a baseline found.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/selector.h>

#include "backend/device.h"
#include "ranking/equal_features.h"
#include "support/clock.h"

namespace obverse {

/// What a pool spends on finding its candidates and on choosing between them.
struct PoolBudget {
  std::size_t choice_folds = 5;      ///< by which few rows choose between the candidates; 0: by none
  std::size_t choice_repeats = 2;    ///< of the folds, each with other parts
  std::size_t trees = 200;           ///< of each forest
  std::size_t exchange_rows = 1500;  ///< at most, that decide on exchanges of features
};

/// Rows to select from, how, and the largest number of features that will be asked for.
struct SelectionTask {
  Dataset data;  ///< as `prepared` gives it
  SelectOptions options = {};
  std::size_t largest = 1;
  PoolBudget budget = {};
};

/// The candidates of a pool again, without some of the rows, which judge them.
struct CrossFit {
  Dataset fit;   ///< tables as numbers
  Dataset held;  ///< the rows that judge
  Models models;
};

/// What can answer for any number of features up to the largest.
struct TrainedSelection {
  Selection ranked;  ///< all that does not depend on k
  Dataset fit;       ///< the rows behind the models; tables as numbers
  Dataset read;      ///< the same rows with tables as they are
  Dataset held;      ///< rows to choose between them by; none where there is one model
  std::size_t largest = 1;
  std::vector<EqualFeatures> equal = {};
  std::vector<CrossFit> cross = {};         ///< of a pool of few rows
  std::vector<std::size_t> finalists = {};  ///< models of the sweep that are trained, by number; empty: all
  std::vector<std::size_t> kept = {};       ///< features that are always selected, ascending
  PoolBudget budget = {};
  Deadline deadline = {};  ///< after which no features are exchanged
  const Device* device = &processor();
};

/// Whether networks also see a copy of every feature with its rows permuted, whose mask is taken off the scores: where
/// features are groups of columns, which networks learn by heart sooner than single ones.
bool sees_copies(const TrainedSelection& trained);

/// Trains the models of all tasks side by side, with the threads of the first; what comes out for one does not depend
/// on the others. All tasks have one method and one device. Throws Error for options that cannot work together or with
/// the data. Behind a deadline masks are what they have learned by then, rankers are left out, and nothing is fitted
/// again in choice folds; notes say so. A single baseline is ranked by however long it takes.
std::vector<TrainedSelection> train_selections(std::span<const SelectionTask> tasks, const ProgressCallback& progress,
                                               Deadline deadline = {});

}  // namespace obverse
