// A complementary loss: what the network behind the complement of a mask is trained for, so that the features which it
// lets through tell as little as possible. docs/extend.md walks through one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace obverse {

/// Some rows of a batch. Outputs are those of the heads, before any softmax.
struct LossRows {
  std::size_t rows = 0;
  std::size_t outputs = 0;                           ///< C
  std::size_t stride = 0;                            ///< from one row to the next of outputs and gradients
  const float* main = nullptr;                       ///< (rows, C) behind the mask
  const float* complement = nullptr;                 ///< (rows, C) behind its complement
  std::span<const std::int32_t> labels = {};         ///< (rows) classes; empty for other tasks
  std::span<const std::int32_t> random_labels = {};  ///< (rows) drawn for this step
  std::span<const float> values = {};                ///< (rows, C) labels as 0 and 1, or standardised quantities
  std::span<const float> random_values = {};         ///< (rows, C) those of a random training row
  float* main_gradient = nullptr;                    ///< (rows, C), zero; to be added to
  float* complement_gradient = nullptr;              ///< (rows, C), zero; to be added to
};

/// Called by several threads at once, each with rows of its own.
class ComplementaryLoss {
 public:
  virtual ~ComplementaryLoss() = default;
  /// The sum of the loss over the rows, and its gradients. The engine takes the mean over the batch, by the weights of
  /// the rows, times gamma.
  virtual double add(const LossRows& rows) const = 0;
};

}  // namespace obverse
