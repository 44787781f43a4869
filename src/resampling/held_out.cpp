#include "resampling/held_out.h"

#include <algorithm>
#include <numeric>

#include <obverse/error.h>

#include "downstream/constant.h"
#include "experiment/trial.h"
#include "selection/prepare.h"
#include "support/random.h"

namespace obverse {
namespace {

// More rows would hardly change a score, and would take longer than all the rest.
constexpr std::size_t kMostTrainRows = 20000;
constexpr std::size_t kMostTestRows = 10000;
constexpr std::size_t kRandomRows = 200;  // enough to place random features

Dataset random_rows(const Dataset& data, std::size_t most, std::uint64_t seed) {
  if (data.rows() <= most) return data;
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream(seed, Purpose::sampling).shuffle(std::span(rows));
  rows.resize(most);
  std::sort(rows.begin(), rows.end());
  return data.subset(rows);
}

void append(std::vector<Prediction>& to, const std::vector<Prediction>& from) {
  to.resize(from.size());
  for (std::size_t t = 0; t < from.size(); ++t) {
    to[t].outputs = from[t].outputs;
    to[t].values.insert(to[t].values.end(), from[t].values.begin(), from[t].values.end());
  }
}

void append(std::vector<Target>& to, const std::vector<Target>& from) {
  if (to.empty()) {
    to = from;
    return;
  }
  for (std::size_t t = 0; t < from.size(); ++t) {
    to[t].labels.insert(to[t].labels.end(), from[t].labels.begin(), from[t].labels.end());
    to[t].values.insert(to[t].values.end(), from[t].values.begin(), from[t].values.end());
    to[t].weights.insert(to[t].weights.end(), from[t].weights.begin(), from[t].weights.end());
  }
}

/// (columns) which features that are told where there is no target are among the selected ones.
std::vector<char> given_columns(std::span<const std::size_t> selected, std::size_t features) {
  std::vector<char> given;
  for (const std::size_t told : told_features(features)) {
    given.push_back(std::find(selected.begin(), selected.end(), told) == selected.end() ? 0 : 1);
  }
  return given;
}

/// How many of the first folds have so many test rows together, or all.
std::size_t folds_with(std::span<const TrainTest> folds, std::size_t rows) {
  std::size_t count = 0;
  for (std::size_t found = 0; count < folds.size() && found < rows; ++count) found += folds[count].test.rows();
  return count;
}

}  // namespace

HeldOut predict_held_out(std::span<const TrainTest> folds, const FoldOrder& order, const HeldOutSpec& spec, Team& team,
                         const std::function<bool(double done)>& progress) {
  HeldOut held;
  held.selected.resize(spec.sizes.size());
  held.random.resize(spec.sizes.size());
  const std::size_t random_folds = folds_with(folds, kRandomRows);
  const std::size_t fits = folds.size() * (spec.sizes.size() + 1) + random_folds * spec.sizes.size();
  std::size_t done = 0;
  const auto report = [&] {
    if (progress && !progress(static_cast<double>(done++) / static_cast<double>(fits))) {
      throw Error(Fault::stopped, "stopped while measuring the features");
    }
  };
  for (std::size_t f = 0; f < folds.size(); ++f) {
    const Dataset train = random_rows(folds[f].train, kMostTrainRows, spec.seed);
    const PreparedSplit split(
        {spec.balanced ? balanced(train) : train, random_rows(folds[f].test, kMostTestRows, spec.seed)},
        Scaling::automatic);
    const auto predicted = [&](std::span<const std::size_t> features) {
      report();
      return trial_predictions(split, {.features = features, .settings = spec.settings, .seed = spec.seed + f},
                               spec.classifier, team);
    };
    std::vector<std::size_t> features = all_features(split.train);
    append(held.all, predicted(features));
    RandomStream(spec.seed, Purpose::random_features, f).shuffle(std::span(features));
    if (!train.has_target()) held.given.emplace_back();
    for (std::size_t s = 0; s < spec.sizes.size(); ++s) {
      const std::span<const std::size_t> top = order(f, s).first(spec.sizes[s]);
      append(held.selected[s], predicted(top));
      if (!train.has_target()) held.given.back().push_back(given_columns(top, train.features()));
      if (f < random_folds) append(held.random[s], predicted(std::span(features).first(spec.sizes[s])));
    }
    if (f < random_folds) held.random_rows += split.test.rows();
    // By the rows as they are: where each class counts the same there is no majority.
    const std::vector<Target> rows_as_they_are = train.has_target() ? targets_of(train) : split.learned;
    std::vector<Prediction> constant;
    for (const Target& learned : rows_as_they_are) constant.push_back(without_features(learned, split.test.rows()));
    append(held.constant, constant);
    append(held.truth, split.asked);
    for (std::size_t r = 0; r < split.test.rows(); ++r) {
      held.fold.push_back(static_cast<std::uint32_t>(f));
      if (split.test.has_row_groups()) held.group.push_back(split.test.row_group(r));
      if (split.test.has_times()) held.time.push_back(split.test.time(r));
    }
  }
  return held;
}

std::vector<double> scores_of(const HeldOut& held, const Metric& metric, std::span<const Target> truth) {
  std::vector<double> scores;
  for (const auto& predictions : held.selected) {
    const double value = mean_value(metric, truth, predictions);
    scores.push_back(metric.larger_is_better ? value : -value);
  }
  return scores;
}

}  // namespace obverse
