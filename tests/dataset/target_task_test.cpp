// The rule for targets that can be read in two ways, on the shapes of real ones.
#include "dataset/target_task.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "support/random.h"

namespace obverse {
namespace {

using Counts = std::vector<std::size_t>;

/// Values from 0, one for each count.
TargetTask task_of_counts(const Counts& rows) {
  std::vector<double> values(rows.size());
  std::iota(values.begin(), values.end(), 0.0);
  return task_of_numbers(values, rows);
}

bool is_quantity(const Counts& rows) { return task_of_counts(rows).task == Task::regression; }

TargetTask task_of_texts(const std::vector<std::string>& texts) {
  LabelCollector labels;
  for (const std::string& text : texts) labels.add(text);
  return task_of(labels.take());
}

/// How often each whole number comes among the drawn ones; values that never come are left out.
template <class Draw>
Counts drawn(std::size_t rows, const Draw& draw) {
  std::vector<long> values(rows);
  for (long& value : values) value = std::lround(draw());
  std::sort(values.begin(), values.end());
  Counts counts;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == 0 || values[i] != values[i - 1]) counts.push_back(0);
    ++counts.back();
  }
  return counts;
}

TEST(TargetTask, ClassesAreEvenWhateverTheirNumber) {
  EXPECT_FALSE(is_quantity(Counts(2, 1)));
  EXPECT_FALSE(is_quantity(Counts(10, 180)));  // digits
  EXPECT_FALSE(is_quantity(Counts(26, 60)));   // isolet
  EXPECT_FALSE(is_quantity(Counts(40, 10)));   // faces of 40 people
  EXPECT_FALSE(is_quantity(Counts(100, 16)));  // leaves of 100 plants
  EXPECT_FALSE(is_quantity(Counts(300, 16)));
  EXPECT_FALSE(is_quantity(Counts(1000, 108)));  // objects on a turntable
}

TEST(TargetTask, FewDifferentNumbersAreClasses) {
  EXPECT_FALSE(is_quantity({20, 163, 1457, 2198, 880, 175, 5}));                            // wine, quality from 3 to 9
  EXPECT_FALSE(is_quantity({245, 44, 15, 15, 13, 25, 3, 2, 9, 50, 4, 5, 22}));              // diagnoses of arrhythmia
  EXPECT_FALSE(is_quantity({513702, 433097, 48828, 21634, 3978, 2050, 1460, 236, 17, 8}));  // hands of poker
  EXPECT_FALSE(is_quantity(Counts(5, 1)));
}

TEST(TargetTask, ClassesMayBeAsSkewedAsWords) {
  for (const std::size_t classes : {30U, 100U, 1000U}) {
    Counts rows;
    for (std::size_t c = 1; c <= classes; ++c) rows.push_back(100000 / c);  // Zipf's law
    EXPECT_FALSE(is_quantity(rows)) << classes;
  }
}

TEST(TargetTask, WhatIsMeasuredOrCountedIsAQuantity) {
  RandomStream random(1, Purpose::generation, 0);
  for (const std::size_t rows : {200U, 1000U, 30000U}) {
    EXPECT_TRUE(is_quantity(drawn(rows, [&] { return 40 + 13 * random.normal(); }))) << rows;             // ages
    EXPECT_TRUE(is_quantity(drawn(rows, [&] { return -20 * std::log(1 - random.uniform()); }))) << rows;  // counts
    EXPECT_TRUE(is_quantity(drawn(rows, [&] { return 2011 + 12 * std::log(1 - random.uniform()); }))) << rows;  // years
  }
  EXPECT_TRUE(is_quantity(drawn(442, [&] { return 150 + 77 * random.normal(); })));  // like diabetes: 214 in 442 rows
  EXPECT_TRUE(is_quantity(drawn(400, [&] { return 100 * random.uniform(); })));      // percentages
  EXPECT_TRUE(is_quantity({1,   1,  15, 57, 115, 259, 391, 568, 689, 634, 487, 267, 203, 126,  // rings of abalones
                           103, 67, 58, 42, 32,  26,  14,  6,   9,   2,   1,   1,   2,   1}));
}

TEST(TargetTask, NumbersThatHardlyRepeatAreAQuantity) {
  EXPECT_TRUE(is_quantity(Counts(400, 1)));            // identifiers, which the note shows
  EXPECT_TRUE(is_quantity({2, 2, 1, 1, 1, 1, 1, 1}));  // eight in ten rows
  EXPECT_FALSE(is_quantity({2, 2, 2, 2, 2}));
  EXPECT_FALSE(is_quantity({4, 4, 4, 4, 4, 4, 4, 1}));
}

TEST(TargetTask, FractionsAreAQuantity) {
  EXPECT_EQ(task_of_texts({"0.5", "1", "0.5", "1"}).task, Task::regression);
  EXPECT_EQ(task_of_texts({"1.0", "2.0", "1", "2e0"}).task, Task::classification);
  EXPECT_EQ(task_of_texts({"-1", "+1", "-1"}).task, Task::classification);
}

TEST(TargetTask, WordsAndDeclaredClassesAreClasses) {
  LabelCollector words;
  LabelCollector numbers;
  for (int i = 0; i < 60; ++i) {
    words.add(cat("part ", i));
    numbers.add(std::to_string(i));
  }
  EXPECT_EQ(task_of(words.take()).task, Task::classification);
  LabelColumn column = numbers.take();
  EXPECT_EQ(task_of(column).task, Task::regression);
  column.declared_classes = true;
  EXPECT_EQ(task_of(column).task, Task::classification);
  EXPECT_EQ(task_of_texts({"true", "false", "true"}).task, Task::classification);
}

TEST(TargetTask, MissingValuesMakeNoWordsOfNumbers) {
  LabelCollector labels;
  for (int i = 0; i < 60; ++i) labels.add(i == 7 ? "NA" : std::to_string(i * 3));
  EXPECT_EQ(task_of(labels.take()).task, Task::regression);
  EXPECT_EQ(task_of_texts({"NA", "?", "nan"}).task, Task::classification);
}

TEST(TargetTask, SaysWhatItTookAndHowToSayOtherwise) {
  Counts diabetes(214, 2);
  std::fill_n(diabetes.begin(), 100, 1);
  diabetes.back() = 116;
  const TargetTask target = task_of_counts(diabetes);
  EXPECT_EQ(other_task(target), Task::classification);
  EXPECT_EQ(task_note(target, "progression", "--task classification"),
            "target 'progression' has 214 different numbers in 442 rows: taken as a quantity; say --task "
            "classification if these are classes");
  const TargetTask letters = task_of_counts(Counts(26, 60));
  EXPECT_EQ(other_task(letters), Task::regression);
  EXPECT_EQ(task_note(letters, "Y", "--task regression"),
            "target 'Y' has 26 different numbers in 1,560 rows: taken as classes; say --task regression if it is a "
            "quantity");
  EXPECT_EQ(task_note(task_of_texts({"0.5", "1"}), "dose", "task='classification'"),
            "target 'dose' has 2 different numbers, with fractions, in 2 rows: taken as a quantity; say "
            "task='classification' if these are classes");
  EXPECT_EQ(task_note(task_of_counts(Counts(10, 180)), "digit", "--task regression"), "");
}

}  // namespace
}  // namespace obverse
