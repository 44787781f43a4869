// A mask that is trained: one number or more for each feature, from which the mask and its complement follow. Whoever
// writes one gets the network behind it, the complementary path, the ranking and the evaluation (docs/extend.md).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

namespace obverse {

/// Where in the training of a model a mask is asked for.
struct MaskStep {
  std::size_t features = 0;  ///< D
  std::size_t selected = 0;  ///< k, how many of them are asked for
  std::uint64_t seed = 0;    ///< of the model
  std::uint64_t number = 0;  ///< of the step, counted from 1; 0 outside of training, where nothing should be drawn
  double progress = 0;       ///< share of the steps that are done, 0 to 1

  /// Numbers of this seed and step, the same for every count of threads and on every device: in (0, 1), or standard
  /// normal.
  void draw_uniform(std::span<double> numbers) const;
  void draw_normal(std::span<double> numbers) const;
};

/// One object serves one model, so that it may keep what it draws in a step for the way back. All numbers are double:
/// a mask costs next to nothing beside the network.
class Mask {
 public:
  virtual ~Mask() = default;

  /// How many numbers are trained.
  virtual std::size_t size(std::size_t features) const { return features; }
  /// Their values before the first step.
  virtual void start(const MaskStep& step, std::span<double> weights) const = 0;

  /// The mask (D), and where there is room for it the complement (D): features in the opposite order.
  virtual void make(std::span<const double> weights, const MaskStep& step, std::span<double> mask,
                    std::span<double> complement) = 0;
  /// Adds the gradient of the weights, from those of the mask and the complement that were made last.
  virtual void back(std::span<const double> weights, const MaskStep& step, std::span<const double> mask_gradient,
                    std::span<const double> complement_gradient, std::span<double> gradient) = 0;
  /// What the mask itself adds to the loss, such as a penalty on open gates, and its gradient, added.
  virtual double penalty(std::span<const double> /*weights*/, std::span<double> /*gradient*/) const { return 0; }

  /// Weight of half the sum of squares of the first layer's weights, which the network adds to the loss: for a penalty
  /// on a feature's mask and on its row of that layer together.
  virtual double first_layer_decay() const { return 0; }
  /// Called after each step: moves weights that left their range back into it, such as probabilities into [0, 1].
  virtual void constrain(std::span<double> /*weights*/) const {}

  /// By which features are ranked after training, the larger the better.
  virtual void scores(std::span<const double> weights, std::span<double> scores) const = 0;
};

/// Makes the mask of one model.
using MakeMask = std::function<std::unique_ptr<Mask>()>;

}  // namespace obverse
