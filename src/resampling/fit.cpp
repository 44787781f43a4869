// Selector::fit: a selection from all rows, and the same on parts of them, which says how good, how stable and how
// large it should be. The models of all parts are one sweep.
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <tuple>

#include <obverse/error.h>
#include <obverse/selector.h>

#include "dataset/encoding.h"
#include "dataset/tasks.h"
#include "experiment/statistics.h"
#include "metrics/metrics.h"
#include "options/methods.h"
#include "ranking/stand_ins.h"
#include "resampling/control.h"
#include "resampling/curve.h"
#include "resampling/fit.h"
#include "resampling/held_out.h"
#include "resampling/resamples.h"
#include "resampling/verdict.h"
#include "selection/answer.h"
#include "selection/kept.h"
#include "selection/leaks.h"
#include "selection/plan.h"
#include "selection/prepare.h"
#include "selection/repeated_rows.h"
#include "selection/requirements.h"
#include "selection/training.h"
#include "support/clock.h"
#include "support/team.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr double kLevel = 0.05;       // of the verdict
constexpr double kNormal = 1.959964;  // 97.5 % of the standard normal distribution lie below it
constexpr std::size_t kTrees = 50;    // of a forest that measures
constexpr std::size_t kLargestByDefault = 233;
constexpr std::size_t kSizesOfOneChoice = 2;
// Of one held-out part, whose many rows make every forest dear: of the grid, and of the sizes that random features
// have.
constexpr std::size_t kGridStep = 2;
constexpr std::size_t kRandomStep = 2;
constexpr std::size_t kLookedAt = 10;  // features, or as many as are selected, that may be leaks
constexpr std::size_t kFewModels = 2;  // of a sweep
// Of the sweeps on parts of the rows.
constexpr double kLowGamma = 0.01;
constexpr double kHighGamma = 10;
constexpr double kEpochShare = 0.4;
constexpr double kPoolGamma = 1;                // in a pool, as near as its gammas come
constexpr std::size_t kPartTrees = 50;          // of each forest that competes
constexpr std::size_t kPartExchangeRows = 500;  // that decide on exchanges of features
// Of the time limit, for the selection from all rows; and what a part takes to train and to measure over what it takes
// to train.
constexpr double kWholeShare = 0.6;
constexpr double kMeasuringFactor = 1.5;
constexpr std::size_t kChoiceFolds = 2;  // of a fold's training rows, where candidates compete

/// Beside the features that are kept every `step`-th of 1, 2, 3, 5, 8, 13, ... others, and the largest size itself; the
/// kept ones alone where there are any.
std::vector<std::size_t> size_grid(std::size_t largest, std::size_t kept, std::size_t step) {
  std::vector<std::size_t> sizes;
  if (kept > 0 && kept < largest) sizes.push_back(kept);
  std::size_t number = 0;
  for (std::size_t a = 1, b = 2; kept + a < largest; std::tie(a, b) = std::pair(b, a + b)) {
    if (number++ % step == 0) sizes.push_back(kept + a);
  }
  sizes.push_back(largest);
  return sizes;
}

/// The gamma of the list nearest to another.
double nearest(const std::vector<double>& gammas, double asked) {
  const auto distance = [&](double gamma) { return std::fabs(std::log(std::fmax(gamma, 1e-9) / asked)); };
  return *std::min_element(gammas.begin(), gammas.end(), [&](double a, double b) { return distance(a) < distance(b); });
}

/// A small sweep: the first recipe, one seed, two gammas, a low one for many features and a high one for few, and a
/// part of the epochs that all rows are trained for; in a pool one gamma, the nearest to 1. Its features are about as
/// good as those of a whole sweep.
SelectOptions for_resamples(SelectOptions options, std::size_t rows) {
  options = completed(options);
  if (!trains_networks(options.method)) return options;
  options.keep_curve = false;
  options.mask_epochs.clear();
  for (Recipe& recipe : options.recipes) recipe.train.patience = 0;
  options.recipes.resize(1);
  options.seeds = 1;
  if (is_pool(options)) {
    options.gamma = {nearest(options.gamma, kPoolGamma)};
    return options;
  }
  const double low = nearest(options.gamma, kLowGamma);
  const double high = nearest(options.gamma, kHighGamma);
  options.gamma = {low};
  if (high != low) options.gamma.push_back(high);
  const Device& device = device_named(options.device);
  TrainOptions& train = options.recipes.front().train;
  train = fill_automatic(train, rows, {.method = options.method, .own = options.mask}, device);
  train.epochs = std::max(1, static_cast<int>(std::lround(kEpochShare * train.epochs)));
  return options;
}

/// Whether the sweep is as small as that of --effort quick.
bool has_few_models(const SelectOptions& options) {
  return trains_networks(options.method) && models_of(completed(options)) <= kFewModels;
}

/// The mean of Nogueira's index over the pairs of halves, of k features beside those that are kept. Its interval is
/// that of the share of them that two halves have in common, as of a single pair: the pairs cut the same rows, and
/// count for little more than one.
Stability stability_of(const std::vector<double>& pairs, std::size_t k, std::size_t features) {
  const double mean = spread_of(pairs).mean;
  const double chance = static_cast<double>(k) / static_cast<double>(features);
  const auto places = static_cast<double>(k);
  const double shared = std::clamp(mean * (1 - chance) + chance, 0.0, 1.0);
  const double moved = (shared * places + 1) / (places + 2);
  const double half = chance < 1 ? kNormal * std::sqrt(moved * (1 - moved) / places) / (1 - chance) : 0;
  return {.value = mean, .low = std::fmax(-1, mean - half), .high = std::fmin(1, mean + half), .pairs = pairs.size()};
}

class Resampling {
 public:
  Resampling(const Dataset& data, const SelectOptions& options, std::span<const RowSplit> folds,
             const ProgressCallback& progress)
      : deadline_(deadline_of(options)), options_(options), progress_(progress), train_(prepared(data, options)) {
    // The columns of a table are what is told where there is no target: the same ones in every part.
    if (!train_.has_target()) train_ = encoded(train_);
    options_.metric = typed_name(metric_for(options.metric, train_).name);  // of all rows, for every part of them
    const std::size_t features = train_.features();
    kept_ = kept_features(train_, options);
    asked_ = asked_size(options, features);
    const std::size_t most = options.max_k > 0 ? static_cast<std::size_t>(options.max_k) : kLargestByDefault;
    largest_ = asked_ > 0 ? asked_ : std::min(features, most);
    require_size(largest_, features, options.keep);
    std::vector<std::string> notes;
    resamples_ = resamples_of(train_, options.seed, resample_counts(train_.rows(), has_few_models(options)),
                              folds_from(data, train_, folds, notes));
    resamples_.notes.insert(resamples_.notes.begin(), notes.begin(), notes.end());
    if (resamples_.folds.empty() && asked_ == 0) largest_ = default_size(features, kept_.size());
    sizes_ = size_grid(largest_, kept_.size(), grid_step());
  }

  Selection run() {
    if (const auto pfer = asked_pfer(options_)) select_controlled(*pfer);
    train();
    if (resamples_.folds.empty()) return finished(answer(trained_.front(), size_without_folds(), progress_));
    const auto start = Clock::now();
    Team team(static_cast<std::size_t>(trained_.front().ranked.options.threads));
    const Metric& metric = metric_for(options_.metric, train_);
    const SizeRule rule = size_rule(options_.k_rule);
    Measurement measurement = measurement_of_folds(metric, team);
    measurement.measure_sizes();
    const HeldOut& held = measurement.held();
    if (is_open()) narrow_gap(measurement, metric, ScoredSizes(held, metric, options_.seed, team).enough(rule));
    const ScoredSizes scored(held, metric, options_.seed, team);
    Evidence evidence;
    evidence.curve = scored.curve(train_.features());
    evidence.curve.folds = resamples_.folds.size();
    evidence.curve.classifier = classifier_;
    std::size_t chosen = held.sizes.size() - 1;
    double optimism = 0;
    if (accepted_) {
      const std::size_t k = std::max<std::size_t>(1, accepted_->features.size());
      chosen = static_cast<std::size_t>(std::find(held.sizes.begin(), held.sizes.end(), k) - held.sizes.begin());
      evidence.size_reason = size_reason(accepted_->control);
    } else if (is_open()) {
      const ChosenSize size = scored.choose(rule, train_.features());
      chosen = size.point;
      optimism = scored.optimism(rule);
      evidence.size_reason = size.reason;
    }
    const std::size_t k = held.sizes[chosen];
    const CurvePoint at = scored.point(chosen, optimism);
    const double p = permutation_p(held, metric, options_.seed, team);
    evidence.verdict = {p < kLevel, p, at.score, at.low, at.high, evidence.curve.base_rate};
    add_stability(k, evidence);
    evidence.seconds = seconds_since(start);
    Selection selection = finished(answer(trained_.front(), k, progress_));
    selection.evidence = std::move(evidence);
    if (accepted_) accept(*accepted_, selection);
    return selection;
  }

 private:
  /// Lets halves of the rows decide which features are accepted. Their number is among the sizes that are measured.
  void select_controlled(double pfer) {
    if (resamples_.folds.empty()) throw Error(Fault::input, resamples_.notes.back() + "; leave --control out");
    if (deadline_.is_set()) {
      throw Error(
          Fault::usage,
          "control: expected without a time limit, as its bound holds for all of its halves; leave out one of the two");
    }
    SelectOptions masks = options_;
    if (is_pool(masks)) masks.method = kComplementaryMask;  // control adds its own trees
    accepted_ = control(train_, for_resamples(masks, train_.rows()), pfer, progress_);
    const std::size_t k = std::max<std::size_t>(1, accepted_->features.size());
    largest_ = std::max(largest_, k);
    sizes_ = size_grid(largest_, kept_.size(), grid_step());
    const auto place = std::lower_bound(sizes_.begin(), sizes_.end(), k);
    if (*place != k) sizes_.insert(place, k);
  }

  /// All rows first, then the training rows of the folds, then the halves.
  void train() {
    if (deadline_.is_set()) return train_in_time();
    std::vector<SelectionTask> tasks = parts();
    tasks.insert(tasks.begin(), whole());
    trained_ = train_selections(tasks, progress_);
  }

  /// What comes out is the same where the time is enough for everything. All rows take what they need, at most a share
  /// of the time; then the parts that the rest is enough for.
  void train_in_time() {
    const auto start = Clock::now();
    const bool repeats = !resamples_.folds.empty();
    const Deadline first = repeats ? deadline_.share(kWholeShare) : deadline_;
    const SelectionTask all = whole();
    trained_ = train_selections(std::span(&all, 1), progress_, first);
    if (!repeats) return;
    leave_out_parts(seconds_since(start));
    if (resamples_.folds.empty()) return;
    sizes_ = size_grid(largest_, kept_.size(), grid_step());
    for (TrainedSelection& part : train_selections(parts(), progress_, deadline_)) trained_.push_back(std::move(part));
  }

  /// A part takes about as long as its share of the rows, and its share of the measuring.
  void leave_out_parts(double whole_seconds) {
    const std::size_t folds = resamples_.folds.size();
    const std::size_t pairs = resamples_.halves.size();
    const auto seconds = [&] {
      double rows = 0;
      for (const TrainTest& fold : resamples_.folds) rows += static_cast<double>(fold.train.rows());
      for (const auto& [one, other] : resamples_.halves) rows += static_cast<double>(one.rows() + other.rows());
      return kMeasuringFactor * whole_seconds * rows / static_cast<double>(train_.rows());
    };
    while (seconds() > deadline_.seconds_left() && !resamples_.halves.empty()) resamples_.halves.pop_back();
    while (seconds() > deadline_.seconds_left() && !resamples_.folds.empty()) resamples_.folds.pop_back();
    if (resamples_.folds.empty()) {
      resamples_.notes.push_back(
          "the time limit left no time to repeat the selection on parts of the rows: how good, how stable and how sure "
          "the answer is has not been measured");
      return;
    }
    const std::size_t left = resamples_.folds.size();
    if (left < folds) {
      resamples_.notes.push_back(
          cat("the time limit left time for ", left, " of ", count_text(folds, "held-out part")));
    }
    if (resamples_.halves.size() == pairs) return;
    resamples_.notes.push_back(cat("the time limit left time for ", resamples_.halves.size(), " of ",
                                   count_text(pairs, "pair"), " of halves, which stability is measured on"));
  }

  SelectionTask whole() const { return {train_, options_, largest_}; }

  /// The training rows of the folds, then the halves.
  std::vector<SelectionTask> parts() const {
    std::vector<SelectionTask> tasks;
    const SelectOptions smaller = for_resamples(options_, train_.rows());
    const auto add = [&](const Dataset& rows, std::size_t choice_folds) {
      tasks.push_back({rows,
                       smaller,
                       largest_,
                       {.choice_folds = choice_folds,
                        .choice_repeats = 1,
                        .trees = kPartTrees,
                        .exchange_rows = kPartExchangeRows}});
    };
    for (const TrainTest& fold : resamples_.folds) add(fold.train, kChoiceFolds);
    for (const auto& [first, second] : resamples_.halves) {
      add(first, 0);
      add(second, 0);
    }
    return tasks;
  }

  /// Where nothing measures sizes up to the largest.
  std::size_t size_without_folds() const {
    return is_open() ? std::min(largest_, default_size(train_.features(), kept_.size())) : largest_;
  }

  bool one_part() const { return resamples_.folds.size() == 1; }
  std::size_t grid_step() const { return one_part() ? kGridStep : 1; }

  /// Whether the size is to be found.
  bool is_open() const { return asked_ == 0 && !accepted_; }

  Measurement measurement_of_folds(const Metric& metric, Team& team) {
    classifier_ = classifiers_for(train_.task(), {"ert"}).front();
    const SelectOptions& options = trained_.front().ranked.options;
    return {resamples_.folds,
            [this](std::size_t fold, std::size_t size) { return order_of_fold(fold, size); },
            {.classifier = classifier_,
             .sizes = sizes_,
             .may_stop = is_open(),
             .metric = &metric,
             .kept = kept_,
             .random_step = one_part() ? kRandomStep : 1,
             .settings = {.trees = kTrees,
                          .device = trained_.front().device,
                          .even_classes = options.class_weights == ClassWeights::balanced},
             .seed = options_.seed},
            team,
            [this](double done) {
              return !progress_ || progress_({"measuring", done, 0, 0});
            }};
  }

  /// Neighbouring sizes share the model that was chosen for the smallest of them; those of a thinned grid do not.
  std::span<const std::size_t> order_of_fold(std::size_t fold, std::size_t size) {
    const auto above = std::upper_bound(sizes_.begin(), sizes_.end(), size);
    const auto place = static_cast<std::size_t>(above - sizes_.begin()) - 1;
    const std::size_t judged = sizes_[one_part() ? place : place - place % kSizesOfOneChoice];
    return order_of(1 + fold, judged);
  }

  /// Of the features of a trained selection, for k of them.
  const std::vector<std::size_t>& order_of(std::size_t trained, std::size_t k) {
    const auto [entry, is_new] = orders_.try_emplace({trained, k});
    if (is_new) entry->second = order_for(trained_[trained], k, {});
    return entry->second;
  }

  void add_stability(std::size_t k, Evidence& evidence) {
    std::vector<std::vector<std::size_t>> selections;
    for (std::size_t i = 1; i < trained_.size(); ++i) {
      const std::vector<std::size_t>& order = order_of(i, k);
      selections.emplace_back(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(k));
    }
    evidence.resamples = selections.size();
    evidence.frequency = agreement(selections, train_.features(), kept_).frequency;
    if (k == kept_.size()) return;  // nothing was chosen that could be stable
    const auto halves = std::span(selections).subspan(resamples_.folds.size());
    std::vector<double> pairs;
    for (std::size_t h = 0; h < halves.size(); h += 2) {
      pairs.push_back(agreement(halves.subspan(h, 2), train_.features(), kept_).stability);
    }
    if (pairs.empty()) return;
    evidence.stability = stability_of(pairs, k - kept_.size(), train_.features() - kept_.size());
  }

  Selection finished(Selection selection) const {
    for (const std::string& note : resamples_.notes) selection.notes.push_back(note);
    return selection;
  }

  Deadline deadline_;
  SelectOptions options_;
  const ProgressCallback& progress_;
  Dataset train_;
  Resamples resamples_;
  std::vector<std::size_t> kept_;  ///< features that are always selected, ascending
  std::size_t asked_ = 0;          ///< by k or rho; 0: left open
  std::size_t largest_ = 1;        ///< of the sizes
  std::vector<std::size_t> sizes_;
  std::optional<Accepted> accepted_;  ///< by control
  std::string classifier_;
  std::vector<TrainedSelection> trained_;
  /// By trained selection and size.
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::size_t>> orders_;
};

void add_stand_ins(Selection& selection, const Dataset& data) {
  Team team(static_cast<std::size_t>(selection.options.threads));
  selection.stand_ins =
      stand_ins_of(data.of_positive_weight(), selection.ranking.top(selection.k), selection.options.seed, team);
}

Selection resampled(const Dataset& data, const SelectOptions& options, std::span<const RowSplit> folds,
                    const ProgressCallback& progress) {
  require_usable(data, options);
  const std::string before = fingerprint(data);
  Selection selection = Resampling(data, with_kept_names(data, options), folds, progress).run();
  selection.data_fingerprint = before;
  selection.ranking.columns = columns_of_groups(data);
  return selection;
}

}  // namespace

Selection fit_with_folds(const Dataset& data, const SelectOptions& options, std::span<const RowSplit> folds,
                         const ProgressCallback& progress) {
  Selection selection = options.resample == Resample::off
                            ? std::move(Selector(options).fit_each(data, {}, progress).front())
                            : resampled(data, options, folds, progress);
  if (options.metric == "auto") {
    if (std::string note = rare_class_note(data); !note.empty()) selection.notes.push_back(std::move(note));
  }
  add_stand_ins(selection, data);
  const std::size_t looked_at = std::min(data.features(), std::max(selection.k, kLookedAt));
  for (const std::string& hint : repeated_row_warnings(data.of_positive_weight())) {
    selection.warnings.push_back(hint + ".");
  }
  for (std::string& leak : leak_warnings(data.of_positive_weight(), selection.ranking.top(looked_at))) {
    selection.warnings.push_back(std::move(leak));
  }
  return selection;
}

Selection Selector::fit(const Dataset& data, const ProgressCallback& progress) const {
  return fit_with_folds(data, options_, {}, progress);
}

}  // namespace obverse
