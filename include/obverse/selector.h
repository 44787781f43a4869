// From a data set to a ranking: trains a sweep of masks and picks the one that serves the asked k best, or ranks by a
// method that needs no training.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/evidence.h>
#include <obverse/model.h>
#include <obverse/options.h>
#include <obverse/ranking.h>
#include <obverse/stand_ins.h>

namespace obverse {

/// What a running selection tells from time to time, from one thread at a time.
struct Progress {
  std::string stage;       ///< "training", "choosing"; "ranking" without networks
  double done = 0;         ///< share of the stage, 0 to 1
  std::size_t models = 0;  ///< models in the sweep; 0 without one
  double rows_per_second = 0;
};

/// Returns false to stop: the selection then ends with Fault::stopped.
using ProgressCallback = std::function<bool(const Progress&)>;

/// What `Selector::fit` found.
struct Selection {
  Ranking ranking;
  std::size_t k = 0;                           ///< 0: `control` accepts no feature
  std::size_t chosen = 0;                      ///< the model that answers
  std::size_t choice_folds = 0;                ///< of few rows, by which candidates of method auto were judged as well
  std::size_t exchanged = 0;                   ///< of its first k features, those exchanged for others
  std::string reason;                          ///< why that one
  Models models;                               ///< of the sweep or the pool, shared by the answers for all k
  std::vector<Merit> merits;                   ///< of each model, for k features
  Agreement agreement;                         ///< of the models' selections at k
  std::vector<std::size_t> constant_features;  ///< ranked last
  std::vector<std::string> warnings;           ///< of `Selector::fit`: features that may be leaks of the target
  std::vector<std::string> notes;              ///< what the user should know of the data
  std::optional<Evidence> evidence;            ///< of `Selector::fit`, unless `resample` is off
  StandIns stand_ins;                          ///< of `Selector::fit`: what could take the place of selected features
  std::string data_fingerprint;
  std::size_t training_rows = 0;
  std::size_t validation_rows = 0;
  double training_seconds = 0;  ///< or ranking, without networks
  double choosing_seconds = 0;
  SelectOptions options;  ///< with every `auto` resolved; `task` is what was trained for

  /// (D) the share of the selections from parts of the rows, or without them of the models, that have a feature among
  /// their first k; with `control`, of the halves that accept it.
  const std::vector<double>& frequency() const {
    if (evidence && evidence->control) return evidence->control->frequency;
    return evidence ? evidence->frequency : agreement.frequency;
  }
};

/// Throws Error for options that cannot work together or with the data.
class Selector {
 public:
  explicit Selector(SelectOptions options = {}) : options_(std::move(options)) {}
  /// Selects from all rows. Unless `resample` is off it does so again from parts of them, to measure the answer and,
  /// where neither k nor rho is given, to find out how many features are enough.
  Selection fit(const Dataset& train, const ProgressCallback& progress = {}) const;
  /// One training, an answer for each of several k: the model that serves 5 features best may not serve 50 best.
  /// Nothing is repeated on parts of the rows.
  std::vector<Selection> fit_each(const Dataset& train, std::span<const std::size_t> ks,
                                  const ProgressCallback& progress = {}) const;

 private:
  SelectOptions options_;
};

/// Accuracy on `test` of 5 nearest neighbours fitted on `train`, with the given features only; of quantities, and
/// of the features themselves where there is no target, r2. `device` as in SelectOptions.
double neighbour_accuracy(const Dataset& train, const Dataset& test, std::span<const std::size_t> features,
                          int threads = 0, const std::string& device = "cpu");

}  // namespace obverse
