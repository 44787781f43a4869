// A mask family: where the masks of a group of models come from, and where their gradients go. It sees vectors of E
// numbers, never the trunk or a masked input; attention families also see the batch, through the operations.
//   M models   S batches, M/S models see the same   Q paths   E features
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include <obverse/mask.h>

#include "backend/ops.h"
#include "mask/spec.h"

namespace obverse {

class MaskFamily {
 public:
  virtual ~MaskFamily() = default;

  /// Whether its numbers stay on the device in a step.
  virtual bool on_device() const = 0;

  /// Sets the parameters of every model to the start of its seed. Steps are (S), one for the models of each batch.
  virtual void initialise(std::span<const MaskStep> steps) = 0;
  /// The masks (M,Q,E) for the batches that the operations hold; the second path is the complement.
  virtual void masks(std::span<const MaskStep> steps, float* masks) = 0;
  /// From the gradients of the masks just made to its own parameters, and the step.
  virtual void back(std::span<const MaskStep> steps, const float* masks, const float* mask_gradients,
                    const Update& update) = 0;

  /// Weight of half the sum of squares of the first layer's weights in the loss.
  virtual double first_layer_decay() const { return 0; }

  /// The scores (M,E) by which features are ranked, read over several batches. `next` puts the next one into the
  /// operations and returns its rows, 0 after the last.
  virtual std::vector<float> scores(const std::function<std::size_t()>& next) = 0;

  /// All trained numbers of all models, and their gradients of the last step that was not taken.
  virtual std::vector<double> values() const = 0;
  virtual void set_values(std::span<const double> values) = 0;
  virtual std::vector<double> gradients() const = 0;
};

/// Attention over the batch: FM (softmax) with one path, CFM with two; AFS (sigmoid).
std::unique_ptr<MaskFamily> attention_mask(Ops& ops, const GroupShape& shape, const MaskSpec& spec,
                                           const TrainOptions& options);

/// One mask of trained numbers for each model.
std::unique_ptr<MaskFamily> vector_mask(Ops& ops, const GroupShape& shape, const MakeMask& make);

}  // namespace obverse
