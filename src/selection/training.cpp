// From data sets to trained sweeps, or to the scores of a baseline.
#include "selection/training.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

#include <obverse/error.h>

#include "baselines/baselines.h"
#include "dataset/encoding.h"
#include "dataset/level_means.h"
#include "dataset/permuted_copies.h"
#include "mask/families.h"
#include "mask/softmax.h"
#include "metrics/metrics.h"
#include "ranking/redundancy.h"
#include "selection/answer.h"
#include "selection/kept.h"
#include "selection/plan.h"
#include "selection/prepare.h"
#include "selection/requirements.h"
#include "support/clock.h"
#include "support/team.h"
#include "support/text.h"
#include "trainer/sweep.h"

namespace obverse {

namespace {

// Names the few and counts the many.
std::string constant_note(const Dataset& data, std::span<const std::size_t> constant) {
  std::string note = cat(constant.size(), constant.size() == 1 ? " feature holds" : " features hold",
                         " one value only and ", constant.size() == 1 ? "is" : "are", " ranked last: ");
  const std::size_t shown = std::min<std::size_t>(constant.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) note += cat(i == 0 ? "" : ", ", data.feature_names()[constant[i]]);
  return constant.size() > shown ? note + ", ..." : note;
}

// The same for columns with the values of an earlier one.
std::string equal_note(const Dataset& data, std::span<const EqualFeatures> equal, Redundancy redundancy) {
  const bool one = equal.size() == 1;
  std::string note =
      cat(equal.size(), one ? " feature is equal to an earlier one" : " features are equal to earlier ones");
  if (redundancy != Redundancy::keep) note += cat(" and ", one ? "is" : "are", " ranked behind the others");
  const std::size_t shown = std::min<std::size_t>(equal.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& names = data.feature_names();
    note += cat(i == 0 ? ": " : ", ", names[equal[i].second], " = ", names[equal[i].first]);
  }
  return equal.size() > shown ? note + ", ..." : note;
}

// Of equal features those that are kept come first, so that the others repeat them.
std::vector<EqualFeatures> with_kept_first(std::vector<EqualFeatures> equal, std::span<const std::size_t> kept) {
  std::map<std::size_t, std::size_t> first;  // of the equal features, by the one that was the first
  for (const EqualFeatures& pair : equal) {
    const bool is_kept = std::binary_search(kept.begin(), kept.end(), pair.second);
    const bool has_kept =
        std::binary_search(kept.begin(), kept.end(), first.try_emplace(pair.first, pair.first).first->second);
    if (is_kept && !has_kept) first[pair.first] = pair.second;
  }
  for (EqualFeatures& pair : equal) {
    const std::size_t now = first[pair.first];
    pair = {now, pair.second == now ? pair.first : pair.second};
  }
  return equal;
}

// Judging looks at up to half as many features again as are asked for.
std::size_t most_judged(const TrainedSelection& trained) {
  return std::min(trained.fit.features(), trained.largest + trained.largest / 2 + 1);
}

// From the scores of features to their order.
class Ranker {
 public:
  explicit Ranker(const TrainedSelection& trained)
      : trained_(trained),
        keep_(trained.ranked.options.redundancy == Redundancy::keep),
        without_repeats_(trained.read, trained.ranked.options.redundancy, trained.equal, most_judged(trained),
                         trained.ranked.options.seed) {}

  template <class T>
  std::vector<std::size_t> order(std::vector<T>& scores) const {
    if (!keep_) give_first_the_largest<T>(trained_.equal, std::span(scores));
    const std::vector<std::size_t>& constant = trained_.ranked.constant_features;
    std::vector<std::size_t> order = descending_order(std::vector<double>(scores.begin(), scores.end()), constant);
    put_first(trained_.kept, order);  // others repeat them, not the other way round
    order = without_repeats_.of(std::move(order), constant.size());
    put_first(trained_.kept, order);
    return order;
  }

 private:
  const TrainedSelection& trained_;
  bool keep_;
  OrderWithoutRepeats without_repeats_;
};

// Ranks the features of every model; from here on the models are shared.
Models ranked(std::vector<Model> models, const Ranker& ranker) {
  Models out;
  out.reserve(models.size());
  for (Model& model : models) {
    model.order = ranker.order(model.scores);
    out.push_back(std::make_shared<const Model>(std::move(model)));
  }
  return out;
}

// Scores of a baseline can be beyond float32; their order is that of the doubles.
std::vector<float> as_floats(std::span<const double> scores) {
  constexpr double kMost = std::numeric_limits<float>::max();
  std::vector<float> floats;
  floats.reserve(scores.size());
  for (const double score : scores) floats.push_back(static_cast<float>(std::clamp(score, -kMost, kMost)));
  return floats;
}

// All rows are ranked at once: there is nothing to choose, and so nothing to hold out.
void rank_by(const Baseline& baseline, TrainedSelection& trained, const std::function<bool(double)>& progress) {
  const auto start = Clock::now();
  const FlushDenormals flush;  // as the other threads of the team do
  Selection& result = trained.ranked;
  trained.read = trained.fit;
  trained.fit = encoded(trained.fit);
  const Dataset& train = trained.fit;
  Team team(static_cast<std::size_t>(result.options.threads));
  BaselineOptions options{.k = trained.largest, .kept = trained.kept, .seed = result.options.seed};
  options.progress = progress;
  options.report(0);
  if (train.has_weights() && !baseline.takes_weights && baseline.rows > 0) {
    result.notes.push_back(cat("weights do not count in ", baseline.name, ": it takes every row alike"));
  }
  std::vector<double> scores = baseline.scores(train, options, team);
  // A feature that tells the classes apart without a fault has an infinite F: the largest number there is.
  constexpr double kLargest = std::numeric_limits<double>::max();
  for (double& score : scores) score = std::clamp(score, -kLargest, kLargest);
  result.training_seconds = seconds_since(start);
  result.reason = reason_of(baseline, train.rows());
  std::vector<std::size_t> order = Ranker(trained).order(scores);
  result.ranking = {std::move(order), scores, train.feature_names().list()};
  result.models = {std::make_shared<const Model>(
      Model{.seed = options.seed, .scores = as_floats(scores), .order = result.ranking.order})};
  result.merits.resize(1);
  require_finite(result);
}

TrainedSelection before_training(const SelectionTask& task) {
  TrainedSelection trained{
      .ranked = {}, .fit = task.data, .read = task.data, .held = task.data.subset({}), .largest = task.largest};
  Selection& result = trained.ranked;
  result.options = completed(task.options);
  SelectOptions& options = result.options;
  options.task = task.data.task();
  // Other judges go by rows of the same group, or by later ones.
  const bool by_others = options.choice == Choice::knn || options.choice == Choice::ert;
  if (by_others && (task.data.has_row_groups() || task.data.has_times())) options.choice = Choice::validation;
  settle_device(options.device, result.notes);
  trained.device = &device_named(options.device);
  require_task(options);
  require_size(task.largest, task.data.features(), options.keep);
  trained.kept = kept_features(task.data, options);
  options.metric = typed_name(metric_for(options.metric, task.data).name);
  options.class_weights = class_weights_for(options, options.task);
  if (options.class_weights == ClassWeights::balanced) trained.fit = balanced(trained.fit);
  result.constant_features = without_kept(constant_features(trained.fit), trained.kept);
  if (!result.constant_features.empty()) result.notes.push_back(constant_note(task.data, result.constant_features));
  Team team(static_cast<std::size_t>(options.threads));
  trained.equal = with_kept_first(equal_features(trained.fit, constant_features(trained.fit), team), trained.kept);
  if (!trained.equal.empty()) result.notes.push_back(equal_note(task.data, trained.equal, options.redundancy));
  return trained;
}

// A copy has the same columns and the same chance as its feature; forests do the same (baselines/importance.cpp).
TrainTest with_copies(const TrainTest& split, std::uint64_t seed) {
  const Dataset both = with_permuted_copies(split.train.followed_by(split.test), seed);
  std::vector<std::uint32_t> rows(both.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  const auto all = std::span<const std::uint32_t>(rows);
  return {both.subset(all.first(split.train.rows())), both.subset(all.subspan(split.train.rows()))};
}

// The scores of features less those of their copies, which stand behind them: of a softmax what the mask gives. Kept
// ones have the largest.
void take_off_copies(std::vector<float>& scores, bool by_softmax, std::span<const std::size_t> kept) {
  const std::size_t features = scores.size() / 2;
  if (by_softmax) {
    const std::vector<double> mask = softmax(scores);
    scores.assign(mask.begin(), mask.end());
  }
  for (std::size_t f = 0; f < features; ++f) scores[f] -= scores[features + f];
  scores.resize(features);
  for (const std::size_t f : kept) scores[f] = std::numeric_limits<float>::lowest();
  const float largest = *std::max_element(scores.begin(), scores.end());
  for (const std::size_t f : kept) scores[f] = largest;
}

void take_off_copies(std::vector<Model>& models, const TrainedSelection& trained) {
  const SelectOptions& options = trained.ranked.options;
  const bool by_softmax = !options.mask && family_of(options.method).by_softmax;
  for (Model& model : models) {
    take_off_copies(model.scores, by_softmax, trained.kept);
    take_off_copies(model.initial_scores, by_softmax, trained.kept);
    for (EpochScores& snapshot : model.snapshots) take_off_copies(snapshot.scores, by_softmax, trained.kept);
  }
}

void train_networks(std::vector<TrainedSelection>& all, const ProgressCallback& progress) {
  std::vector<SweepPart> parts;
  std::size_t models = 0;
  for (TrainedSelection& one : all) {
    SelectOptions& options = one.ranked.options;
    const bool hold_out = needs_validation(options);
    if (hold_out) std::tie(one.fit, one.held) = split(one.fit, {options.validation_fraction, options.seed});
    one.read = one.fit;
    const TrainTest table{one.fit, one.held};
    TrainTest seen = encoded(with_level_means(table, options.seed));  // by the networks
    if (sees_copies(one)) seen = with_copies(seen, options.seed);
    TrainTest numbers = encoded(table);
    one.fit = std::move(numbers.train);
    one.held = std::move(numbers.test);
    one.ranked.validation_rows = one.held.rows();
    SweepPart part{seen.train, {}, plan(options, one.largest, one.kept, one.fit.rows(), *one.device)};
    if (hold_out) part.validation = seen.test;
    models += part.models.size();
    parts.push_back(std::move(part));
  }
  const auto start = Clock::now();
  auto trained = train_sweeps(
      parts, static_cast<std::size_t>(all.front().ranked.options.threads),
      [&](double done, double rate) {
        return !progress || progress({"training", done, models, rate});
      },
      *all.front().device);
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i].ranked.training_seconds = seconds_since(start);
    if (sees_copies(all[i])) take_off_copies(trained[i], all[i]);
    all[i].ranked.models = ranked(std::move(trained[i]), Ranker(all[i]));
  }
}

}  // namespace

bool sees_copies(const TrainedSelection& trained) {
  return !trained.read.layout().column_names.empty() && trained.read.has_target();
}

std::vector<TrainedSelection> train_selections(std::span<const SelectionTask> tasks, const ProgressCallback& progress) {
  std::vector<TrainedSelection> all;
  all.reserve(tasks.size());
  for (const SelectionTask& task : tasks) all.push_back(before_training(task));
  const Baseline* baseline = find_baseline(all.front().ranked.options.method);
  if (baseline == nullptr) train_networks(all, progress);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (baseline != nullptr) {
      rank_by(*baseline, all[i], [&](double done) {
        const double share = (static_cast<double>(i) + done) / static_cast<double>(all.size());
        return !progress || progress({"ranking", share, 0, 0});
      });
    }
    all[i].ranked.training_rows = all[i].fit.rows();
  }
  return all;
}

}  // namespace obverse
