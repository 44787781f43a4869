// Masks of trained numbers behind the interface of families. Their numbers, gradients and steps stay on this side of
// the operations: only masks go over, and the gradients of masks come back, 2 Q E floats for each model and step.
#include <algorithm>

#include <obverse/error.h>

#include "mask/family.h"
#include "support/random.h"

namespace obverse {

void MaskStep::draw_uniform(std::span<double> numbers) const {
  RandomStream stream(seed, Purpose::mask, number);
  for (double& value : numbers) value = (stream.next() + 0.5) * 0x1p-32;
}

void MaskStep::draw_normal(std::span<double> numbers) const {
  RandomStream stream(seed, Purpose::mask, number);
  for (double& value : numbers) value = stream.normal();
}

namespace {

class VectorMask final : public MaskFamily {
 public:
  VectorMask(Ops& ops, const GroupShape& shape, const MakeMask& make)
      : ops_(ops),
        features_(shape.features()),
        paths_(shape.paths),
        each_(shape.models / shape.batches),
        masks_(shape.models * shape.paths * shape.features()),
        transfer_(masks_.size()) {
    for (std::size_t m = 0; m < shape.models; ++m) {
      Model& model = models_.emplace_back();
      model.mask = make();
      const std::size_t size = model.mask->size(features_);
      for (std::vector<double>* numbers : {&model.weights, &model.gradient, &model.first, &model.second}) {
        numbers->resize(size);
      }
    }
  }

  bool on_device() const override { return false; }

  void initialise(std::span<const MaskStep> steps) override {
    for (std::size_t m = 0; m < models_.size(); ++m) models_[m].mask->start(steps[m / each_], models_[m].weights);
  }

  void masks(std::span<const MaskStep> steps, float* masks) override {
    for (std::size_t m = 0; m < models_.size(); ++m) {
      models_[m].mask->make(models_[m].weights, steps[m / each_], path(masks_, m, 0), path(masks_, m, 1));
    }
    std::copy(masks_.begin(), masks_.end(), transfer_.begin());
    ops_.upload(transfer_, masks);
  }

  void back(std::span<const MaskStep> steps, const float* /*masks*/, const float* mask_gradients,
            const Update& update) override {
    ops_.download(mask_gradients, transfer_);
    std::copy(transfer_.begin(), transfer_.end(), masks_.begin());
    for (std::size_t m = 0; m < models_.size(); ++m) {
      Model& model = models_[m];
      std::fill(model.gradient.begin(), model.gradient.end(), 0.0);
      model.mask->back(model.weights, steps[m / each_], path(masks_, m, 0), path(masks_, m, 1), model.gradient);
      model.mask->penalty(model.weights, model.gradient);
      if (!update) continue;
      take_step(model, *update);
      model.mask->constrain(model.weights);
    }
  }

  double first_layer_decay() const override { return models_.front().mask->first_layer_decay(); }

  // The rows have no part in it.
  std::vector<float> scores(const std::function<std::size_t()>& /*next*/) override {
    std::vector<float> all;
    std::vector<double> one(features_);
    for (const Model& model : models_) {
      model.mask->scores(model.weights, one);
      all.insert(all.end(), one.begin(), one.end());
    }
    return all;
  }

  std::vector<double> values() const override { return joined(&Model::weights); }
  std::vector<double> gradients() const override { return joined(&Model::gradient); }
  void set_values(std::span<const double> values) override {
    for (Model& model : models_) {
      std::copy_n(values.begin(), model.weights.size(), model.weights.begin());
      values = values.subspan(model.weights.size());
    }
  }

 private:
  struct Model {
    std::unique_ptr<Mask> mask;
    std::vector<double> weights;
    std::vector<double> gradient;
    std::vector<double> first;  // of Adam
    std::vector<double> second;
  };

  /// (E) of a model, empty for a path that is not there.
  std::span<double> path(std::vector<double>& all, std::size_t model, std::size_t path) const {
    return path < paths_ ? std::span(all).subspan((model * paths_ + path) * features_, features_) : std::span<double>();
  }

  static void take_step(Model& model, const AdamFactors& factors) {
    const auto beta1 = static_cast<double>(factors.beta1);
    const auto beta2 = static_cast<double>(factors.beta2);
    for (std::size_t i = 0; i < model.weights.size(); ++i) {
      const double gradient = model.gradient[i];
      model.first[i] = beta1 * model.first[i] + (1 - beta1) * gradient;
      model.second[i] = beta2 * model.second[i] + (1 - beta2) * gradient * gradient;
      model.weights[i] -= static_cast<double>(factors.rate) * model.first[i] /
                          (std::sqrt(model.second[i]) + static_cast<double>(factors.epsilon));
    }
  }

  std::vector<double> joined(std::vector<double> Model::*part) const {
    std::vector<double> all;
    for (const Model& model : models_) all.insert(all.end(), (model.*part).begin(), (model.*part).end());
    return all;
  }

  Ops& ops_;
  std::size_t features_;
  std::size_t paths_;
  std::size_t each_;  // models of a batch
  std::vector<Model> models_;
  std::vector<double> masks_;    // (M,Q,E), then their gradients
  std::vector<float> transfer_;  // (M,Q,E)
};

}  // namespace

std::unique_ptr<MaskFamily> vector_mask(Ops& ops, const GroupShape& shape, const MakeMask& make) {
  return std::make_unique<VectorMask>(ops, shape, make);
}

}  // namespace obverse
