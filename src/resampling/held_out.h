// What classifiers that learned from some features say about rows that took no part, and how good that is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>

#include "dataset/splits.h"
#include "downstream/classifiers.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "support/team.h"

namespace obverse {

/// Predictions of the test rows of all folds, one fold behind the other.
struct HeldOut {
  std::vector<Target> truth;                      ///< one, or one for each label or quantity
  std::vector<std::size_t> sizes;                 ///< numbers of features, ascending
  std::vector<std::vector<Prediction>> selected;  ///< (sizes, targets)
  /// (sizes, targets) with as many random features, of the first `random_rows` rows: some of the folds.
  /// Empty for sizes that this was not asked for.
  std::vector<std::vector<Prediction>> random;
  std::size_t random_rows = 0;
  std::vector<Prediction> all;       ///< (targets) with all features; empty where they are too many
  std::vector<Prediction> constant;  ///< (targets) the majority class or the mean of the training rows
  /// (folds, sizes, columns) where features are the truth: 1 for those that the fold selected, which are no predictions
  std::vector<std::vector<std::vector<char>>> given;
  double tested_share = 0;           ///< test rows for each training row, the mean over the folds
  std::vector<std::uint32_t> fold;   ///< (rows)
  std::vector<std::uint32_t> group;  ///< (rows) rows of one group stay together; empty: no groups
  std::vector<double> time;          ///< (rows) empty: no times

  std::size_t rows() const { return fold.size(); }
  std::size_t folds() const { return fold.empty() ? 0 : fold.back() + std::size_t{1}; }
  bool of_features() const { return !given.empty(); }
};

/// The features that fold f selected, best first: at least as many as the size.
using FoldOrder = std::function<std::span<const std::size_t>(std::size_t f, std::size_t size)>;

struct HeldOutSpec {
  std::string classifier;               ///< ert
  std::vector<std::size_t> sizes = {};  ///< numbers of features, ascending
  bool may_stop = false;                ///< the largest sizes are left out where the score by `metric` clearly falls
  const Metric* metric = nullptr;
  std::vector<std::size_t> kept = {};  ///< features that every selection has, ascending: random ones come beside them
  std::size_t random_step = 1;         ///< random features are measured at every size of this step, from the first on
  FitSettings settings = {};
  std::uint64_t seed = 0;
};

/// Fits the classifier on the training rows of every fold, with the features of every size, and asks it about the test
/// rows. `progress` is told the share that is done; false stops with Fault::stopped.
class Measurement {
 public:
  Measurement(std::span<const TrainTest> folds, FoldOrder order, HeldOutSpec spec, Team& team,
              std::function<bool(double done)> progress);

  /// With all features, and with those of every size of the spec.
  void measure_sizes();
  /// With those of one size more.
  void add_size(std::size_t size);
  const HeldOut& held() const { return held_; }

 private:
  void add_rows(const TrainTest& fold);
  std::vector<Prediction> predicted(std::size_t f, std::span<const std::size_t> features);
  bool falls() const;
  double rows_that_count() const;

  FoldOrder order_;
  HeldOutSpec spec_;
  Team& team_;
  std::function<bool(double done)> progress_;
  std::vector<PreparedSplit> splits_;
  std::vector<std::vector<std::size_t>> random_;  ///< (folds that random features are measured on, features) shuffled
  std::size_t fits_ = 0;                          ///< that the sizes of the spec take
  std::size_t done_ = 0;
  HeldOut held_;
};

/// (sizes) how good the predictions of each size are for this truth, larger is better: a metric of losses is negated.
std::vector<double> scores_of(const HeldOut& held, const Metric& metric, std::span<const Target> truth);

}  // namespace obverse
