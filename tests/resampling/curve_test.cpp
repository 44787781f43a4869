#include "resampling/curve.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

#include "resampling/held_out_sample.h"

namespace obverse {
namespace {

using test::accuracy_metric;
using test::held_out;

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
  Team team(2);
  const ScoredSizes scored(held, accuracy_metric(), 0, team);
  EXPECT_EQ(scored.choose({SizeRule::Kind::best}, 10).point, 3U);
  EXPECT_EQ(scored.choose({SizeRule::Kind::one_se}, 10).point, 3U) << "one standard error is about a point";
  EXPECT_EQ(scored.choose({SizeRule::Kind::tolerance, 0.08}, 10).point, 1U);
  EXPECT_EQ(scored.choose({SizeRule::Kind::tolerance, 1}, 10).point, 0U);
}

TEST(ScoredSizes, SaySoWhereMoreFeaturesThanWereTriedAreBetter) {
  HeldOut held = held_out(2000, {0.6, 0.8, 0.95});
  held.all = held.selected.back();  // 0.95
  held.sizes.pop_back();
  held.selected.pop_back();
  Team team(1);
  const ScoredSizes rising(held, accuracy_metric(), 0, team);
  EXPECT_NE(rising.choose({SizeRule::Kind::best}, 10).reason.find("the most that were tried; all 10 features reach 9"),
            std::string::npos);
  EXPECT_EQ(rising.choose({SizeRule::Kind::best}, 2).reason, "best of 2 sizes") << "2 are all there are";
  held.all = held.selected.front();  // 0.6
  EXPECT_EQ(ScoredSizes(held, accuracy_metric(), 0, team).choose({SizeRule::Kind::best}, 10).reason, "best of 2 sizes");
}

TEST(ScoredSizes, HaveIntervalsOfNadeauAndBengio) {
  const HeldOut held = held_out(2000, {0.8});
  Team team(1);
  const Curve curve = ScoredSizes(held, accuracy_metric(), 0, team).curve(10);
  ASSERT_EQ(curve.points.size(), 1U);
  EXPECT_NEAR(curve.points[0].score, 0.8, 0.03);
  // sqrt(0.8 x 0.2 / 2000), times 1.96 and sqrt(1 + 5 / 4).
  EXPECT_NEAR(curve.points[0].high - curve.points[0].score, 1.96 * 0.00894 * 1.5, 0.004);
  EXPECT_EQ(curve.base_rate, 0.5);
  EXPECT_EQ(curve.all.k, 10U);
}

TEST(ScoredSizes, AreNotSureOfAllRightAnswers) {
  const HeldOut held = held_out(50, {1.0});
  Team team(1);
  const Curve curve = ScoredSizes(held, accuracy_metric(), 0, team).curve(10);
  EXPECT_EQ(curve.points[0].score, 1);
  EXPECT_EQ(curve.points[0].high, 1);
  EXPECT_LT(curve.points[0].low, 0.97);
}

TEST(ScoredSizes, CountWhatChoosingAmongEqualSizesAdds) {
  const HeldOut held = held_out(200, std::vector<double>(10, 0.5));
  Team team(2);
  const ScoredSizes scored(held, accuracy_metric(), 0, team);
  // The largest of ten independent means of 200 answers lies 1.54 deviations of 0.035 above their mean.
  EXPECT_GT(scored.optimism({SizeRule::Kind::best}), 0.02);
  EXPECT_LT(scored.optimism({SizeRule::Kind::best}), 0.08);
  const HeldOut alone = held_out(200, {0.5});
  EXPECT_NEAR(ScoredSizes(alone, accuracy_metric(), 0, team).optimism({SizeRule::Kind::best}), 0, 0.01);
}

TEST(ScoredSizes, AreTheSameForEveryTeam) {
  const HeldOut held = held_out(300, {0.7, 0.8});
  Team one(1);
  Team three(3);
  const Curve a = ScoredSizes(held, accuracy_metric(), 7, one).curve(5);
  const Curve b = ScoredSizes(held, accuracy_metric(), 7, three).curve(5);
  EXPECT_EQ(a.points[1].low, b.points[1].low);
}

}  // namespace
}  // namespace obverse
