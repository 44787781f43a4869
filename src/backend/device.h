// What trains networks and finds neighbours. A device is chosen once, by the word of the option `device`, and handed
// on; nobody asks which one it is. Another kind of device is a folder beside cpu/ and cuda/ and a line in device.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backend/feature_rows.h"
#include "backend/ops.h"

namespace obverse {

/// What stays on a device, or is set aside there, while somebody holds it.
using Held = std::shared_ptr<const void>;

struct DeviceMemory {
  std::size_t free = 0;
  std::size_t total = 0;
};

/// For each test row the nearest training rows.
struct RowSearch {
  const FeatureRows& train;
  const FeatureRows& test;
  bool bytes = false;  ///< the rows are of bytes, and compared as they are stored
  /// At least 1, and no more than there are training rows, beside the own one where it is left out.
  std::size_t neighbours = 1;
  bool leave_own_out = false;  ///< test rows are the training rows
};

class Device {
 public:
  virtual ~Device() = default;

  /// As a user names it: cpu, cuda, cuda:1.
  virtual std::string name() const = 0;
  /// As a message calls it: processor, GPU.
  virtual std::string_view title() const = 0;

  /// The fastest precision that training does well with.
  virtual Precision preferred_precision() const = 0;
  /// Throws Error unless it computes in this precision.
  virtual void require_precision(Precision precision) const = 0;
  /// Resolves `auto`; returns any other precision unchanged.
  Precision precision(Precision asked) const { return asked == Precision::automatic ? preferred_precision() : asked; }

  /// Operations for a group of models; a device that has no threads uses the team.
  virtual std::unique_ptr<Ops> make_ops(const GroupShape& shape, Team& team) const = 0;
  /// Whether one group of as many models as fit is trained fastest, rather than a group on each thread.
  virtual bool prefers_wide_groups() const = 0;

  /// Bytes as they are now.
  virtual DeviceMemory memory() const = 0;
  // What follows is for memory that the groups of this process have to share. A device that computes in the memory of
  // the host, which --max-memory bounds, sets no limit, counts nothing and has nothing to hold.
  /// Bytes that all groups may take together.
  virtual std::size_t capacity() const { return std::numeric_limits<std::size_t>::max(); }
  /// Bytes that a group takes in addition to the data; `hidden`: units of its mask network.
  virtual std::size_t group_bytes(const GroupShape& /*shape*/, std::size_t /*hidden*/) const { return 0; }
  /// A share of the capacity; waits until others have returned theirs.
  virtual Held reserve(std::size_t /*bytes*/) const { return {}; }
  /// The values of a data set: loaded for the first who asks, and shared while somebody holds them.
  virtual Held hold(const Dataset& /*data*/) const { return {}; }

  /// (test rows, neighbours) row numbers of train, nearest first, equal distances by lower row number. Distances are
  /// the same on every device to the last bit: squares of differences in double, each rounded, summed in the order of
  /// the features.
  virtual std::vector<std::uint32_t> nearest_rows(const RowSearch& search, Team& team) const = 0;
};

/// The device that a word names: cpu, cuda, cuda:N, or for `auto` the first GPU if it can be used and the processor
/// otherwise. Throws Error for any other word and for a device that cannot be used. It lives as long as the process.
const Device& device_named(std::string_view word);

/// The device `cpu`, which is always there.
const Device& processor();

/// Puts the name of a device in the place of `auto`, and the reason among the notes for the user.
void settle_device(std::string& word, std::vector<std::string>& notes);

}  // namespace obverse
