// A group of networks trained in step: the masks of a family, the trunk behind them, and both losses.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "backend/ops.h"
#include "backend/parameters.h"
#include "mask/family.h"

namespace obverse {

/// What one step needs beside the batch that the operations hold.
struct StepTargets {
  PathTargets main;
  PathTargets complement = {};          ///< drawn for this step; empty without a complement
  std::span<const float> weights = {};  ///< (S,B); none: all alike
};

/// Means over rows.
struct Losses {
  std::vector<double> main;        ///< (M)
  std::vector<double> complement;  ///< (M) before gamma; zero without a complement
};

class Network {
 public:
  /// All models start alike; `gammas` (M) weigh their complementary losses.
  Network(Ops& ops, const GroupShape& shape, const TrainOptions& options, const MaskSpec& mask,
          std::vector<float> gammas);

  /// A seed (S) for the models of each batch.
  void initialise(std::span<const std::uint64_t> seeds);
  /// Whether a step needs no word of the host, so that `Ops::begin_step` may stand before its batch.
  bool on_device() const { return family_->on_device() && complement_loss_ == nullptr; }
  /// Gradients for the current batches, and the step that is counted from 1; step 0 makes gradients only.
  void step(const StepTargets& targets, std::uint64_t step);
  /// Of the steps since the last call, over so many rows of each batch. Waits for the device.
  Losses take_losses(std::size_t rows);
  /// Adds the losses of the current batches, without dropout, and what is right of them to the totals of the
  /// operations; `weights` (S,B) of the rows, none: all alike.
  void evaluate(const PathTargets& targets, std::span<const float> weights = {});

  MaskFamily& family() { return *family_; }
  const Parameters& trunk() const { return trunk_; }
  const GroupShape& shape() const { return shape_; }

 private:
  void let_kept_through();
  void make_masks(std::span<const MaskStep> steps);
  void masks_back(std::span<const MaskStep> steps, const Update& update);
  TrunkArgs arguments(const StepTargets& targets);
  std::vector<MaskStep> mask_steps(std::uint64_t number) const;

  Ops& ops_;
  GroupShape shape_;
  TrainOptions options_;
  std::vector<float> gammas_;
  std::size_t selected_;
  std::uint64_t steps_;
  double mask_rate_;
  std::shared_ptr<const ComplementaryLoss> complement_loss_;
  std::vector<std::uint64_t> seeds_;  // (S)
  std::uint64_t done_ = 0;            // steps
  TrunkLayout layout_;
  std::unique_ptr<MaskFamily> family_;
  Parameters trunk_;
  Buffer masks_;           // (M,Q,D)
  Buffer mask_gradients_;  // (M,Q,D)
  // What the family sees where features may have several columns; none where it sees the above.
  Buffer entries_;          // (M,Q,E)
  Buffer entry_gradients_;  // (M,Q,E)
};

}  // namespace obverse
