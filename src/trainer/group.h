// The training of one group: models of one recipe and seed that share their batches and differ in gamma.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "network/network.h"
#include "support/team.h"
#include "trainer/sweep.h"

namespace obverse {

/// What all groups of a sweep share while they run.
struct SweepState {
  std::atomic<std::uint64_t> rows_done{0};  ///< rows times models
  std::atomic<bool> stop{false};
};

struct GroupSpec {
  TrainOptions train;
  std::uint64_t seed = 0;
  std::vector<double> gammas;  ///< all 0, or all above
  ModelMask mask = {};
};

/// Trains the group from its start to its scores; one result for each gamma. Throws Fault::stopped when asked to.
std::vector<TrainedModel> train_group(const Dataset& train, const Dataset* validation, const Affine& scaling,
                                      const GroupSpec& spec, Team& team, SweepState& state);

}  // namespace obverse
