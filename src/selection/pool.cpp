#include "selection/pool.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

#include <obverse/error.h>

#include "baselines/baselines.h"
#include "dataset/splits.h"
#include "selection/answer.h"
#include "selection/before_training.h"
#include "selection/networks.h"
#include "selection/plan.h"
#include "selection/rankers.h"
#include "support/clock.h"
#include "support/text.h"

namespace obverse {
namespace {

// With this many rows, nearest neighbours alone are a good enough judge of the candidates in a pool.
constexpr std::size_t kManyRows = 500;
constexpr std::size_t kFewestTrees = 100;     // of each forest, and as many in a choice fold
constexpr std::size_t kTreeRows = 1000000;    // that all trees of a forest see; a hundred trees are grown in any case
constexpr std::size_t kMasksPerFinalist = 3;  // one mask in three is trained on, and again in the choice folds
constexpr std::size_t kFewMasks = 12;         // that are all trained to their end
constexpr int kFirstRound = 4;                // a quarter of the epochs
constexpr double kFirstRoundShare = 0.4;      // of the training: a quarter of all masks, then a third of them
constexpr int kSeedBits = 32;                 // seeds of repeated folds are apart from those that people type

// The parts of few rows that the candidates are found on again.
std::vector<TrainTest> choice_folds(const SelectionTask& task) {
  if (task.budget.choice_folds == 0 || task.data.rows() >= kManyRows || !task.data.has_target()) return {};
  std::vector<TrainTest> all;
  const std::size_t repeats = splits_differ(task.data) ? task.budget.choice_repeats : 1;
  for (std::uint64_t repeat = 0; repeat < repeats; ++repeat) {
    std::vector<TrainTest> folds =
        learnable_folds(task.data, task.budget.choice_folds, task.options.seed + (repeat << kSeedBits));
    std::move(folds.begin(), folds.end(), std::back_inserter(all));
  }
  return all;
}

// A selection from the training rows of a fold, with the masks that are left.
TrainedSelection fold_of(const SelectionTask& task, const TrainTest& fold, std::vector<std::size_t> finalists) {
  SelectionTask part{fold.train, task.options, task.largest, task.budget};
  for (Recipe& recipe : part.options.recipes) recipe.train.patience = 0;  // the rows that would stop it are the judges
  TrainedSelection trained = before_training(part);
  trained.held = fold.test;
  trained.finalists = std::move(finalists);
  return trained;
}

// How many masks of a pool are trained: each is one candidate after a first round, two later.
std::size_t masks_of(const TrainedSelection& trained) {
  return trained.finalists.empty() ? models_of(trained.ranked.options) : trained.finalists.size();
}

// The masks that are worth more training, by their places: the best third, each at its better length. Neighbours among
// all rows judge them at the largest size and at its root, between which most answers lie.
std::vector<std::size_t> best_masks(const TrainedSelection& trained) {
  const std::size_t count = masks_of(trained);
  const std::size_t lengths = trained.ranked.models.size() / count;
  std::vector<double> merit(count, -std::numeric_limits<double>::infinity());
  std::vector<double> sums(trained.ranked.models.size());
  const auto root = static_cast<std::size_t>(std::lround(std::sqrt(static_cast<double>(trained.largest))));
  for (const std::size_t k : {trained.largest, std::max(root, trained.kept.size())}) {
    const std::vector<Merit> merits = merits_for(trained, k, {});
    for (std::size_t m = 0; m < sums.size(); ++m) sums[m] += merits[m].merit;
  }
  for (std::size_t m = 0; m < sums.size(); ++m) merit[m / lengths] = std::fmax(merit[m / lengths], sums[m]);
  std::vector<std::size_t> order = descending_order(merit, {});
  order.resize((count + kMasksPerFinalist - 1) / kMasksPerFinalist);
  std::sort(order.begin(), order.end());
  return order;
}

// Keeps the masks at these places, every length of each, and returns their numbers in the sweep.
std::vector<std::size_t> keep_masks(TrainedSelection& trained, std::span<const std::size_t> places) {
  const std::size_t lengths = trained.ranked.models.size() / masks_of(trained);
  Models left;
  std::vector<std::size_t> numbers;
  for (const std::size_t place : places) {
    for (std::size_t l = 0; l < lengths; ++l) left.push_back(trained.ranked.models[place * lengths + l]);
    numbers.push_back(trained.finalists.empty() ? place : trained.finalists[place]);
  }
  trained.ranked.models = std::move(left);
  return numbers;
}

// What a first round trains of each model: the first epochs of its training.
SweepPart first_round(SweepPart part) {
  for (ModelSpec& spec : part.models) {
    spec.train.epochs = std::max(1, spec.train.epochs / kFirstRound);
    spec.keep = {};
  }
  return part;
}

bool stops_early(const SweepPart& part) {
  return std::any_of(part.models.begin(), part.models.end(),
                     [](const ModelSpec& spec) { return spec.train.patience > 0; });
}

// A part of the progress of a stage: from `begin` on, for `share` of it.
ProgressCallback part_of(const ProgressCallback& progress, double begin, double share) {
  if (!progress) return {};
  return [&progress, begin, share](Progress one) {
    one.done = begin + share * one.done;
    return progress(one);
  };
}

// Of the time that is left when candidates are to be found; rankers need less than masks where time is short.
constexpr double kRankingShare = 0.4;

std::string left_out_note(std::span<const std::string_view> rankers) {
  return cat("the time limit left no time for ", join(rankers));
}

// Those whose scores were found.
std::vector<const Baseline*> without(std::vector<const Baseline*> rankers, std::span<const std::string_view> names) {
  std::erase_if(rankers,
                [&](const Baseline* one) { return std::find(names.begin(), names.end(), one->name) != names.end(); });
  return rankers;
}

void put_behind(Models& models, Models more) { std::move(more.begin(), more.end(), std::back_inserter(models)); }

class Pools {
 public:
  Pools(std::vector<TrainedSelection>& all, std::span<const SelectionTask> tasks, const ProgressCallback& progress,
        Deadline deadline)
      : all_(all), tasks_(tasks), progress_(progress), deadline_(deadline), begin_(Clock::now()) {
    for (const SelectionTask& task : tasks) {
      folds_.push_back(choice_folds(task));
      fold_count_ += folds_.back().size();
    }
  }

  void train() {
    find_candidates();
    leave_out_folds_without_time();
    if (fold_count_ > 0) find_again_in_folds();
    for (std::size_t t = 0; t < all_.size(); ++t) put_behind(all_[t].ranked.models, std::move(by_rankers_[t]));
  }

 private:
  void find_candidates() {
    std::vector<SweepPart> sweep = sweep_parts(all_);
    const Deadline ranking = deadline_.share(kRankingShare);
    for (std::size_t t = 0; t < all_.size(); ++t) {
      rankers_.push_back(pool_rankers(all_[t].fit, all_[t].ranked.options));
      const std::size_t trees = std::max<std::size_t>(kFewestTrees, kTreeRows / all_[t].fit.rows());
      RankedFeatures found = rank(all_[t], rankers_[t], std::min(tasks_[t].budget.trees, trees), ranking);
      all_[t].ranked.training_seconds += found.seconds;
      if (!found.left_out.empty()) all_[t].ranked.notes.push_back(left_out_note(found.left_out));
      rankers_[t] = without(std::move(rankers_[t]), found.left_out);
      by_rankers_.push_back(std::move(found.models));
    }
    const Deadline training = share_for_training(deadline_);
    for (std::size_t t = 0; t < all_.size(); ++t) {
      if (sweep[t].models.size() > kFewMasks && !stops_early(sweep[t])) leave_out_poor_masks(t, sweep[t], training);
    }
    if (is_cut_short_) return;
    const double begin = first_round_share_;
    const double seconds = train_networks(all_, sweep, part_of(progress_, begin, first_share() - begin), training);
    for (TrainedSelection& one : all_) one.ranked.training_seconds += seconds;
  }

  // Of many masks the best third is trained to its end, by what all are worth after a part of their epochs. Where the
  // time is not enough for that, they stay as they are.
  void leave_out_poor_masks(std::size_t t, SweepPart& part, Deadline deadline) {
    TrainedSelection& one = all_[t];
    const SweepPart round = first_round(part);
    first_round_share_ = kFirstRoundShare * first_share();
    const double seconds =
        train_networks(std::span(&one, 1), std::span(&round, 1), part_of(progress_, 0, first_round_share_), deadline);
    one.ranked.training_seconds += seconds;
    if (deadline.seconds_left() < seconds) {
      if (!deadline.has_passed()) {
        one.ranked.notes.push_back(
            cat("the time limit left no time to train the best of ", part.models.size(), " masks longer than ",
                count_text(static_cast<std::size_t>(round.models.front().train.epochs), "epoch")));
      }
      is_cut_short_ = true;
      return;
    }
    one.finalists = keep_masks(one, best_masks(one));
    part.models = those_of(std::move(part.models), one.finalists);
  }

  // A fold takes at most half of the time that all rows took: it has fewer masks, smaller forests and fewer rows.
  void leave_out_folds_without_time() {
    const double whole = seconds_since(begin_) / static_cast<double>(all_.size());
    if (fold_count_ == 0 || static_cast<double>(fold_count_) * whole / 2 <= deadline_.seconds_left()) return;
    for (std::size_t t = 0; t < all_.size(); ++t) {
      if (folds_[t].empty()) continue;
      all_[t].ranked.notes.push_back(cat("the time limit left no time to judge the candidates in ", folds_[t].size(),
                                         " folds as well, which keeps few rows from being led on by chance"));
      folds_[t].clear();
    }
    fold_count_ = 0;
  }

  void find_again_in_folds() {
    std::vector<TrainedSelection> parts;
    std::vector<std::size_t> owner;  // the task of each part
    for (std::size_t t = 0; t < all_.size(); ++t) {
      if (folds_[t].empty()) continue;
      const std::vector<std::size_t> finalists = keep_masks(all_[t], best_masks(all_[t]));
      for (const TrainTest& fold : folds_[t]) {
        parts.push_back(fold_of(tasks_[t], fold, finalists));
        owner.push_back(t);
      }
    }
    const std::vector<SweepPart> sweep = sweep_parts(parts);
    std::vector<Models> by_rankers;
    by_rankers.reserve(parts.size());
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const std::size_t t = owner[p];
      RankedFeatures found = rank(parts[p], rankers_[t], std::min(tasks_[t].budget.trees, kFewestTrees), {});
      all_[t].ranked.training_seconds += found.seconds;
      by_rankers.push_back(std::move(found.models));
    }
    const double seconds =
        train_networks(parts, sweep, part_of(progress_, first_share(), 1 - first_share()), deadline_);
    for (std::size_t t = 0; t < all_.size(); ++t) all_[t].ranked.training_seconds += folds_[t].empty() ? 0 : seconds;
    for (std::size_t p = 0; p < parts.size(); ++p) {
      Models& models = parts[p].ranked.models;
      put_behind(models, std::move(by_rankers[p]));
      all_[owner[p]].cross.push_back({std::move(parts[p].fit), std::move(parts[p].held), std::move(models)});
    }
  }

  RankedFeatures rank(const TrainedSelection& part, std::span<const Baseline* const> rankers, std::size_t trees,
                      Deadline deadline) {
    const auto count = static_cast<double>(all_.size() + fold_count_);
    const auto before = static_cast<double>(rankings_++);
    return ranked_by(rankers, trees, part, deadline, [&](double done) {
      return !progress_ || progress_({"ranking", (before + done) / count, 0, 0});
    });
  }

  // Of the training, that of all rows: the folds train the masks that are left.
  double first_share() const {
    const double folds = static_cast<double>(fold_count_) / static_cast<double>(all_.size());
    return 1 / (1 + folds / static_cast<double>(kMasksPerFinalist));
  }

  std::vector<TrainedSelection>& all_;
  std::span<const SelectionTask> tasks_;
  const ProgressCallback& progress_;
  Deadline deadline_;
  Clock::time_point begin_;
  std::vector<std::vector<TrainTest>> folds_;  // of each task
  std::size_t fold_count_ = 0;
  std::vector<std::vector<const Baseline*>> rankers_;  // of each task
  std::vector<Models> by_rankers_;
  std::size_t rankings_ = 0;      // begun
  double first_round_share_ = 0;  // of the progress
  bool is_cut_short_ = false;     // behind a first round
};

}  // namespace

void train_pools(std::vector<TrainedSelection>& all, std::span<const SelectionTask> tasks,
                 const ProgressCallback& progress, Deadline deadline) {
  Pools(all, tasks, progress, deadline).train();
}

}  // namespace obverse
