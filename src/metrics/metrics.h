// How good predictions are, by the measures and in the conventions of scikit-learn.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "downstream/target.h"

namespace obverse {

// Each takes the truth and the prediction for the same rows, at least one; a class is predicted with a probability for
// each of `truth.classes`. A row counts as much as its weight in the truth, as with scikit-learn's `sample_weight`.
// Where no row counts the value is NaN.

/// Share of the rows whose most probable class is the true one.
double accuracy(const Target& truth, const Prediction& prediction);

/// Mean over the classes that occur in the truth of the share of their rows found.
double balanced_accuracy(const Target& truth, const Prediction& prediction);

/// Mean of 2 TP / (2 TP + FP + FN) over the classes that occur in the truth or are predicted for some row.
double macro_f1(const Target& truth, const Prediction& prediction);

/// Mean of -log p of the true class, p clipped to [e, 1 - e] with e = 2^-23, the spacing of float32 at 1: the bound
/// that scikit-learn takes for probabilities of this type.
double log_loss(const Target& truth, const Prediction& prediction);

/// Area under the curve of true against false positives: by the probability of class 1 for two classes, else the mean
/// over the classes, each against the rest. NaN when a class does not occur in the truth: scikit-learn gives NaN for
/// two classes and raises an error for more.
double roc_auc(const Target& truth, const Prediction& prediction);

/// Sum of (R_n - R_{n-1}) P_n over the scores in descending order, with the precision P_n and the recall R_n of all
/// rows that score at least as much: by the probability of class 1 for two classes, else the mean over the classes,
/// each against the rest. NaN when a class does not occur in the truth, as for roc_auc.
double average_precision(const Target& truth, const Prediction& prediction);

/// 1 - sum (y - p)^2 / sum (y - mean y)^2 over all columns, with the mean of each column: predicting these means scores
/// 0. For equal y it is 1 when all p are right and 0 otherwise. NaN for one row.
double r2(const Target& truth, const Prediction& prediction);

/// Mean of |y - p|.
double mean_absolute_error(const Target& truth, const Prediction& prediction);

/// One measure as the command, JSON and docs meet it.
struct Metric {
  std::string_view name;
  std::string_view title;  ///< in sentences: ROC AUC
  double (*value)(const Target& truth, const Prediction& prediction);
  bool larger_is_better;
  bool of_classes;  ///< false: of values
  double least;     ///< what its values can be, infinite where there is no bound
  double most;
  std::string_view help;
};

/// The name of a metric as it is typed: balanced-accuracy.
std::string typed_name(std::string_view metric);

/// All of them, those of classes first.
std::span<const Metric> metrics();
/// Those of a task: of classes for labels too, of values for quantities and features.
std::span<const Metric> metrics_of(Task task);

/// The metric of a typed word, which has to be one of the task; `auto`: the first of the task, but balanced accuracy
/// where the rarest class has less than a fifth of an even share of the rows.
const Metric& metric_for(std::string_view word, const Dataset& data);

/// Why `auto` is balanced accuracy for these data, with the class that is rare, for a note; empty where it is not.
std::string rare_class_note(const Dataset& data);

/// The metric of that name, as in results or as it is typed; throws Error where there is none.
const Metric& metric_named(std::string_view name);

/// By which predictions for a task are measured: accuracy, or the share of the variance explained.
std::string_view measure_name(Task task);
/// What values of the metric are called in sentences: that of the task for its first metric, else the title.
std::string_view measure_name(const Metric& metric);

/// Of several targets that were predicted one by one: the mean.
double mean_value(const Metric& metric, std::span<const Target> truth, std::span<const Prediction> predictions);

}  // namespace obverse
