#include "metrics/metrics.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include <obverse/error.h>
#include <obverse/options.h>

#include "dataset/tasks.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr double kUndefined = std::numeric_limits<double>::quiet_NaN();

void require(const Target& truth, const Prediction& prediction, bool of_classes) {
  const std::size_t outputs = of_classes ? truth.classes : truth.columns;
  if (truth.is_class() == of_classes && truth.rows() > 0 && prediction.outputs == outputs &&
      prediction.values.size() == truth.rows() * outputs) {
    return;
  }
  throw Error(Fault::internal, cat("a metric of ", of_classes ? "classes" : "values", " expected predictions of ",
                                   truth.rows(), " rows with ", outputs, " outputs, found ", prediction.values.size(),
                                   " numbers with ", prediction.outputs, " outputs"));
}

/// By class: the weight of its rows, of the rows predicted as it, and of those that are both.
struct Hits {
  std::vector<double> actual, predicted, right;
};

Hits count_hits(const Target& truth, const Prediction& prediction) {
  require(truth, prediction, true);
  const std::vector<double> none(truth.classes);
  Hits hits{none, none, none};
  for (std::size_t r = 0; r < truth.rows(); ++r) {
    const auto actual = static_cast<std::size_t>(truth.labels[r]);
    const auto predicted = static_cast<std::size_t>(prediction.label(r));
    const double weight = truth.weight(r);
    hits.actual[actual] += weight;
    hits.predicted[predicted] += weight;
    if (actual == predicted) hits.right[actual] += weight;
  }
  return hits;
}

/// Mean of right / whole over the classes that have a whole.
double mean_share(const std::vector<double>& right, const std::vector<double>& whole) {
  double sum = 0;
  double classes = 0;
  for (std::size_t c = 0; c < whole.size(); ++c) {
    if (whole[c] == 0) continue;
    sum += right[c] / whole[c];
    classes += 1;
  }
  return sum / classes;
}

/// The weight of the rows that share a score: of one class, and of all others.
struct Tie {
  double positives = 0;
  double negatives = 0;
};

/// The rows of one class against the rest by the score of the class: equal scores together, the lowest first. Empty
/// where no row of the class counts or no other does.
std::vector<Tie> ties_of_class(const Target& truth, const Prediction& prediction, std::size_t output) {
  const auto score = [&](std::size_t row) { return prediction.values[row * prediction.outputs + output]; };
  std::vector<std::size_t> order(truth.rows());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score(a) < score(b); });
  std::vector<Tie> ties;
  double positives = 0;
  double negatives = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i == 0 || score(order[i]) != score(order[i - 1])) ties.emplace_back();
    const bool positive = truth.labels[order[i]] == static_cast<std::int32_t>(output);
    const double weight = truth.weight(order[i]);
    (positive ? ties.back().positives : ties.back().negatives) += weight;
    (positive ? positives : negatives) += weight;
  }
  if (positives == 0 || negatives == 0) ties.clear();
  return ties;
}

/// The share of the pairs of a positive and a negative row in which the positive one scores more; equal scores are
/// half a pair.
double area_under_roc(std::span<const Tie> ties) {
  double pairs = 0;
  double positives = 0;
  double negatives = 0;
  for (const Tie& tie : ties) {
    pairs += tie.positives * (negatives + tie.negatives / 2);
    positives += tie.positives;
    negatives += tie.negatives;
  }
  return pairs / (positives * negatives);
}

/// Sum over the scores, the highest first, of the precision of all rows down to a score times the recall it adds.
double mean_precision(std::span<const Tie> ties) {
  double sum = 0;
  double positives = 0;
  double rows = 0;
  for (auto tie = ties.rbegin(); tie != ties.rend(); ++tie) {
    positives += tie->positives;
    rows += tie->positives + tie->negatives;
    if (tie->positives > 0) sum += tie->positives * positives / rows;
  }
  return sum / positives;
}

/// By class 1 for two classes, else the mean over the classes.
double against_the_rest(const Target& truth, const Prediction& prediction, double (*value)(std::span<const Tie>)) {
  require(truth, prediction, true);
  const std::size_t first = truth.classes == 2 ? 1 : 0;
  double sum = 0;
  for (std::size_t c = first; c < truth.classes; ++c) {
    const std::vector<Tie> ties = ties_of_class(truth, prediction, c);
    sum += ties.empty() ? kUndefined : value(ties);
  }
  return sum / static_cast<double>(truth.classes - first);
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

constexpr auto kMetrics = std::to_array<Metric>({
    {"accuracy", "accuracy", accuracy, true, true, 0, 1, "share of the rows whose most probable class is right"},
    {"balanced_accuracy", "balanced accuracy", balanced_accuracy, true, true, 0, 1,
     "mean over the classes of the share of their rows found"},
    {"macro_f1", "macro F1", macro_f1, true, true, 0, 1,
     "mean over the classes of the harmonic mean of precision and recall"},
    {"log_loss", "log loss", log_loss, false, true, 0, kInfinity, "mean of -log of the probability of the true class"},
    {"roc_auc", "ROC AUC", roc_auc, true, true, 0, 1,
     "area under the ROC curve; for more than two classes each against the rest"},
    {"average_precision", "average precision", average_precision, true, true, 0, 1,
     "mean precision over the recall; for more than two classes each against the rest"},
    {"r2", "R²", r2, true, false, -kInfinity, 1, "share of the variance of the values that is explained"},
    {"mae", "mean absolute error", mean_absolute_error, false, false, 0, kInfinity, "mean distance from the values"},
});

}  // namespace

double accuracy(const Target& truth, const Prediction& prediction) {
  const Hits hits = count_hits(truth, prediction);
  return std::accumulate(hits.right.begin(), hits.right.end(), 0.0) / truth.total_weight();
}

double balanced_accuracy(const Target& truth, const Prediction& prediction) {
  const Hits hits = count_hits(truth, prediction);
  return mean_share(hits.right, hits.actual);
}

double macro_f1(const Target& truth, const Prediction& prediction) {
  Hits hits = count_hits(truth, prediction);
  for (std::size_t c = 0; c < truth.classes; ++c) {
    hits.right[c] *= 2;
    hits.actual[c] += hits.predicted[c];  // 2 TP + FP + FN
  }
  return mean_share(hits.right, hits.actual);
}

double log_loss(const Target& truth, const Prediction& prediction) {
  require(truth, prediction, true);
  constexpr float kLeast = std::numeric_limits<float>::epsilon();
  double sum = 0;
  for (std::size_t r = 0; r < truth.rows(); ++r) {
    const float p = prediction.values[r * prediction.outputs + static_cast<std::size_t>(truth.labels[r])];
    sum -= truth.weight(r) * std::log(static_cast<double>(std::clamp(p, kLeast, 1.0F - kLeast)));
  }
  return sum / truth.total_weight();
}

double roc_auc(const Target& truth, const Prediction& prediction) {
  return against_the_rest(truth, prediction, area_under_roc);
}

double average_precision(const Target& truth, const Prediction& prediction) {
  return against_the_rest(truth, prediction, mean_precision);
}

double r2(const Target& truth, const Prediction& prediction) {
  require(truth, prediction, false);
  if (truth.rows() < 2) return kUndefined;
  std::vector<double> means(truth.columns);
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    means[i % truth.columns] += truth.weight(i / truth.columns) * truth.values[i];
  }
  const double total = truth.total_weight();
  for (double& mean : means) mean /= total;
  double missed = 0;
  double spread = 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    const double y = truth.values[i];
    const double mean = means[i % truth.columns];
    const double weight = truth.weight(i / truth.columns);
    missed += weight * (y - prediction.values[i]) * (y - prediction.values[i]);
    spread += weight * (y - mean) * (y - mean);
  }
  if (spread == 0) return missed == 0 ? 1 : 0;
  return 1 - missed / spread;
}

double mean_absolute_error(const Target& truth, const Prediction& prediction) {
  require(truth, prediction, false);
  double sum = 0;
  for (std::size_t i = 0; i < truth.values.size(); ++i) {
    sum += truth.weight(i / truth.columns) *
           std::fabs(static_cast<double>(truth.values[i]) - static_cast<double>(prediction.values[i]));
  }
  return sum / (truth.total_weight() * static_cast<double>(truth.columns));
}

std::span<const Metric> metrics() { return kMetrics; }

std::string typed_name(std::string_view metric) {
  std::string name(metric);
  std::replace(name.begin(), name.end(), '_', '-');
  return name;
}

std::span<const std::string_view> metric_words() {
  struct Words {
    std::vector<std::string> typed;
    std::vector<std::string_view> all{"auto"};
    Words() {
      for (const Metric& metric : kMetrics) typed.push_back(typed_name(metric.name));
      all.insert(all.end(), typed.begin(), typed.end());
    }
  };
  static const Words kWords;
  return kWords.all;
}

std::span<const Metric> metrics_of(Task task) {
  const auto first_of_values =
      std::find_if(kMetrics.begin(), kMetrics.end(), [](const auto& m) { return !m.of_classes; });
  return record_of(task).of_classes ? std::span(kMetrics.begin(), first_of_values)
                                    : std::span(first_of_values, kMetrics.end());
}

namespace {

/// The class with the fewest rows, of those that occur.
struct RarestClass {
  std::size_t label = 0;
  std::size_t rows = 0;
  std::size_t classes = 0;  ///< that occur
};

RarestClass rarest_class(const Dataset& data) {
  const std::vector<std::size_t> counts = data.class_counts();
  RarestClass found{.rows = data.rows()};
  for (std::size_t c = 0; c < counts.size(); ++c) {
    if (counts[c] == 0) continue;
    ++found.classes;
    if (counts[c] < found.rows) {
      found.label = c;
      found.rows = counts[c];
    }
  }
  return found;
}

bool is_unbalanced(const Dataset& data) {
  if (!data.has_labels()) return false;
  constexpr double kShare = 0.2;  // of an even share
  const RarestClass rarest = rarest_class(data);
  return static_cast<double>(rarest.rows * rarest.classes) < kShare * static_cast<double>(data.rows());
}

}  // namespace

std::string rare_class_note(const Dataset& data) {
  if (!is_unbalanced(data)) return {};
  const RarestClass rarest = rarest_class(data);
  return cat("the metric is balanced accuracy, because class '", data.class_names()[rarest.label], "' has only ",
             with_commas(rarest.rows), " of ", with_commas(data.rows()),
             " rows, less than a fifth of an even share; the metric accuracy would count every row alike");
}

const Metric& metric_for(std::string_view word, const Dataset& data) {
  const std::span<const Metric> known = metrics_of(data.task());
  if (word == "auto" && !is_unbalanced(data)) return known.front();
  if (word == "auto") word = "balanced-accuracy";
  std::vector<std::string> names;
  for (const Metric& metric : known) {
    names.push_back(typed_name(metric.name));
    if (names.back() == word) return metric;
  }
  throw Error(Fault::usage, cat("--metric: expected ", join(names), " for this target; found ", word));
}

const Metric& metric_named(std::string_view name) {
  const std::string typed = typed_name(name);
  for (const Metric& metric : kMetrics) {
    if (typed_name(metric.name) == typed) return metric;
  }
  throw Error(Fault::usage, cat("no metric is called '", printable(name), "'"));
}

std::string_view measure_name(Task task) { return record_of(task).measure; }

std::string_view measure_name(const Metric& metric) {
  for (const Task task : {Task::classification, Task::regression}) {
    if (metrics_of(task).front().name == metric.name) return measure_name(task);
  }
  return metric.title;
}

double mean_value(const Metric& metric, std::span<const Target> truth, std::span<const Prediction> predictions) {
  double sum = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) sum += metric.value(truth[t], predictions[t]);
  return sum / static_cast<double>(truth.size());
}

}  // namespace obverse
