#include "dataset/tasks.h"

#include <array>
#include <string>

#include <obverse/error.h>

#include "support/names.h"

namespace obverse {
namespace {

constexpr std::string_view kAccuracy = "accuracy";
constexpr std::string_view kVariance = "variance explained";

constexpr auto kTasks = std::to_array<TaskRecord>({
    {"auto",
     "for --target a class, or a quantity where it has fractions or many different numbers; for --targets labels or "
     "quantities",
     kAccuracy, true, false, true, true},
    {"classification", "a class", kAccuracy, true, true, true, false},
    {"multilabel", "labels (--targets)", kAccuracy, true, true, false, true},
    {"regression", "quantities", kVariance, false, true, true, true},
    {"reconstruction", "for data without a target the features themselves", kVariance, false, false, true, false},
});

}  // namespace

std::span<const TaskRecord> tasks() { return kTasks; }

const TaskRecord& record_of(Task task) { return kTasks[static_cast<std::size_t>(task)]; }

std::span<const std::string_view> names(Task) {
  static const auto kNames = names_of(tasks());
  return kNames;
}

std::string_view tasks_help() {
  static const std::string kHelp = [] {
    std::string help = "what is to be told from the features: ";
    for (const TaskRecord& task : tasks().subspan(1)) {
      const bool last = &task == &kTasks.back();
      help += cat(last ? "or " : "", task.told, last ? "; " : ", ");
    }
    return help + cat(kTasks.front().name, ": ", kTasks.front().told);
  }();
  return kHelp;
}

}  // namespace obverse
