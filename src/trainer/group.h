// The training of one group: models of one recipe that are trained side by side. Those of one seed share their batches
// and differ in gamma.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

#include "backend/device.h"
#include "dataset/scaling.h"
#include "network/network.h"
#include "support/clock.h"
#include "support/team.h"
#include "trainer/sweep.h"

namespace obverse {

/// What all groups of a sweep share while they run.
struct SweepState {
  std::atomic<std::uint64_t> rows_done{0};  ///< rows times models
  std::atomic<bool> stop{false};
  Deadline deadline = {};  ///< behind which a group ends after its first step, with what it has learned by then
};

struct GroupSpec {
  TrainOptions train;
  std::vector<std::uint64_t> seeds;  ///< (S)
  std::vector<double> gammas;        ///< of every seed; all 0, or all above
  MaskSpec mask = {};
  KeepSpec keep = {};
};

/// Bytes of the device's memory that the group takes beside the data.
std::size_t group_bytes(const Dataset& train, const GroupSpec& spec, const Device& device);

/// Trains the group from its start to its scores; one result for each gamma of each seed, by seeds. Throws
/// Fault::stopped when asked to.
std::vector<Model> train_group(const Dataset& train, const Dataset* validation, const Affine& scaling,
                               const GroupSpec& spec, const Device& device, Team& team, SweepState& state);

}  // namespace obverse
