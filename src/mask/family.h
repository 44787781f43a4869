// A mask family: where the masks of a group of models come from, and where their gradients go. It sees vectors of D
// numbers, never the trunk or a masked input; attention families also see the batch, through the operations.
//   M models   Q paths   D features
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "backend/ops.h"

namespace obverse {

class MaskFamily {
 public:
  virtual ~MaskFamily() = default;

  /// Sets the parameters of every model to the start of the seed.
  virtual void initialise(std::uint64_t seed) = 0;
  /// The masks (M,Q,D) for the batch that the operations hold; the second path is the complement.
  virtual void masks(float* masks) = 0;
  /// From the gradients of the masks just made to its own parameters, and the step.
  virtual void back(const float* masks, const float* mask_gradients, const Update& update) = 0;

  /// The scores (M,D) by which features are ranked, read over several batches. `next` puts the next one into the
  /// operations and returns its rows, 0 after the last.
  virtual std::vector<float> scores(const std::function<std::size_t()>& next) = 0;

  /// Its parameters, for tests and for snapshots; `count` numbers for each model.
  virtual ParameterView parameters() = 0;
  virtual std::size_t parameter_count() const = 0;
};

/// Attention over the batch, masks by softmax of z and -z (or the remainder): FM with one path, CFM with two.
std::unique_ptr<MaskFamily> attention_mask(Ops& ops, const GroupShape& shape, const TrainOptions& options);

}  // namespace obverse
