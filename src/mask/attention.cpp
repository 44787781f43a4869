// Masks by attention over the batch, z = mean_b(tanh(X w1 + b1)) w2 + b2, of D columns and E features.
//   X (B,D)   w1 (D,H)   w2 (H,E)   z (E)
//   fm    m = scale softmax(z)    m~ = scale softmax(-z)    or the remainder (scale - m) / E
//   afs   m = sigmoid(z)          m~ = sigmoid(-z)
// fm is the mask of Liao et al. 2021, with the complement of the paper (equations 3 and 4) or its counter-example. afs
// is Gui et al. 2019: each feature has a choice of its own between being selected and not. There every row has
// attention of its own; here the mean over the batch stands before the choice, so that no masked input is formed.
#include <cmath>
#include <span>

#include "backend/parameters.h"
#include "mask/family.h"

namespace obverse {

namespace {

class AttentionMask final : public MaskFamily {
 public:
  AttentionMask(Ops& ops, const GroupShape& shape, const MaskSpec& spec, const TrainOptions& options)
      : ops_(ops),
        shape_(shape),
        init_(options.mask_init),
        layout_(shape, static_cast<std::size_t>(options.mask_hidden)),
        form_{.scale = static_cast<float>(std::pow(static_cast<double>(shape.features()), options.mask_scale_power)),
              .sigmoid = spec.method == "afs",
              .remainder = spec.remainder},
        hidden_(static_cast<std::size_t>(options.mask_hidden)),
        parameters_(ops, shape.models, layout_.size),
        activations_(ops.allocate(shape.models * shape.rows * hidden_)),
        means_(ops.allocate(shape.models * hidden_)),
        scores_(ops.allocate(shape.models * shape.features())) {}

  bool on_device() const override { return true; }

  void initialise(std::span<const MaskStep> steps) override {
    const std::size_t D = shape_.columns;
    const std::size_t E = shape_.features();
    const std::size_t each = shape_.models / shape_.batches;
    for (std::size_t s = 0; s < steps.size(); ++s) {
      const std::uint64_t seed = steps[s].seed;
      std::vector<float> start(layout_.size, 0.0F);
      fill_glorot(seed, Tensor::w1, D, hidden_, std::span(start).subspan(layout_.w1, D * hidden_));
      const auto w2 = std::span(start).subspan(layout_.w2, hidden_ * E);
      if (init_ == MaskInit::near_one) {
        fill_uniform(seed, Tensor::w2, 0.9, 1.1, w2);
      } else {
        fill_glorot(seed, Tensor::w2, hidden_, E, w2);
      }
      parameters_.set(ops_, s * each, each, start);
    }
  }

  void masks(std::span<const MaskStep> /*steps*/, float* masks) override {
    ops_.attention(arguments());
    ops_.score_masks(scores_.get(), form_, masks);
  }

  void back(std::span<const MaskStep> /*steps*/, const float* masks, const float* mask_gradients,
            const Update& update) override {
    ops_.score_masks_back(masks, mask_gradients, form_, scores_.get());
    ops_.attention_back(arguments(), update);
  }

  std::vector<float> scores(const std::function<std::size_t()>& next) override {
    // z is linear in the means, so that the mean of z over batches is the z of all rows.
    const std::size_t size = shape_.models * shape_.features();
    std::vector<float> batch(size);
    std::vector<double> sum(size);
    double rows = 0;
    while (const std::size_t count = next()) {
      ops_.attention(arguments());
      ops_.download(scores_.get(), batch);
      for (std::size_t i = 0; i < size; ++i) sum[i] += static_cast<double>(count) * static_cast<double>(batch[i]);
      rows += static_cast<double>(count);
    }
    for (std::size_t i = 0; i < size; ++i) batch[i] = static_cast<float>(sum[i] / rows);
    return batch;
  }

  std::vector<double> values() const override { return downloaded(parameters_.view().values); }
  std::vector<double> gradients() const override { return downloaded(parameters_.view().gradients); }
  void set_values(std::span<const double> values) override {
    ops_.upload(std::vector<float>(values.begin(), values.end()), parameters_.view().values);
  }

 private:
  std::vector<double> downloaded(const float* numbers) const {
    std::vector<float> all(shape_.models * layout_.size);
    ops_.download(numbers, all);
    return {all.begin(), all.end()};
  }

  AttentionArgs arguments() const {
    return {parameters_.view(), hidden_, activations_.get(), means_.get(), scores_.get()};
  }

  Ops& ops_;
  GroupShape shape_;
  MaskInit init_;
  AttentionLayout layout_;
  MaskForm form_;
  std::size_t hidden_;
  Parameters parameters_;
  Buffer activations_;  // (M,B,H)
  Buffer means_;        // (M,H)
  Buffer scores_;       // (M,E)
};

}  // namespace

std::unique_ptr<MaskFamily> attention_mask(Ops& ops, const GroupShape& shape, const MaskSpec& spec,
                                           const TrainOptions& options) {
  return std::make_unique<AttentionMask>(ops, shape, spec, options);
}

}  // namespace obverse
