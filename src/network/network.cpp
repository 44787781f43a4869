// One step: masks from the batch, both paths through the trunk, and all the way back.
#include "network/network.h"

#include <algorithm>
#include <cmath>

#include "mask/families.h"

namespace obverse {

namespace {

std::unique_ptr<MaskFamily> make_family(Ops& ops, const GroupShape& shape, const TrainOptions& options,
                                        const MaskSpec& spec) {
  if (spec.own) return vector_mask(ops, shape, spec.own);
  const FamilyDescription& family = family_of(spec.method);
  if (family.make == nullptr) return attention_mask(ops, shape, spec, options);
  return vector_mask(ops, shape, [&] { return family.make(spec, options); });
}

}  // namespace

Network::Network(Ops& ops, const GroupShape& shape, const TrainOptions& options, const MaskSpec& mask,
                 std::vector<float> gammas)
    : ops_(ops),
      shape_(shape),
      options_(options),
      gammas_(std::move(gammas)),
      selected_(mask.selected),
      steps_(std::max<std::uint64_t>(1, mask.steps)),
      mask_rate_(options.mask_learning_rate > 0 ? options.mask_learning_rate : mask_learning_rate(mask)),
      complement_loss_(mask.loss),
      layout_(shape),
      family_(make_family(ops, shape, options, mask)),
      trunk_(ops, shape.models, layout_.size),
      masks_(ops.allocate(shape.models * shape.paths * shape.columns)),
      mask_gradients_(ops.allocate(shape.models * shape.paths * shape.columns)) {
  if (shape.begin.empty()) return;
  entries_ = ops.allocate(shape.models * shape.paths * shape.features());
  entry_gradients_ = ops.allocate(shape.models * shape.paths * shape.features());
  if (!shape.kept.empty()) let_kept_through();
}

// A mask of 1 for kept features on the main path. Masks are zero when made, and spreading entries leaves the columns of
// kept features alone: the complement has none of them.
void Network::let_kept_through() {
  std::vector<float> masks(shape_.models * shape_.paths * shape_.columns);
  for (std::size_t m = 0; m < shape_.models; ++m) {
    float* main = masks.data() + m * shape_.paths * shape_.columns;
    for (const std::size_t f : shape_.kept) std::fill(main + shape_.begin[f], main + shape_.begin[f + 1], 1.0F);
  }
  ops_.upload(masks, masks_.get());
}

void Network::initialise(std::span<const std::uint64_t> seeds) {
  const std::size_t C = shape_.outputs;
  const std::size_t each = shape_.models / shape_.batches;
  for (std::size_t s = 0; s < seeds.size(); ++s) {
    std::vector<float> start(layout_.size, 0.0F);
    const auto fill = [&](Tensor tensor, std::size_t offset, std::size_t inputs, std::size_t outputs) {
      fill_glorot(seeds[s], tensor, inputs, outputs, std::span(start).subspan(offset, inputs * outputs));
    };
    fill(Tensor::v1, layout_.v1, shape_.columns, shape_.width1);
    fill(Tensor::v2, layout_.v2, shape_.width1, shape_.width2);
    fill(Tensor::main_head, layout_.u[0], shape_.width2, C);
    if (shape_.paths == 2) fill(Tensor::complement_head, layout_.u[1], shape_.width2, C);
    trunk_.set(ops_, s * each, each, start);
  }
  seeds_.assign(seeds.begin(), seeds.end());
  family_->initialise(mask_steps(0));
}

std::vector<MaskStep> Network::mask_steps(std::uint64_t number) const {
  std::vector<MaskStep> steps;
  for (const std::uint64_t seed : seeds_) {
    steps.push_back({.features = shape_.features(),
                     .selected = selected_,
                     .seed = seed,
                     .number = number,
                     .progress = static_cast<double>(done_) / static_cast<double>(steps_)});
  }
  return steps;
}

TrunkArgs Network::arguments(const StepTargets& targets) {
  return {.parameters = trunk_.view(),
          .masks = masks_.get(),
          .mask_gradients = mask_gradients_.get(),
          .targets = {targets.main, targets.complement},
          .weights = targets.weights,
          .gammas = gammas_,
          .complement_loss = complement_loss_.get(),
          .leak = static_cast<float>(options_.leak),
          .decay = static_cast<float>(family_->first_layer_decay())};
}

void Network::make_masks(std::span<const MaskStep> steps) {
  family_->masks(steps, entries_ ? entries_.get() : masks_.get());
  if (entries_) ops_.spread_masks(entries_.get(), masks_.get());
}

void Network::masks_back(std::span<const MaskStep> steps, const Update& update) {
  if (entries_) {
    ops_.spread_masks_back(mask_gradients_.get(), entry_gradients_.get());
    family_->back(steps, entries_.get(), entry_gradients_.get(), update);
  } else {
    family_->back(steps, masks_.get(), mask_gradients_.get(), update);
  }
}

void Network::step(const StepTargets& targets, std::uint64_t step) {
  Update trunk_update;
  Update mask_update;
  if (step > 0) {
    trunk_update = adam_factors(options_.learning_rate, step);
    mask_update = adam_factors(mask_rate_, step);
  }
  const std::vector<MaskStep> steps = mask_steps(step);
  make_masks(steps);
  ops_.trunk(arguments(targets), trunk_update);
  masks_back(steps, mask_update);
  done_ = step;
}

Losses Network::take_losses(std::size_t rows) {
  const Totals totals = ops_.take_totals();
  Losses losses{std::vector<double>(shape_.models), std::vector<double>(shape_.models)};
  for (std::size_t m = 0; m < shape_.models; ++m) {
    losses.main[m] = totals.losses[m * shape_.paths] / static_cast<double>(rows);
    if (shape_.paths == 2) losses.complement[m] = totals.losses[m * 2 + 1] / static_cast<double>(rows);
  }
  return losses;
}

void Network::evaluate(const PathTargets& targets, std::span<const float> weights) {
  make_masks(mask_steps(0));
  TrunkArgs args = arguments({targets, targets, weights});
  args.complement_loss = nullptr;  // nobody asks for it here
  args.mask_gradients = nullptr;
  ops_.trunk(args, {});
}

}  // namespace obverse
