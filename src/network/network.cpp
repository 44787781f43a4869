// One step: masks from the batch, both paths through the trunk, and all the way back.
#include "network/network.h"

#include <algorithm>
#include <cmath>

#include "mask/families.h"

namespace obverse {

namespace {

std::unique_ptr<MaskFamily> make_family(Ops& ops, const GroupShape& shape, const TrainOptions& options,
                                        const MaskPlan& plan) {
  if (plan.own) return vector_mask(ops, shape, plan.own);
  const FamilyDescription& family = family_of(plan.method);
  if (family.make == nullptr) {
    const double scale = std::pow(static_cast<double>(shape.features), options.mask_scale_power);
    return attention_mask(ops, shape, options, {static_cast<float>(scale), family.name == "afs", plan.remainder});
  }
  const MaskSettings settings{options.mask_scale_power, options.mask_penalty, plan.remainder};
  return vector_mask(ops, shape, [&] { return family.make(settings); });
}

}  // namespace

Network::Network(Ops& ops, const GroupShape& shape, const TrainOptions& options, const MaskPlan& mask,
                 std::vector<float> gammas)
    : ops_(ops),
      shape_(shape),
      options_(options),
      gammas_(std::move(gammas)),
      selected_(mask.selected),
      steps_(std::max<std::uint64_t>(1, mask.steps)),
      mask_rate_(options.mask_learning_rate > 0 ? options.mask_learning_rate
                                                : mask_learning_rate(mask.method, bool{mask.own})),
      complement_loss_(mask.loss),
      layout_(shape),
      family_(make_family(ops, shape, options, mask)),
      trunk_(ops, shape.models, layout_.size),
      masks_(ops.allocate(shape.models * shape.paths * shape.features)),
      mask_gradients_(ops.allocate(shape.models * shape.paths * shape.features)),
      path_losses_(shape.models * shape.paths),
      losses_{std::vector<double>(shape.models), std::vector<double>(shape.models)} {}

void Network::initialise(std::uint64_t seed) {
  const std::size_t C = shape_.outputs;
  std::vector<float> start(layout_.size, 0.0F);
  const auto part = [&start](std::size_t offset, std::size_t count) { return std::span(start).subspan(offset, count); };
  fill_glorot(seed, Tensor::v1, shape_.features, shape_.width1, part(layout_.v1, shape_.features * shape_.width1));
  fill_glorot(seed, Tensor::v2, shape_.width1, shape_.width2, part(layout_.v2, shape_.width1 * shape_.width2));
  fill_glorot(seed, Tensor::main_head, shape_.width2, C, part(layout_.u[0], shape_.width2 * C));
  if (shape_.paths == 2) {
    fill_glorot(seed, Tensor::complement_head, shape_.width2, C, part(layout_.u[1], shape_.width2 * C));
  }
  trunk_.set_all(ops_, start);
  seed_ = seed;
  family_->initialise(mask_step(0));
}

MaskStep Network::mask_step(std::uint64_t number) const {
  return {.features = shape_.features,
          .selected = selected_,
          .seed = seed_,
          .number = number,
          .progress = static_cast<double>(done_) / static_cast<double>(steps_)};
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
          .losses = path_losses_.data()};
}

const Losses& Network::step(const StepTargets& targets, std::uint64_t step) {
  Update trunk_update;
  Update mask_update;
  if (step > 0) {
    trunk_update = adam_factors(options_.learning_rate, step);
    mask_update = adam_factors(mask_rate_, step);
  }
  const MaskStep mask = mask_step(step);
  family_->masks(mask, masks_.get());
  ops_.trunk(arguments(targets), trunk_update);
  family_->back(mask, masks_.get(), mask_gradients_.get(), mask_update);
  done_ = step;
  for (std::size_t m = 0; m < shape_.models; ++m) {
    losses_.main[m] = path_losses_[m * shape_.paths];
    losses_.complement[m] = shape_.paths == 2 ? path_losses_[m * shape_.paths + 1] : 0.0;
  }
  return losses_;
}

void Network::evaluate(const PathTargets& targets, std::vector<double>& losses, std::vector<std::size_t>& hits) {
  family_->masks(mask_step(0), masks_.get());
  hits.resize(shape_.models);
  TrunkArgs args = arguments({targets, targets});
  args.complement_loss = nullptr;  // nobody asks for it here
  args.mask_gradients = nullptr;
  args.hits = hits.data();
  ops_.trunk(args, {});
  losses.resize(shape_.models);
  for (std::size_t m = 0; m < shape_.models; ++m) losses[m] = path_losses_[m * shape_.paths];
}

}  // namespace obverse
