#include "resampling/held_out.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <obverse/error.h>

#include "downstream/constant.h"
#include "selection/kept.h"
#include "selection/prepare.h"
#include "support/random.h"

namespace obverse {
namespace {

// More rows would hardly change a score, and would take longer than all the rest.
constexpr std::size_t kMostTrainRows = 20000;
constexpr std::size_t kMostTestRows = 10000;
constexpr std::size_t kMostValues = std::size_t{1} << 27;  // of a forest's columns: it holds them all, sparse or not
constexpr std::size_t kRandomRows = 200;                   // enough to place random features
// A curve ends where so many sizes in a row are so many standard errors below its best.
constexpr std::ptrdiff_t kFallingSizes = 2;
constexpr double kClearly = 3;

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

/// (columns) which columns that are told where there is no target are among those of the selected features.
std::vector<char> given_columns(std::span<const std::size_t> features, const Dataset& data) {
  const std::vector<std::size_t> selected = data.columns_of(features);
  std::vector<char> given;
  for (const std::size_t told : told_columns(data.columns())) {
    given.push_back(std::find(selected.begin(), selected.end(), told) == selected.end() ? 0 : 1);
  }
  return given;
}

bool fits(const Dataset& train) { return train.columns() <= kMostValues / train.rows(); }

/// Puts a value where it belongs in a list by size.
template <class T>
void insert_at(std::vector<T>& list, std::size_t place, T value) {
  list.insert(list.begin() + static_cast<std::ptrdiff_t>(place), std::move(value));
}

}  // namespace

Measurement::Measurement(std::span<const TrainTest> folds, FoldOrder order, HeldOutSpec spec, Team& team,
                         std::function<bool(double done)> progress)
    : order_(std::move(order)), spec_(std::move(spec)), team_(team), progress_(std::move(progress)) {
  for (const TrainTest& fold : folds) {
    add_rows(fold);
    held_.tested_share += static_cast<double>(fold.test.rows()) / static_cast<double>(fold.train.rows() * folds.size());
  }
  const std::size_t sizes = spec_.sizes.size();
  fits_ = splits_.size() * (sizes + 1) + random_.size() * ((sizes + spec_.random_step - 1) / spec_.random_step);
}

/// The rows of a fold: their truth, what is said of them without features, and what keeps them together.
void Measurement::add_rows(const TrainTest& fold) {
  const auto number = static_cast<std::uint32_t>(splits_.size());
  const Dataset train = random_rows(fold.train, kMostTrainRows, spec_.seed);
  const PreparedSplit& split = splits_.emplace_back(TrainTest{spec_.settings.even_classes ? balanced(train) : train,
                                                              random_rows(fold.test, kMostTestRows, spec_.seed)},
                                                    Scaling::automatic);
  // By the rows as they are: where each class counts the same there is no majority.
  const std::vector<Target> rows_as_they_are = train.has_target() ? targets_of(train) : split.learned;
  std::vector<Prediction> constant;
  constant.reserve(rows_as_they_are.size());
  for (const Target& learned : rows_as_they_are) constant.push_back(without_features(learned, split.test.rows()));
  append(held_.constant, constant);
  append(held_.truth, split.asked);
  for (std::size_t r = 0; r < split.test.rows(); ++r) {
    held_.fold.push_back(number);
    if (split.test.has_row_groups()) held_.group.push_back(split.test.row_group(r));
    if (split.test.has_times()) held_.time.push_back(split.test.time(r));
  }
  if (!train.has_target()) held_.given.emplace_back();
  // Few rows have few of a rare class.
  if (held_.random_rows >= kRandomRows && !spec_.settings.even_classes) return;
  held_.random_rows += split.test.rows();
  random_.push_back(random_order(all_features(train), spec_.kept, spec_.seed, number));
}

void Measurement::measure_sizes() {
  for (std::size_t f = 0; f < splits_.size() && fits(splits_[f].train); ++f) {
    append(held_.all, predicted(f, all_features(splits_[f].train)));
  }
  for (std::size_t s = 0; s < spec_.sizes.size() && !(spec_.may_stop && falls()); ++s) add_size(spec_.sizes[s]);
}

void Measurement::add_size(std::size_t size) {
  const auto place =
      static_cast<std::size_t>(std::lower_bound(held_.sizes.begin(), held_.sizes.end(), size) - held_.sizes.begin());
  std::vector<Prediction> selected;
  for (std::size_t f = 0; f < splits_.size(); ++f) {
    const std::span<const std::size_t> top = order_(f, size).first(size);
    append(selected, predicted(f, top));
    if (held_.of_features()) insert_at(held_.given[f], place, given_columns(top, splits_[f].train));
  }
  std::vector<Prediction> random;
  if (place % spec_.random_step == 0) {
    for (std::size_t f = 0; f < random_.size(); ++f) append(random, predicted(f, std::span(random_[f]).first(size)));
  }
  insert_at(held_.sizes, place, size);
  insert_at(held_.selected, place, std::move(selected));
  insert_at(held_.random, place, std::move(random));
}

std::vector<Prediction> Measurement::predicted(std::size_t f, std::span<const std::size_t> features) {
  const double done = std::fmin(1, static_cast<double>(done_++) / static_cast<double>(fits_));
  if (progress_ && !progress_(done)) throw Error(Fault::stopped, "stopped while measuring the features");
  return trial_predictions(splits_[f], {.features = features, .settings = spec_.settings, .seed = spec_.seed + f},
                           spec_.classifier, team_);
}

/// Whether the last sizes are all clearly below the best one: more features than that are noise to the classifier.
/// Known of shares of right answers alone.
bool Measurement::falls() const {
  const Metric& metric = *spec_.metric;
  if (held_.sizes.size() <= std::size_t{kFallingSizes} || metric.least != 0 || metric.most != 1) return false;
  const std::vector<double> scores = scores_of(held_, metric, held_.truth);
  const double best = *std::max_element(scores.begin(), scores.end());
  const double error = std::sqrt(best * (1 - best) / rows_that_count());
  return std::all_of(scores.end() - kFallingSizes, scores.end(),
                     [&](double score) { return score < best - kClearly * error; });
}

/// As many rows of each class as the rarest has.
double Measurement::rows_that_count() const {
  const Target& truth = held_.truth.front();
  std::vector<double> counts(truth.classes);
  for (const std::int32_t label : truth.labels) counts[static_cast<std::size_t>(label)] += 1;
  double fewest = static_cast<double>(truth.rows());
  for (const double count : counts) fewest = count > 0 ? std::fmin(fewest, count) : fewest;
  return std::fmax(1, fewest * static_cast<double>(counts.size()));
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
