// The complementary losses that --complement-loss names.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <obverse/loss.h>
#include <obverse/options.h>

namespace obverse {

struct ComplementLoss {
  /// What it is defined for, each with what stands before it.
  enum class Tasks { classes, targets, everything };

  std::string_view name;
  Tasks tasks;
  std::string_view limits;  ///< why it does not go with other tasks
  /// Of classes. Gives none for random labels: that is the cross entropy of the main path again, which the operations
  /// have.
  std::shared_ptr<const ComplementaryLoss> (*make)();
  bool expected;  ///< labels and quantities are held against their mean instead of a random row

  bool goes_with(Task task) const {
    if (task == Task::classification) return true;
    return tasks == Tasks::everything || (tasks == Tasks::targets && task != Task::reconstruction);
  }
};

/// The only list of them.
std::span<const ComplementLoss> complement_losses();
/// Throws Error for a name that none has.
const ComplementLoss& complement_loss_named(std::string_view name);

}  // namespace obverse
