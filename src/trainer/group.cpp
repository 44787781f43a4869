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

// Every feature has a column: as many of both are one each, and need no map unless some of them are kept.
std::vector<std::size_t> map_of(const Dataset& data, const GroupSpec& spec) {
  if (data.features() < data.columns()) return data.layout().begin;
  if (spec.mask.kept.empty()) return {};
  std::vector<std::size_t> begin(data.features() + 1);
  std::iota(begin.begin(), begin.end(), std::size_t{0});
  return begin;
}

GroupShape shape_of(const Dataset& data, const GroupSpec& spec) {
  return {.models = spec.seeds.size() * spec.gammas.size(),
          .batches = spec.seeds.size(),
          .rows = std::min(data.rows(), static_cast<std::size_t>(spec.train.batch_size)),
          .columns = data.columns(),
          .width1 = static_cast<std::size_t>(spec.train.width1),
          .width2 = static_cast<std::size_t>(spec.train.width2),
          .outputs = output_count(data),
          .paths = spec.gammas.front() > 0 ? std::size_t{2} : std::size_t{1},
          .precision = spec.train.precision,
          .loss = output_loss(data.task()),
          .sparse = by_entries(data),
          .begin = map_of(data, spec),
          .kept = spec.mask.kept};
}

// Of the targets as the network sees them: quantities are standardised, columns scaled as the recipe has it.
double target_variance(const Dataset& data, const Affine& scaling) {
  if (data.has_target()) return 1;
  const std::vector<std::size_t> columns = all_columns(data);
  const std::size_t count = std::min(data.rows(), kInitialRows);
  std::vector<float> row(columns.size());
  std::vector<double> sums(columns.size());
  double squares = 0;
  double rows = 0;  // as much as they count
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t r = i * data.rows() / count;
    const auto weight = static_cast<double>(data.weight(r));
    rows += weight;
    data.copy_columns(r, columns, row.data());
    for (std::size_t d = 0; d < row.size(); ++d) {
      const auto x = static_cast<double>(row[d] * scaling.scale[d] + scaling.offset[d]);
      sums[d] += weight * x;
      squares += weight * x * x;
    }
  }
  double variance = squares / rows;
  for (const double sum : sums) variance -= sum / rows * (sum / rows);
  return std::max(variance / static_cast<double>(columns.size()), 1e-12);
}

// Of the group, with the steps that its training takes.
MaskSpec mask_of(const Dataset& data, const GroupSpec& spec) {
  const std::size_t batch = std::min(data.rows(), static_cast<std::size_t>(spec.train.batch_size));
  const std::size_t batches = (data.rows() + batch - 1) / batch;
  MaskSpec mask = spec.mask;
  mask.steps = batches * static_cast<std::uint64_t>(spec.train.epochs);
  return mask;
}

// (M)
std::vector<float> gammas_of(const GroupSpec& spec) {
  std::vector<float> gammas;
  for (std::size_t s = 0; s < spec.seeds.size(); ++s) {
    gammas.insert(gammas.end(), spec.gammas.begin(), spec.gammas.end());
  }
  return gammas;
}

class GroupTrainer {
 public:
  GroupTrainer(const Dataset& train, const Dataset* validation, const Affine& scaling, const GroupSpec& spec,
               const Device& device, Team& team, SweepState& state)
      : train_(train),
        validation_(validation),
        scaling_(scaling),
        spec_(spec),
        state_(state),
        shape_(shape_of(train, spec)),
        targets_(train, spec.mask.mean_target),
        room_(device.reserve(group_bytes(train, spec, device))),
        ops_(device.make_ops(shape_, team)),
        network_(*ops_, shape_, spec.train, mask_of(train, spec), gammas_of(spec)),
        variance_(validation == nullptr ? 1 : target_variance(train, scaling)),
        orders_(spec.seeds.size(), std::vector<std::uint32_t>(train.rows())),
        results_(shape_.models) {
    for (auto& order : orders_) std::iota(order.begin(), order.end(), 0U);
    network_.initialise(spec.seeds);
  }

  std::vector<Model> run() {
    keep_scores(initial_scores(), &Model::initial_scores);
    for (int epoch = 0; epoch < spec_.train.epochs; ++epoch) {
      if (!train_epoch(epoch)) break;
      keep_epoch(epoch);
      if (spec_.train.patience > 0 && out_of_patience(epoch)) break;
    }
    if (!best_.empty()) return std::move(best_);
    if (validation_ != nullptr) keep_accuracies(validate());
    keep_scores(trained_scores(), &Model::scores);
    return std::move(results_);
  }

 private:
  // Of each model, on all validation rows.
  struct Validation {
    std::vector<double> losses;
    std::vector<double> accuracies;
  };

  void keep_accuracies(const Validation& validation) {
    for (std::size_t m = 0; m < results_.size(); ++m) results_[m].network_accuracy = validation.accuracies[m];
  }

  // Gives every model its part of scores (M,E), those of all features.
  void keep_scores(const std::vector<float>& scores, std::vector<float> Model::*kept) {
    for (std::size_t m = 0; m < results_.size(); ++m) results_[m].*kept = part_of(scores, m);
  }

  // A kept feature has no score of its own: it gets the largest of the others.
  std::vector<float> part_of(const std::vector<float>& scores, std::size_t model) const {
    const auto begin = scores.begin() + static_cast<std::ptrdiff_t>(model * shape_.features());
    const auto end = begin + static_cast<std::ptrdiff_t>(shape_.features());
    std::vector<float> part(begin, end);
    if (shape_.kept.empty()) return part;
    const float largest = *std::max_element(part.begin(), part.end());
    for (const std::size_t f : shape_.kept) part.insert(part.begin() + static_cast<std::ptrdiff_t>(f), largest);
    return part;
  }

  // Over all training rows.
  std::vector<float> trained_scores() {
    return network_.family().scores([this] { return next_in_order(train_); });
  }

  // What was asked for of the way, beside its end. Reading scores leaves the training as it is.
  void keep_epoch(int epoch) {
    if (spec_.keep.curve) {
      for (Model& model : results_) {
        model.curve.loss.push_back(model.loss);
        model.curve.complement_loss.push_back(model.complement_loss);
      }
    }
    const auto& epochs = spec_.keep.epochs;
    if (std::find(epochs.begin(), epochs.end(), epoch + 1) == epochs.end()) return;
    const std::vector<float> scores = trained_scores();
    for (std::size_t m = 0; m < results_.size(); ++m) {
      results_[m].snapshots.push_back({.epoch = epoch + 1, .scores = part_of(scores, m)});
    }
  }

  // The same rows for every seed.
  void gather_alike(const Dataset& data, std::span<const std::uint32_t> rows) {
    std::vector<std::uint32_t> all;
    for (std::size_t s = 0; s < spec_.seeds.size(); ++s) all.insert(all.end(), rows.begin(), rows.end());
    ops_->gather(data, scaling_, all);
  }

  // (M,E) before the first step.
  std::vector<float> initial_scores() {
    const std::size_t count = std::min(train_.rows(), kInitialRows);
    std::size_t done = 0;
    return network_.family().scores([&] {
      std::vector<std::uint32_t> rows(std::min(shape_.rows, count - done));
      for (auto& row : rows) row = static_cast<std::uint32_t>(done++ * train_.rows() / count);
      if (!rows.empty()) gather_alike(train_, rows);
      return rows.size();
    });
  }

  // False where the time is over before the last row.
  bool train_epoch(int epoch) {
    for (std::size_t s = 0; s < orders_.size(); ++s) {
      RandomStream(spec_.seeds[s], Purpose::batches, static_cast<std::uint64_t>(epoch)).shuffle(std::span(orders_[s]));
    }
    std::size_t rows = 0;
    while (rows < train_.rows() && !(step_ > 0 && state_.deadline.has_passed())) {
      const std::size_t count = std::min(shape_.rows, train_.rows() - rows);
      train_batch(rows, count);
      rows += count;
    }
    if (rows == 0) return false;
    const Losses losses = network_.take_losses(rows);
    for (std::size_t m = 0; m < results_.size(); ++m) {
      results_[m].epochs = rows == train_.rows() ? epoch + 1 : epoch;
      results_[m].loss = losses.main[m];
      results_[m].complement_loss = losses.complement[m];
      if (!std::isfinite(results_[m].loss)) {
        throw Error(Fault::usage,
                    cat("training diverged in epoch ", epoch + 1, " (gamma ", spec_.gammas[m % spec_.gammas.size()],
                        "): try a smaller learning_rate than ", spec_.train.learning_rate));
      }
    }
    return rows == train_.rows();
  }

  void train_batch(std::size_t begin, std::size_t count) {
    if (state_.stop.load(std::memory_order_relaxed)) throw Error(Fault::stopped, "stopped while training");
    ++step_;
    rows_.clear();
    for (const auto& order : orders_) {
      const auto first = order.begin() + static_cast<std::ptrdiff_t>(begin);
      rows_.insert(rows_.end(), first, first + static_cast<std::ptrdiff_t>(count));
    }
    if (network_.on_device()) ops_->begin_step();
    ops_->gather(train_, scaling_, rows_);
    ops_->draw_dropout(spec_.seeds, step_, spec_.train.dropout);
    network_.step(targets_.of_step(rows_, spec_.seeds, step_, shape_.paths == 2), step_);
    if (network_.on_device()) ops_->end_step();
    state_.rows_done.fetch_add(count * shape_.models, std::memory_order_relaxed);
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
    gather_alike(data, rows);
    reading_ += count;
    return count;
  }

  Validation validate() {
    std::size_t begin = 0;
    while (const std::size_t count = next_in_order(*validation_)) {
      const StepTargets targets = targets_.of_rows(*validation_, begin, count, spec_.seeds.size());
      network_.evaluate(targets.main, targets.weights);
      begin += count;
    }
    const Totals totals = ops_->take_totals();
    double rows = 0;  // as much as they count
    for (std::size_t r = 0; r < validation_->rows(); ++r) rows += static_cast<double>(validation_->weight(r));
    const double answers = shape_.loss == OutputLoss::sigmoid ? rows * static_cast<double>(shape_.outputs) : rows;
    Validation result{std::vector<double>(results_.size()), std::vector<double>(results_.size())};
    for (std::size_t m = 0; m < results_.size(); ++m) {
      result.losses[m] = totals.losses[m * shape_.paths] / rows;
      result.accuracies[m] = totals.hits[m] / answers;
    }
    // Twice the loss is the mean square of what is missed.
    if (shape_.loss == OutputLoss::square || shape_.loss == OutputLoss::reconstruction) {
      for (std::size_t m = 0; m < results_.size(); ++m) result.accuracies[m] = 1 - 2 * result.losses[m] / variance_;
    }
    return result;
  }

  // Groups that stop early hold one model, so that no model depends on another's patience. Scores are kept, and not the
  // trained numbers behind them: masks that fix features one after another have more to go back on.
  bool out_of_patience(int epoch) {
    const Validation now = validate();
    if (now.losses.front() < best_loss_) {
      best_loss_ = now.losses.front();
      best_epoch_ = epoch;
      keep_accuracies(now);
      keep_scores(trained_scores(), &Model::scores);
      best_ = results_;
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
  Held room_;  // on the device
  std::unique_ptr<Ops> ops_;
  Network network_;
  double variance_;                                 // of the targets
  std::vector<std::vector<std::uint32_t>> orders_;  // (S) of the training rows in this epoch
  std::vector<std::uint32_t> rows_;                 // (S,B) of this step
  std::vector<Model> results_;
  std::uint64_t step_ = 0;
  std::size_t reading_ = 0;
  double best_loss_ = std::numeric_limits<double>::infinity();
  int best_epoch_ = 0;
  std::vector<Model> best_;  // as it was in the best epoch
};

}  // namespace

std::size_t group_bytes(const Dataset& train, const GroupSpec& spec, const Device& device) {
  return device.group_bytes(shape_of(train, spec), static_cast<std::size_t>(spec.train.mask_hidden));
}

std::vector<Model> train_group(const Dataset& train, const Dataset* validation, const Affine& scaling,
                               const GroupSpec& spec, const Device& device, Team& team, SweepState& state) {
  return GroupTrainer(train, validation, scaling, spec, device, team, state).run();
}

}  // namespace obverse
