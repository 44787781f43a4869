// What can be told from the features; the only list of tasks.
#pragma once

#include <span>
#include <string_view>

#include <obverse/dataset.h>

namespace obverse {

struct TaskRecord {
  std::string_view name;     ///< as it is typed
  std::string_view told;     ///< from the features, in words
  std::string_view measure;  ///< by which predictions are measured
  bool of_classes;           ///< what is told are classes or labels; false: values
  bool needs_target;
  bool one_column;       ///< of targets is fine
  bool several_columns;  ///< of targets are fine
};

/// In the order of the enumerators of Task.
std::span<const TaskRecord> tasks();
const TaskRecord& record_of(Task task);

}  // namespace obverse
