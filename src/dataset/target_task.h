// With task `auto`: whether a target column holds classes or a quantity. One rule for files and for Python.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <obverse/dataset.h>

#include "readers/table.h"

namespace obverse {

struct TargetTask {
  Task task = Task::classification;
  std::string reason = {};  ///< in words; empty where the target leaves no doubt
};

/// Of a target that is all numbers: its different `values`, and how many `rows` hold each of them.
TargetTask task_of_numbers(std::span<const double> values, std::span<const std::size_t> rows);

/// Words are classes, and so are the labels that a file declares as classes.
TargetTask task_of(const LabelColumn& column);

/// What the user may ask for if the rule is wrong about the target.
Task other_task(const TargetTask& target);

/// One line for the user; `option` asks for the other task: `--task classification`. Empty where there is no doubt.
std::string task_note(const TargetTask& target, std::string_view name, std::string_view option);

/// What the values of a target are; `fractions` are numbers too.
enum class LabelKind { words, whole_numbers, fractions };

/// Throws Error where there are too many different labels for classes. `where` begins the message: file and target.
void require_repeated_labels(std::size_t classes, std::size_t rows, LabelKind kind, const std::string& where);

}  // namespace obverse
