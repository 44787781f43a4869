// Epochs, batches and early stopping of one group.
#include "trainer/group.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <obverse/error.h>

#include "support/random.h"
#include "trainer/targets.h"

namespace obverse {

namespace {

// The start of a mask is a picture, not a result: more rows would not change what one sees and cost a pass.
constexpr std::size_t kInitialRows = 4096;

// Up to this share of values that are not zero, products by entries are faster than full ones.
constexpr double kSparseShare = 0.05;

bool by_entries(const Dataset& data) {
  const auto* sparse = std::get_if<SparseMatrix>(&data.storage());
  if (sparse == nullptr || output_loss(data.task()) == OutputLoss::reconstruction) return false;
  const double cells = static_cast<double>(sparse->rows()) * static_cast<double>(sparse->cols);
  return static_cast<double>(sparse->values.size()) <= kSparseShare * cells;
}

GroupShape shape_of(const Dataset& data, const GroupSpec& spec) {
  return {.models = spec.gammas.size(),
          .rows = std::min(data.rows(), static_cast<std::size_t>(spec.train.batch_size)),
          .features = data.features(),
          .width1 = static_cast<std::size_t>(spec.train.width1),
          .width2 = static_cast<std::size_t>(spec.train.width2),
          .outputs = output_count(data),
          .paths = spec.gammas.front() > 0 ? std::size_t{2} : std::size_t{1},
          .precision = spec.train.precision,
          .loss = output_loss(data.task()),
          .sparse = by_entries(data)};
}

// Of the targets as the network sees them: quantities are standardised, features scaled as the recipe has it.
double target_variance(const Dataset& data, const Affine& scaling) {
  if (data.has_target()) return 1;
  const std::vector<std::size_t> features = all_features(data);
  const std::size_t count = std::min(data.rows(), kInitialRows);
  std::vector<float> row(features.size());
  std::vector<double> sums(features.size());
  double squares = 0;
  for (std::size_t i = 0; i < count; ++i) {
    data.copy_features(i * data.rows() / count, features, row.data());
    for (std::size_t d = 0; d < row.size(); ++d) {
      const auto x = static_cast<double>(row[d] * scaling.scale[d] + scaling.offset[d]);
      sums[d] += x;
      squares += x * x;
    }
  }
  const auto rows = static_cast<double>(count);
  double variance = squares / rows;
  for (const double sum : sums) variance -= sum / rows * (sum / rows);
  return std::max(variance / static_cast<double>(features.size()), 1e-12);
}

MaskPlan mask_plan(const Dataset& data, const GroupSpec& spec) {
  const std::size_t batch = std::min(data.rows(), static_cast<std::size_t>(spec.train.batch_size));
  const std::size_t batches = (data.rows() + batch - 1) / batch;
  return {spec.mask.method,
          spec.mask.remainder,
          spec.mask.own,
          spec.mask.selected,
          batches * static_cast<std::uint64_t>(spec.train.epochs),
          spec.mask.loss};
}

class GroupTrainer {
 public:
  GroupTrainer(const Dataset& train, const Dataset* validation, const Affine& scaling, const GroupSpec& spec,
               Team& team, SweepState& state)
      : train_(train),
        validation_(validation),
        scaling_(scaling),
        spec_(spec),
        state_(state),
        shape_(shape_of(train, spec)),
        targets_(train, spec.mask.mean_target),
        ops_(cpu_ops(shape_, team)),
        network_(*ops_, shape_, spec.train, mask_plan(train, spec),
                 std::vector<float>(spec.gammas.begin(), spec.gammas.end())),
        variance_(validation == nullptr ? 1 : target_variance(train, scaling)),
        order_(train.rows()),
        results_(spec.gammas.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
    network_.initialise(spec.seed);
  }

  std::vector<TrainedModel> run() {
    keep_scores(initial_scores(), &TrainedModel::initial_scores);
    for (int epoch = 0; epoch < spec_.train.epochs; ++epoch) {
      train_epoch(epoch);
      if (spec_.train.patience > 0 && out_of_patience(epoch)) break;
    }
    if (validation_ != nullptr) {
      const Validation end = validate();
      for (std::size_t m = 0; m < results_.size(); ++m) results_[m].accuracy = end.accuracies[m];
    }
    if (!best_.empty()) network_.family().set_values(best_);
    keep_scores(network_.family().scores([this] { return next_in_order(train_); }), &TrainedModel::scores);
    return std::move(results_);
  }

 private:
  // Gives every model its part of scores (M,D).
  void keep_scores(const std::vector<float>& scores, std::vector<float> TrainedModel::*kept) {
    for (std::size_t m = 0; m < results_.size(); ++m) {
      const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(m * shape_.features);
      (results_[m].*kept).assign(begin, begin + static_cast<std::ptrdiff_t>(shape_.features));
    }
  }

  // (M,D) before the first step.
  std::vector<float> initial_scores() {
    const std::size_t count = std::min(train_.rows(), kInitialRows);
    std::size_t done = 0;
    return network_.family().scores([&] {
      std::vector<std::uint32_t> rows(std::min(shape_.rows, count - done));
      for (auto& row : rows) row = static_cast<std::uint32_t>(done++ * train_.rows() / count);
      if (!rows.empty()) ops_->gather(train_, scaling_, rows);
      return rows.size();
    });
  }

  void train_epoch(int epoch) {
    RandomStream(spec_.seed, Purpose::batches, static_cast<std::uint64_t>(epoch)).shuffle(std::span(order_));
    std::vector<double> sums(2 * results_.size());
    for (std::size_t begin = 0; begin < order_.size(); begin += shape_.rows) {
      const auto rows = std::span(order_).subspan(begin, std::min(shape_.rows, order_.size() - begin));
      const Losses& losses = train_batch(rows);
      for (std::size_t m = 0; m < results_.size(); ++m) {
        sums[2 * m] += losses.main[m] * static_cast<double>(rows.size());
        sums[2 * m + 1] += losses.complement[m] * static_cast<double>(rows.size());
      }
    }
    for (std::size_t m = 0; m < results_.size(); ++m) {
      results_[m].epochs = epoch + 1;
      results_[m].loss = sums[2 * m] / static_cast<double>(order_.size());
      results_[m].complement_loss = sums[2 * m + 1] / static_cast<double>(order_.size());
      if (!std::isfinite(results_[m].loss)) {
        throw Error(Fault::usage, cat("training diverged in epoch ", epoch + 1, " (gamma ", spec_.gammas[m],
                                      "): try a smaller --learning-rate than ", spec_.train.learning_rate));
      }
    }
  }

  const Losses& train_batch(std::span<const std::uint32_t> rows) {
    if (state_.stop.load(std::memory_order_relaxed)) throw Error(Fault::stopped, "stopped while training");
    ++step_;
    ops_->gather(train_, scaling_, rows);
    ops_->draw_dropout(spec_.seed, step_, spec_.train.dropout);
    const Losses& losses = network_.step(targets_.of_step(rows, spec_.seed, step_, shape_.paths == 2), step_);
    state_.rows_done.fetch_add(rows.size() * shape_.models, std::memory_order_relaxed);
    return losses;
  }

  // Puts the next rows of a data set, in their order, into the operations; 0 after the last.
  std::size_t next_in_order(const Dataset& data) {
    const std::size_t count = std::min(shape_.rows, data.rows() - reading_);
    if (count == 0) {
      reading_ = 0;
      return 0;
    }
    std::vector<std::uint32_t> rows(count);
    std::iota(rows.begin(), rows.end(), static_cast<std::uint32_t>(reading_));
    ops_->gather(data, scaling_, rows);
    reading_ += count;
    return count;
  }

  // Of each model, on all validation rows.
  struct Validation {
    std::vector<double> losses;
    std::vector<double> accuracies;
  };
  Validation validate() {
    Validation result{std::vector<double>(results_.size()), std::vector<double>(results_.size())};
    std::vector<double> losses;
    std::vector<std::size_t> hits;
    while (true) {
      const std::size_t begin = reading_;
      const std::size_t count = next_in_order(*validation_);
      if (count == 0) break;
      network_.evaluate(targets_.of_rows(*validation_, begin, count), losses, hits);
      const auto rows = static_cast<double>(validation_->rows());
      const double answers = shape_.loss == OutputLoss::sigmoid ? rows * static_cast<double>(shape_.outputs) : rows;
      for (std::size_t m = 0; m < results_.size(); ++m) {
        result.losses[m] += losses[m] * static_cast<double>(count) / rows;
        result.accuracies[m] += static_cast<double>(hits[m]) / answers;
      }
    }
    // Twice the loss is the mean square of what is missed.
    if (shape_.loss == OutputLoss::square || shape_.loss == OutputLoss::reconstruction) {
      for (std::size_t m = 0; m < results_.size(); ++m) result.accuracies[m] = 1 - 2 * result.losses[m] / variance_;
    }
    return result;
  }

  // Groups that stop early hold one model, so that no model depends on another's patience.
  bool out_of_patience(int epoch) {
    const double sum = validate().losses.front();
    if (sum < best_loss_) {
      best_loss_ = sum;
      best_epoch_ = epoch;
      best_ = network_.family().values();
    }
    return epoch - best_epoch_ >= spec_.train.patience;
  }

  const Dataset& train_;
  const Dataset* validation_;
  const Affine& scaling_;
  const GroupSpec& spec_;
  SweepState& state_;
  GroupShape shape_;
  BatchTargets targets_;
  std::unique_ptr<Ops> ops_;
  Network network_;
  double variance_;                   // of the targets
  std::vector<std::uint32_t> order_;  // of the training rows in this epoch
  std::vector<TrainedModel> results_;
  std::uint64_t step_ = 0;
  std::size_t reading_ = 0;
  double best_loss_ = std::numeric_limits<double>::infinity();
  int best_epoch_ = 0;
  std::vector<double> best_;  // mask parameters of the best epoch
};

}  // namespace

std::vector<TrainedModel> train_group(const Dataset& train, const Dataset* validation, const Affine& scaling,
                                      const GroupSpec& spec, Team& team, SweepState& state) {
  return GroupTrainer(train, validation, scaling, spec, team, state).run();
}

}  // namespace obverse
