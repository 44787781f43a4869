// What selected features are worth: classifiers refitted on them, beside all features and random ones.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/options.h>
#include <obverse/results.h>
#include <obverse/selector.h>

namespace obverse {

/// Models that can be refitted on features, as they are typed: rf, a random forest; ert, extremely randomised trees;
/// knn, the nearest neighbours; linear, logistic or ridge regression.
std::span<const std::string_view> classifier_names();
/// The same with their names in words, as help.
std::string_view classifiers_help();

/// How features are put to the test: how many of them, by which classifiers, on how many rows. Evaluations, comparisons
/// and studies share these.
struct TrialOptions {
  std::vector<int> k = {};
  std::vector<double> rho = {};
  std::vector<std::string> classifiers{"rf", "ert", "knn"};
  double test_fraction = 0;
  int trees = 100;
  int neighbours = 5;
  Scaling neighbour_scaling = Scaling::automatic;
};

// The options of a trial, in three groups so that a command can list its own options between them. The caller passes
// the help text where commands differ.

template <class Options, class Field>
void describe_trial_sizes(Options& o, Field&& field, std::string_view rho_help) {
  field("k", o.k, at_least(1).or_empty("none"), "how many features to select, one number or several; none: by rho");
  field("rho", o.rho, Bounds{.least = 0, .most = 1, .above = true}.or_empty("none"), rho_help);
  field("classifiers", o.classifiers, one_of(classifier_names()), classifiers_help());
}

template <class Options, class Field>
void describe_trial_rows(Options& o, Field&& field, std::string_view test_fraction_help) {
  field("test_fraction", o.test_fraction, between(0, 0.9).or_word("auto"), test_fraction_help);
}

template <class Options, class Field>
void describe_trial_models(Options& o, Field&& field) {
  field("trees", o.trees, between(1, 100000), "trees in a forest");
  field("neighbours", o.neighbours, at_least(1), "how many nearest rows say what a row is");
  field("neighbour_scaling", o.neighbour_scaling, anything(),
        "of the columns for neighbours and linear models; auto: divide by 255 for pixels, standardise otherwise");
}

/// What is evaluated, by whom, and on which rows.
struct EvaluateOptions : TrialOptions {
  std::string metric = "auto";
  int cv = 0;
  bool refit = false;
  int repeats = 0;
  SelectOptions select =
      not_repeated();  ///< how features are selected; its seed, threads and device are the evaluation's too
};

/// Those that a study has for all of its sets too: what is tried, and by what it is measured.
template <class Options, class Field>
void describe_measurement(Options& o, Field&& field) {
  describe_trial_sizes(o, field,
                       "how many, as shares of the features, such as 1%,5%; none: by k, or 10% if neither is given");
  field(
      "metric", o.metric, one_of(metric_words()),
      "the one that the table shows, JSON and files hold all; auto: accuracy of classes and labels, balanced accuracy "
      "where the rarest class has less than a fifth of an even share, r2 of quantities");
}

template <class Options, class Field>
void describe_evaluate(Options& o, Field&& field) {
  describe_measurement(o, field);
  describe_trial_rows(o, field,
                      "share of the rows held out for the test; auto: 20% where there are neither test rows nor folds");
  field("cv", o.cv, between(2, 1000).or_word("off"), "folds of a cross-validation, each with its share of every class");
  field("refit", o.refit, anything(), "select anew inside each fold, from its training rows alone");
  field("repeats", o.repeats, between(1, 1000).or_word("auto"),
        "forests of as many seeds for one test set, or as many rounds of folds; auto: 5 forests, 1 round");
  describe_trial_models(o, field);
}

/// Repeated results by one metric; NaN where it is not defined, as the ROC AUC of test rows that lack a class.
struct Score {
  std::string metric;          ///< balanced_accuracy
  std::vector<double> values;  ///< of each repeat: a seed, a random draw, or a fold (the mean of its random draws)
  double mean = 0;
  double deviation = 0;  ///< of a sample; 0 for one value
  double low = 0;        ///< 95 % bootstrap interval of the mean
  double high = 0;
};

/// One classifier on one set of features.
struct EvaluationRow {
  FeatureSet features = FeatureSet::all;
  std::size_t k = 0;
  std::string classifier = {};
  std::vector<Score> scores = {};  ///< by every metric of the task
  double seconds = 0;              ///< learning and predicting, all repeats together
};

/// What `evaluate` found.
struct Evaluation {
  Task task = Task::classification;  ///< by which the results are measured
  std::vector<EvaluationRow> rows;   ///< by classifier: all features, then selected and random of each k
  /// Every value behind the rows, and what was selected: for each fold, or under fold 0 where that was done once.
  Results results;
  std::vector<std::string> feature_names;
  std::size_t splits = 1;         ///< pairs of training and test rows
  std::size_t training_rows = 0;  ///< of the first split
  std::size_t test_rows = 0;
  bool ranking_given = false;
  std::vector<std::string> warnings;  ///< why the results may be better than what new rows will show
  std::vector<std::string> notes;     ///< what the user should know of the data
  std::string data_fingerprint;
  double selection_seconds = 0;
  EvaluateOptions options;  ///< with every `auto` resolved but those of the selection; k holds the sizes, ascending

  /// The row of a classifier on a set of features; throws Error where there is none.
  const EvaluationRow& row(std::string_view classifier, FeatureSet features, std::size_t k = 0) const;
};

/// Where the rows and the features come from.
struct EvaluationInput {
  Dataset data;
  std::optional<Dataset> test = {};       ///< rows of their own for the test; else some of `data`
  std::vector<std::size_t> ranking = {};  ///< features, best first; empty: selected now
};

/// Several labels or quantities are learned one by one, and measures are their mean. Data without a target is measured
/// by how far the neighbours of a row in the selected features tell all of its features (r2 and mae of the scaled
/// values). Refits every classifier on all features, on the selected ones and on random ones of every k. The selection
/// sees the training rows only, except with `cv` and without `refit`. The numbers depend on the seed and the data
/// alone.
Evaluation evaluate(const EvaluationInput& input, const EvaluateOptions& options = {},
                    const ProgressCallback& progress = {});

}  // namespace obverse
