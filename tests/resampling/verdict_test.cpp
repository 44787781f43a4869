#include "resampling/verdict.h"

#include <gtest/gtest.h>

#include "resampling/held_out_sample.h"

namespace obverse {
namespace {

using test::accuracy_metric;
using test::held_out;

TEST(Permutations, FindASignalAndNoneInNoise) {
  Team team(2);
  EXPECT_EQ(permutation_p(held_out(300, {0.5, 0.7}), accuracy_metric(), 0, team), 0.001);
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    HeldOut held = held_out(100, {0.5, 0.5, 0.5});
    RandomStream(seed, Purpose::sampling).shuffle(std::span(held.truth[0].labels));
    found += permutation_p(held, accuracy_metric(), seed, team) < 0.05 ? 1 : 0;
  }
  EXPECT_LE(found, 4) << "expected one in twenty";
}

TEST(Permutations, MoveGroupsOfOneTargetWhole) {
  // Four groups of 50 rows, each of one class, and predictions that know the groups: as rows that is certain, as groups
  // it is one of six orders of two and two.
  HeldOut held = held_out(200, {1.0});
  held.group.resize(200);
  for (std::size_t r = 0; r < 200; ++r) {
    held.fold[r] = 0;
    held.group[r] = static_cast<std::uint32_t>(r / 50);
    held.truth[0].labels[r] = static_cast<std::int32_t>(r / 50 % 2);
    const float one = held.truth[0].labels[r] == 1 ? 0.9F : 0.1F;
    held.selected[0][0].values[2 * r] = 1 - one;
    held.selected[0][0].values[2 * r + 1] = one;
  }
  Team team(1);
  EXPECT_NEAR(permutation_p(held, accuracy_metric(), 0, team), 1.0 / 6, 0.04);
  held.group.clear();
  EXPECT_EQ(permutation_p(held, accuracy_metric(), 0, team), 0.001);
}

TEST(Permutations, ShiftTargetsInTime) {
  // A target that keeps its value for long and predictions that are right on half of a period: many shifts do as well.
  HeldOut held = held_out(200, {1.0});
  held.time.resize(200);
  for (std::size_t r = 0; r < 200; ++r) {
    held.fold[r] = 0;
    held.time[r] = static_cast<double>(r);
    held.truth[0].labels[r] = r < 100 ? 0 : 1;
    const float one = r < 60 || r >= 160 ? 0.1F : 0.9F;
    held.selected[0][0].values[2 * r] = 1 - one;
    held.selected[0][0].values[2 * r + 1] = one;
  }
  Team team(1);
  EXPECT_GT(permutation_p(held, accuracy_metric(), 0, team), 0.2);
}

TEST(Permutations, AreTheSameForEveryTeam) {
  const HeldOut held = held_out(300, {0.52, 0.54});
  Team one(1);
  Team three(3);
  EXPECT_EQ(permutation_p(held, accuracy_metric(), 7, one), permutation_p(held, accuracy_metric(), 7, three));
}

/// Noise with 20 columns, predicted by the mean of the training targets weighted by likeness: sum_j <x_i, x_j> y_j.
HeldOut by_likeness(std::size_t rows, std::uint64_t seed) {
  constexpr std::size_t kColumns = 20;
  RandomStream random(seed, Purpose::generation);
  std::vector<double> x(rows * kColumns);
  for (double& value : x) value = random.normal();
  HeldOut held;
  Target truth;
  for (std::size_t r = 0; r < rows; ++r) {
    truth.values.push_back(static_cast<float>(random.normal()));
    held.fold.push_back(static_cast<std::uint32_t>(5 * r / rows));
  }
  Prediction prediction;
  for (std::size_t i = 0; i < rows; ++i) {
    double sum = 0;
    for (std::size_t j = 0; j < rows; ++j) {
      if (held.fold[j] == held.fold[i]) continue;
      for (std::size_t c = 0; c < kColumns; ++c) {
        sum += x[i * kColumns + c] * x[j * kColumns + c] * static_cast<double>(truth.values[j]);
      }
    }
    prediction.values.push_back(static_cast<float>(0.1 * sum / static_cast<double>(rows)));
  }
  held.selected = {{prediction}};
  held.truth = {truth};
  return held;
}

TEST(Permutations, HeedThatFoldsPredictEachOther) {
  // Every pair of rows counts twice, so that permutations alone would call 12 % of such noise a signal: that share of
  // a normal distribution lies 1.645 / sqrt(2) above its mean.
  Team team(2);
  int found = 0;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    found += permutation_p(by_likeness(100, seed), metrics_of(Task::regression).front(), seed, team) < 0.05 ? 1 : 0;
  }
  EXPECT_GE(found, 5);
  EXPECT_LE(found, 25);
}

/// Ten columns told from the first: the fifth holds the same up to noise of this deviation, the others have nothing to
/// do with it. What is said of them is drawn at random.
HeldOut told_from_first(double deviation, std::uint64_t seed) {
  constexpr std::size_t kRows = 200;
  constexpr std::size_t kColumns = 10;
  RandomStream random(seed, Purpose::generation);
  HeldOut held;
  Target truth{.classes = 0, .labels = {}, .values = {}, .columns = kColumns};
  Prediction prediction{.outputs = kColumns, .values = {}};
  for (std::size_t r = 0; r < kRows; ++r) {
    held.fold.push_back(static_cast<std::uint32_t>(5 * r / kRows));
    const auto first = static_cast<float>(random.normal());
    for (std::size_t c = 0; c < kColumns; ++c) {
      truth.values.push_back(c == 0 ? first : static_cast<float>(random.normal()));
      prediction.values.push_back(c == 0 ? first : static_cast<float>(0.3 * random.normal()));
    }
    if (deviation < 10) {
      truth.values[r * kColumns + 5] = first + static_cast<float>(deviation * random.normal());
      prediction.values[r * kColumns + 5] = first;
    }
  }
  held.selected = {{prediction}};
  held.truth = {truth};
  std::vector<char> given(kColumns, 0);
  given[0] = 1;
  held.given.assign(5, {given});
  return held;
}

TEST(Permutations, TellWhetherColumnsKnowOfEachOther) {
  const Metric& r2 = metrics_of(Task::reconstruction).front();
  Team team(2);
  EXPECT_EQ(permutation_p(told_from_first(0.3, 1), r2, 0, team), 0.001);
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    found += permutation_p(told_from_first(100, seed), r2, seed, team) < 0.05 ? 1 : 0;
  }
  EXPECT_LE(found, 3) << "the column that was selected explains itself and nothing else";
}

TEST(Permutations, KeepNeighbouringRowsOfColumnsTogether) {
  // Two columns that drift by themselves look alike for long: with times they are shifted, and half a signal is none.
  HeldOut held = told_from_first(100, 3);
  for (std::size_t r = 0; r < held.rows(); ++r) {
    held.fold[r] = 0;
    held.truth[0].values[r * 10 + 5] = r < 100 ? -1.0F : 1.0F;
    held.selected[0][0].values[r * 10 + 5] = r < 60 || r >= 160 ? -1.0F : 1.0F;
  }
  const Metric& r2 = metrics_of(Task::reconstruction).front();
  Team team(1);
  EXPECT_LT(permutation_p(held, r2, 0, team), 0.03);
  for (std::size_t r = 0; r < held.rows(); ++r) held.time.push_back(static_cast<double>(r));
  EXPECT_GT(permutation_p(held, r2, 0, team), 0.1);
}

}  // namespace
}  // namespace obverse
