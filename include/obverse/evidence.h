// What repeating a selection on parts of the rows says about it: how good its features are on rows that took no part,
// how many of them are enough, how stable they are, and whether there is anything to select by at all.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace obverse {

/// The score with k features on rows that took no part in selecting them, in choosing between models or in fitting the
/// classifier.
struct CurvePoint {
  std::size_t k = 0;
  double score = 0;
  double low = 0;  ///< 95 % interval
  double high = 0;
  double random = 0;  ///< with k random features; NaN where that was not measured
};

/// Score against the number of features.
struct Curve {
  std::string metric;              ///< balanced_accuracy
  std::string classifier;          ///< ert: what was fitted on the selected features
  std::size_t folds = 0;           ///< 1: one held-out part
  std::size_t rows = 0;            ///< held out, in all folds together
  double base_rate = 0;            ///< without any feature: the majority class, or the mean
  CurvePoint all;                  ///< with all features; NaN where they are too many for a forest
  std::vector<CurvePoint> points;  ///< by k, ascending
};

/// Whether the features say anything about the target.
struct Verdict {
  bool signal = false;  ///< p_value is below 0.05
  /// How often held-out rows with permuted targets score as well, at the best of all sizes.
  double p_value = 1;
  double score = 0;  ///< at the selected k, less what choosing k added to it
  double low = 0;    ///< 95 % interval
  double high = 0;
  double base_rate = 0;
};

/// Agreement of selections from disjoint halves of the rows: Nogueira's index, 1 identical, 0 as random.
struct Stability {
  double value = 0;
  double low = 0;  ///< 95 % interval
  double high = 0;
  std::size_t pairs = 0;  ///< of halves
};

/// Complementary-pairs stability selection: features that most halves of the rows select.
struct Control {
  double pfer = 1;           ///< expected number of false features that was asked for
  double bound = 0;          ///< on the expected number of false features
  std::size_t selected = 0;  ///< columns that each half selects, out of all features and their permuted copies
  double threshold = 0;      ///< share of the halves that select an accepted feature, or more
  std::size_t halves = 0;
  std::size_t clusters = 0;         ///< of interchangeable features, each counted once; most have one feature
  std::size_t copies_accepted = 0;  ///< permuted copies that pass: an estimate of the false features
  std::vector<double> frequency;    ///< (D) share of the halves that select a feature or another of its cluster
};

struct Evidence {
  Curve curve;
  Verdict verdict;
  std::optional<Stability> stability;  ///< missing where a half would lack a class
  std::vector<double> frequency;       ///< (D) share of the resamples that selected a feature among their first k
  std::size_t resamples = 0;           ///< folds and halves
  std::string size_reason;             ///< why k features, where k was left open
  std::optional<Control> control;      ///< where it decided which features are selected, perhaps none
  double seconds = 0;                  ///< beyond training: fitting classifiers, bootstrap and permutations
};

}  // namespace obverse
