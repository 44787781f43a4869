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
  std::span<const float> weights = {};  ///< (B); none: all alike
};

/// Means over a batch.
struct Losses {
  std::vector<double> main;        ///< (M)
  std::vector<double> complement;  ///< (M) before gamma; zero without a complement
};

/// The mask of a group of models, what it is trained for and how long.
struct MaskPlan {
  std::string method = "fm";                           ///< the family
  bool remainder = false;                              ///< the complement is what the mask leaves of one
  MakeMask own = {};                                   ///< in place of the family
  std::size_t selected = 1;                            ///< k
  std::uint64_t steps = 1;                             ///< of the whole training
  std::shared_ptr<const ComplementaryLoss> loss = {};  ///< of the second path; none: random labels
};

class Network {
 public:
  /// All models start alike; `gammas` (M) weigh their complementary losses.
  Network(Ops& ops, const GroupShape& shape, const TrainOptions& options, const MaskPlan& mask,
          std::vector<float> gammas);

  void initialise(std::uint64_t seed);
  /// Gradients for the current batch, and the step that is counted from 1; step 0 makes gradients only.
  const Losses& step(const StepTargets& targets, std::uint64_t step);
  /// Loss of the main path and the rows or outputs it gets right, without dropout; (M) each.
  void evaluate(const PathTargets& targets, std::vector<double>& losses, std::vector<std::size_t>& hits);

  MaskFamily& family() { return *family_; }
  const Parameters& trunk() const { return trunk_; }
  const GroupShape& shape() const { return shape_; }

 private:
  TrunkArgs arguments(const StepTargets& targets);
  MaskStep mask_step(std::uint64_t number) const;

  Ops& ops_;
  GroupShape shape_;
  TrainOptions options_;
  std::vector<float> gammas_;
  std::size_t selected_;
  std::uint64_t steps_;
  double mask_rate_;
  std::shared_ptr<const ComplementaryLoss> complement_loss_;
  std::uint64_t seed_ = 0;
  std::uint64_t done_ = 0;  // steps
  TrunkLayout layout_;
  std::unique_ptr<MaskFamily> family_;
  Parameters trunk_;
  Buffer masks_;                     // (M,Q,D)
  Buffer mask_gradients_;            // (M,Q,D)
  std::vector<double> path_losses_;  // (M,Q)
  Losses losses_;
};

}  // namespace obverse
