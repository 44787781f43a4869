#include "resampling/curve.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "resampling/verdict.h"
#include "support/random.h"

namespace obverse {
namespace {

const Metric& accuracy_metric() { return metrics_of(Task::classification).front(); }

/// Predictions of two classes in five folds: of each size the given share of the rows is right.
HeldOut held_out(std::size_t rows, const std::vector<double>& right) {
  HeldOut held;
  Target truth{.classes = 2};
  RandomStream random(1, Purpose::generation);
  for (std::size_t r = 0; r < rows; ++r) {
    truth.labels.push_back(static_cast<std::int32_t>(r % 2));
    held.fold.push_back(static_cast<std::uint32_t>(5 * r / rows));
  }
  for (const double share : right) {
    Prediction prediction{.outputs = 2, .values = {}};
    for (std::size_t r = 0; r < rows; ++r) {
      const bool is_right = random.uniform() < share;
      const float one = (truth.labels[r] == 1) == is_right ? 0.9F : 0.1F;
      prediction.values.insert(prediction.values.end(), {1 - one, one});
    }
    held.selected.push_back({prediction});
    held.random.push_back({prediction});
    held.all = {prediction};
  }
  Prediction majority{.outputs = 2, .values = {}};
  for (std::size_t r = 0; r < rows; ++r) majority.values.insert(majority.values.end(), {0.6F, 0.4F});
  held.constant = {majority};
  held.random_rows = rows;
  held.truth = {truth};
  return held;
}

TEST(SizeRules, AreReadAndRefused) {
  EXPECT_EQ(size_rule("best").kind, SizeRule::Kind::best);
  EXPECT_EQ(size_rule("one-se").kind, SizeRule::Kind::one_se);
  EXPECT_EQ(size_rule("tolerance=0.02").tolerance, 0.02);
  for (const char* bad : {"", "two-se", "tolerance", "tolerance=", "tolerance=-1", "tolerance=1x"}) {
    EXPECT_THROW(size_rule(bad), Error) << bad;
  }
}

TEST(ScoredSizes, ChooseTheSmallestSizeThatTheRuleAllows) {
  const HeldOut held = held_out(2000, {0.6, 0.85, 0.87, 0.9});
  const std::vector<std::size_t> sizes{1, 2, 3, 5};
  Team team(2);
  const ScoredSizes scored(held, sizes, accuracy_metric(), 0, team);
  EXPECT_EQ(scored.choose({SizeRule::Kind::best}).point, 3U);
  EXPECT_EQ(scored.choose({SizeRule::Kind::one_se}).point, 3U) << "one standard error is about a point";
  EXPECT_EQ(scored.choose({SizeRule::Kind::tolerance, 0.08}).point, 1U);
  EXPECT_EQ(scored.choose({SizeRule::Kind::tolerance, 1}).point, 0U);
}

TEST(ScoredSizes, HaveIntervalsOfNadeauAndBengio) {
  const HeldOut held = held_out(2000, {0.8});
  const std::vector<std::size_t> sizes{1};
  Team team(1);
  const Curve curve = ScoredSizes(held, sizes, accuracy_metric(), 0, team).curve(10);
  ASSERT_EQ(curve.points.size(), 1U);
  EXPECT_NEAR(curve.points[0].score, 0.8, 0.03);
  // sqrt(0.8 x 0.2 / 2000), times 1.96 and sqrt(1 + 5 / 4).
  EXPECT_NEAR(curve.points[0].high - curve.points[0].score, 1.96 * 0.00894 * 1.5, 0.004);
  EXPECT_EQ(curve.base_rate, 0.5);
  EXPECT_EQ(curve.all.k, 10U);
}

TEST(ScoredSizes, AreNotSureOfAllRightAnswers) {
  const HeldOut held = held_out(50, {1.0});
  const std::vector<std::size_t> sizes{1};
  Team team(1);
  const Curve curve = ScoredSizes(held, sizes, accuracy_metric(), 0, team).curve(10);
  EXPECT_EQ(curve.points[0].score, 1);
  EXPECT_EQ(curve.points[0].high, 1);
  EXPECT_LT(curve.points[0].low, 0.97);
}

TEST(ScoredSizes, CountWhatChoosingAmongEqualSizesAdds) {
  const HeldOut held = held_out(200, std::vector<double>(10, 0.5));
  const std::vector<std::size_t> sizes{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  Team team(2);
  const ScoredSizes scored(held, sizes, accuracy_metric(), 0, team);
  // The largest of ten independent means of 200 answers lies 1.54 deviations of 0.035 above their mean.
  EXPECT_GT(scored.optimism({SizeRule::Kind::best}), 0.02);
  EXPECT_LT(scored.optimism({SizeRule::Kind::best}), 0.08);
  const HeldOut alone = held_out(200, {0.5});
  const std::vector<std::size_t> one{1};
  EXPECT_NEAR(ScoredSizes(alone, one, accuracy_metric(), 0, team).optimism({SizeRule::Kind::best}), 0, 0.01);
}

TEST(ScoredSizes, AreTheSameForEveryTeam) {
  const HeldOut held = held_out(300, {0.7, 0.8});
  const std::vector<std::size_t> sizes{1, 2};
  Team one(1);
  Team three(3);
  const Curve a = ScoredSizes(held, sizes, accuracy_metric(), 7, one).curve(5);
  const Curve b = ScoredSizes(held, sizes, accuracy_metric(), 7, three).curve(5);
  EXPECT_EQ(a.points[1].low, b.points[1].low);
  EXPECT_EQ(permutation_p(held, accuracy_metric(), 7, one), permutation_p(held, accuracy_metric(), 7, three));
}

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

}  // namespace
}  // namespace obverse
