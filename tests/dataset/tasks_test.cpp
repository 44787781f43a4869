#include "dataset/tasks.h"

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(Tasks, StandInTheOrderOfTheirEnumerators) {
  EXPECT_EQ(tasks().size(), names(Task{}).size());
  EXPECT_EQ(record_of(Task::automatic).name, "auto");
  EXPECT_EQ(record_of(Task::classification).name, "classification");
  EXPECT_EQ(record_of(Task::multilabel).name, "multilabel");
  EXPECT_EQ(record_of(Task::regression).name, "regression");
  EXPECT_EQ(record_of(Task::reconstruction).name, "reconstruction");
}

TEST(Tasks, AreAllInTheHelp) {
  EXPECT_EQ(tasks_help(),
            "what is to be told from the features: a class, labels (--targets), quantities, or for data without a "
            "target the features themselves; auto: for --target a class, or a quantity where it has fractions or many "
            "different numbers; for --targets labels or quantities");
}

}  // namespace
}  // namespace obverse
