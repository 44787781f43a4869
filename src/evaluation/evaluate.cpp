// Every classifier on every set of features: first all selections, then all fits, each of them shared by one team.
#include <obverse/evaluation.h>

#include <algorithm>
#include <numeric>

#include <obverse/error.h>

#include "backend/device.h"
#include "evaluation/plan.h"
#include "experiment/statistics.h"
#include "experiment/trial.h"
#include "metrics/metrics.h"
#include "selection/kept.h"
#include "support/clock.h"
#include "support/team.h"

namespace obverse {
namespace {

constexpr std::size_t kRandomDraws = 5;

/// Selects from the rows that the options allow to be seen: once, or for every split.
void select_all(const EvaluationInput& input, const std::vector<TrainTest>& splits, Evaluation& result,
                const ProgressCallback& progress) {
  const auto start = Clock::now();
  const std::vector<std::size_t> ks(result.options.k.begin(), result.options.k.end());
  Result place{.method = result.ranking_given ? std::string() : result.options.select.method};
  std::vector<SelectedFeatures>& selected = result.results.selected;
  const auto select = [&](const Dataset& train, const ProgressCallback& report) {
    for (const Selection& selection : Selector(result.options.select).fit_each(train, ks, report)) {
      selected.push_back(selected_features(selection, place));
      add_notes(selection, result.notes);
    }
  };
  if (result.ranking_given) {
    for (const std::size_t k : ks) {
      const auto top = std::span(input.ranking).first(k);
      selected.push_back({.k = k, .features = {top.begin(), top.end()}});
    }
    return;
  }
  if (result.options.cv > 0 && !result.options.refit) {
    select(input.data, progress);
  } else {
    for (std::size_t s = 0; s < splits.size(); ++s) {
      place.fold = static_cast<int>(s);
      const auto in_fold = [&](Progress now) {
        now.stage = cat("fold ", s + 1, " of ", splits.size(), ": ", now.stage);
        return progress(now);
      };
      const bool alone = splits.size() == 1 || !progress;
      select(splits[s].train, alone ? progress : ProgressCallback(in_fold));
    }
  }
  result.selection_seconds = seconds_since(start);
}

class Fits {
 public:
  Fits(const std::vector<TrainTest>& splits, Evaluation& result, const ProgressCallback& progress)
      : result_(result),
        options_(result.options),
        progress_(progress),
        team_(static_cast<std::size_t>(options_.select.threads)) {
    const Dataset& data = splits.front().train;
    if (!result.ranking_given) kept_ = kept_features(data, with_kept_names(data, options_.select));
    for (const TrainTest& split : splits) {
      splits_.emplace_back(as_learned(split, options_), options_.neighbour_scaling);
    }
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
      const auto& selected = result_.results.selected;
      const int fold = selected.back().fold == 0 ? 0 : static_cast<int>(split);  // selected once, or for each
      const auto is_row = [&](const SelectedFeatures& one) { return one.k == row.k && one.fold == fold; };
      return std::find_if(selected.begin(), selected.end(), is_row)->features;
    }
    std::vector<std::size_t> features(result_.feature_names.size());
    std::iota(features.begin(), features.end(), std::size_t{0});
    if (row.features == FeatureSet::random) {
      features = random_order(std::move(features), kept_, options_.select.seed, trial);
      features.resize(row.k);
    }
    return features;
  }

  void fit(EvaluationRow& row) {
    const std::size_t each = trials(row);
    std::vector<Result>& rows = result_.results.rows;
    const std::size_t first = rows.size();
    Trial trial{.place = {.method = result_.results.selected.front().method, .features = row.features},
                .classifiers = {row.classifier},
                .settings = settings_as_learned(options_, splits_.front().train.task())};
    if (row.features != FeatureSet::selected) trial.place.method.clear();
    for (std::size_t s = 0; s < splits_.size(); ++s) {
      trial.place.fold = static_cast<int>(s);
      for (std::size_t t = 0; t < each; ++t) {
        report();
        trial.place.run = static_cast<int>(t);
        trial.seed = options_.select.seed + static_cast<std::uint64_t>(s * each + t);
        const std::vector<std::size_t> features = features_of(row, s, s * each + t);
        trial.features = features;
        const std::vector<Result> found = run_trial(splits_[s], trial, team_);
        rows.insert(rows.end(), found.begin(), found.end());
        row.seconds += found.front().seconds;
        done_ += work(row);
      }
    }
    const std::size_t metrics = metrics_of(result_.task).size();
    for (std::size_t m = 0; m < metrics; ++m) row.scores.push_back(score_of(first + m, metrics, each));
  }

  /// Of the rows from `first` on, `stride` apart. In a cross-validation a fold counts once, however many draws it has.
  Score score_of(std::size_t first, std::size_t stride, std::size_t each) const {
    const std::vector<Result>& rows = result_.results.rows;
    const std::size_t averaged = options_.cv > 0 ? each : 1;
    Score score{.metric = rows[first].metric, .values = {}};
    for (std::size_t i = first; i < rows.size(); i += stride * averaged) {
      double sum = 0;
      for (std::size_t t = 0; t < averaged; ++t) sum += rows[i + t * stride].value;
      score.values.push_back(sum / static_cast<double>(averaged));
    }
    const Summary summary = summarise(score.values);
    score.mean = summary.mean;
    score.deviation = summary.deviation;
    score.low = summary.low;
    score.high = summary.high;
    return score;
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
  std::vector<std::size_t> kept_;  // features that every selection has
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
  result.options = fill_automatic(options, input);
  settle_device(result.options.select.device, result.notes);
  add_metric_note(options.metric, input.data, result.notes);
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
  Fits(splits, result, progress).run();
  return result;
}

}  // namespace obverse
