// Every classifier on every set of features: first all selections, then all fits, each of them shared by one team.
#include <obverse/evaluation.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>

#include "backend/device.h"
#include "evaluation/plan.h"
#include "experiment/statistics.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "support/clock.h"
#include "support/random.h"
#include "support/team.h"

namespace obverse {
namespace {

constexpr std::size_t kRandomDraws = 5;

std::vector<FeatureChoice> first_of_each(std::span<const std::size_t> ranking, const std::vector<int>& ks) {
  std::vector<FeatureChoice> choices;
  for (const int k : ks) {
    const auto top = ranking.first(static_cast<std::size_t>(k));
    choices.push_back({top.size(), {top.begin(), top.end()}});
  }
  return choices;
}

std::vector<FeatureChoice> select(const Dataset& train, Evaluation& result, const ProgressCallback& progress) {
  const std::vector<std::size_t> ks(result.options.k.begin(), result.options.k.end());
  std::vector<FeatureChoice> choices;
  for (const Selection& selection : Selector(result.options.select).fit_each(train, ks, progress)) {
    const auto top = selection.ranking.top(selection.k);
    choices.push_back({selection.k, {top.begin(), top.end()}});
    for (const std::string& note : selection.notes) {
      const bool known = std::find(result.notes.begin(), result.notes.end(), note) != result.notes.end();
      if (!known) result.notes.push_back(note);
    }
  }
  return choices;
}

/// Selects from the rows that the options allow to be seen: once, or for every split.
void select_all(const EvaluationInput& input, const std::vector<TrainTest>& splits, Evaluation& result,
                const ProgressCallback& progress) {
  const auto start = Clock::now();
  if (result.ranking_given) {
    result.chosen.push_back(first_of_each(input.ranking, result.options.k));
  } else if (result.options.cv > 0 && !result.options.refit) {
    result.chosen.push_back(select(input.data, result, progress));
  } else {
    for (std::size_t s = 0; s < splits.size(); ++s) {
      const auto in_fold = [&](Progress now) {
        now.stage = cat("fold ", s + 1, " of ", splits.size(), ": ", now.stage);
        return progress(now);
      };
      const bool alone = splits.size() == 1 || !progress;
      result.chosen.push_back(select(splits[s].train, result, alone ? progress : ProgressCallback(in_fold)));
    }
  }
  result.selection_seconds = result.ranking_given ? 0 : seconds_since(start);
}

class Fits {
 public:
  Fits(const std::vector<TrainTest>& splits, Evaluation& result, const ProgressCallback& progress)
      : result_(result),
        options_(result.options),
        progress_(progress),
        team_(static_cast<std::size_t>(options_.select.threads)) {
    for (const TrainTest& split : splits) splits_.emplace_back(split, options_.neighbour_scaling);
  }

  void run() {
    plan();
    for (EvaluationRow& row : result_.rows) fit(row);
  }

 private:
  void plan() {
    for (const std::string& classifier : options_.classifiers) {
      add({.features = FeatureSet::all, .k = result_.feature_names.size(), .classifier = classifier});
      for (const int k : options_.k) {
        for (const FeatureSet features : {FeatureSet::selected, FeatureSet::random}) {
          add({.features = features, .k = static_cast<std::size_t>(k), .classifier = classifier});
        }
      }
    }
  }

  void add(EvaluationRow row) {
    planned_ += work(row) * static_cast<double>(splits_.size() * trials(row));
    result_.rows.push_back(std::move(row));
  }

  static double work(const EvaluationRow& row) { return classifier_named(row.classifier).work(row.k); }

  /// Fits on one split.
  std::size_t trials(const EvaluationRow& row) const {
    if (row.features == FeatureSet::random) return kRandomDraws;
    return options_.cv > 0 || !classifier_named(row.classifier).by_chance ? 1
                                                                          : static_cast<std::size_t>(options_.repeats);
  }

  /// `trial` counts over all splits.
  std::vector<std::size_t> features_of(const EvaluationRow& row, std::size_t split, std::size_t trial) const {
    if (row.features == FeatureSet::selected) {
      const auto& choices = result_.chosen[result_.chosen.size() == 1 ? 0 : split];
      const auto is_row = [&](const FeatureChoice& choice) { return choice.k == row.k; };
      return std::find_if(choices.begin(), choices.end(), is_row)->features;
    }
    std::vector<std::size_t> features(result_.feature_names.size());
    std::iota(features.begin(), features.end(), std::size_t{0});
    if (row.features == FeatureSet::random) {
      RandomStream(options_.select.seed, Purpose::random_features, trial).shuffle(std::span(features));
      features.resize(row.k);
    }
    return features;
  }

  void fit(EvaluationRow& row) {
    const auto start = Clock::now();
    const std::size_t each = trials(row);
    const std::span<const Metric> metrics = metrics_of(result_.task);
    std::vector<std::vector<double>> values(metrics.size());
    for (std::size_t s = 0; s < splits_.size(); ++s) {
      for (std::size_t t = 0; t < each; ++t) {
        report();
        const std::size_t trial = s * each + t;
        const ClassifierResult result = run_trial(splits_[s], row.classifier, features_of(row, s, trial), options_,
                                                  options_.select.seed + static_cast<std::uint64_t>(trial), team_);
        for (std::size_t m = 0; m < values.size(); ++m) values[m].push_back(result.values[m]);
        done_ += work(row);
      }
      if (options_.cv > 0 && each > 1) {
        for (auto& list : values) average_last(list, each);
      }
    }
    for (std::size_t m = 0; m < values.size(); ++m) {
      const Summary summary = summarise(values[m]);
      row.scores.push_back({.metric = std::string(metrics[m].name),
                            .values = std::move(values[m]),
                            .mean = summary.mean,
                            .deviation = summary.deviation,
                            .low = summary.low,
                            .high = summary.high});
    }
    row.seconds = seconds_since(start);
  }

  /// A fold counts once, however many draws it has.
  static void average_last(std::vector<double>& values, std::size_t count) {
    const auto first = values.end() - static_cast<std::ptrdiff_t>(count);
    const double mean = std::accumulate(first, values.end(), 0.0) / static_cast<double>(count);
    values.erase(first, values.end());
    values.push_back(mean);
  }

  void report() const {
    if (progress_ && !progress_({"evaluating", done_ / planned_, 0, 0})) {
      throw Error(Fault::stopped, "stopped while evaluating");
    }
  }

  Evaluation& result_;
  const EvaluateOptions& options_;
  const ProgressCallback& progress_;
  Team team_;
  std::vector<PreparedSplit> splits_;
  double planned_ = 0;
  double done_ = 0;
};

}  // namespace

const EvaluationRow& Evaluation::row(std::string_view classifier, FeatureSet features, std::size_t k) const {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const EvaluationRow& row) {
    return row.classifier == classifier && row.features == features && (features == FeatureSet::all || row.k == k);
  });
  if (found == rows.end()) {
    throw Error(Fault::usage, cat("the evaluation has no row of ", classifier, " with k = ", k));
  }
  return *found;
}

Evaluation evaluate(const EvaluationInput& input, const EvaluateOptions& options, const ProgressCallback& progress) {
  Evaluation result;
  result.options = resolve(options, input);
  settle_device(result.options.select.device, result.notes);
  result.task = input.data.task();
  result.ranking_given = !input.ranking.empty();
  const std::vector<TrainTest> splits = splits_of(input, result.options);
  result.splits = splits.size();
  result.training_rows = splits.front().train.rows();
  result.test_rows = splits.front().test.rows();
  result.feature_names = input.data.feature_names().list();
  result.data_fingerprint = fingerprint(input.data);
  result.warnings = warnings_for(input, result.options);
  if (result.options.classifiers != options.classifiers) {
    result.notes.push_back(
        "data without a target is measured by neighbours alone: a forest would be needed for each "
        "feature");
  }
  select_all(input, splits, result, progress);
  const FlushDenormals flush;  // as the team's workers do: which thread takes a task must not matter
  Fits(splits, result, progress).run();
  return result;
}

}  // namespace obverse
