// A group of networks trained in step: the masks of a family, the trunk behind them, and both losses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "backend/ops.h"
#include "backend/parameters.h"
#include "mask/family.h"

namespace obverse {

/// What one step needs beside the batch that the operations hold.
struct StepTargets {
  std::span<const std::int32_t> labels;         ///< (B)
  std::span<const std::int32_t> random_labels;  ///< (B); empty without a complement
};

/// Means over a batch.
struct Losses {
  std::vector<double> main;        ///< (M)
  std::vector<double> complement;  ///< (M) before gamma; zero without a complement
};

class Network {
 public:
  /// All models start alike; `gammas` (M) weigh their complementary losses.
  Network(Ops& ops, const GroupShape& shape, const TrainOptions& options, std::vector<float> gammas);

  void initialise(std::uint64_t seed);
  /// Gradients for the current batch, and the step that is counted from 1; step 0 makes gradients only.
  const Losses& step(const StepTargets& targets, std::uint64_t step);
  /// Loss of the main path and rows it gets right, without dropout; (M) each.
  void evaluate(std::span<const std::int32_t> labels, std::vector<double>& losses, std::vector<std::size_t>& hits);

  MaskFamily& family() { return *family_; }
  const Parameters& trunk() const { return trunk_; }
  const GroupShape& shape() const { return shape_; }

 private:
  TrunkArgs arguments(const StepTargets& targets);

  Ops& ops_;
  GroupShape shape_;
  TrainOptions options_;
  std::vector<float> gammas_;
  TrunkLayout layout_;
  std::unique_ptr<MaskFamily> family_;
  Parameters trunk_;
  Buffer masks_;                     // (M,Q,D)
  Buffer mask_gradients_;            // (M,Q,D)
  std::vector<double> path_losses_;  // (M,Q)
  Losses losses_;
};

}  // namespace obverse
