// Features that are always selected.
#include "selection/kept.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <obverse/error.h>
#include <obverse/evaluation.h>
#include <obverse/selector.h>

#include "baselines/baselines.h"
#include "support/random.h"

namespace obverse {
namespace {

using Names = std::vector<std::string>;
using Numbers = std::vector<std::size_t>;

constexpr std::size_t kRows = 300;
constexpr std::size_t kFeatures = 10;

/// a tells most about the class, copy is nearly the same; b and c tell the rest; six numbers are noise.
Dataset puzzle(std::uint64_t seed = 1) {
  RandomStream stream(seed, Purpose::generation);
  const auto values = std::make_shared<float[]>(kRows * kFeatures);
  DatasetParts parts;
  for (std::size_t r = 0; r < kRows; ++r) {
    float* row = values.get() + r * kFeatures;
    for (std::size_t f = 0; f < kFeatures; ++f) row[f] = static_cast<float>(stream.normal());
    row[1] = row[0] + 0.1F * row[1];
    parts.labels.push_back(1.5F * row[0] + row[2] - row[3] > 0 ? 1 : 0);
  }
  parts.storage = DenseMatrix<float>{values, kRows, kFeatures};
  parts.class_names = {"no", "yes"};
  parts.target_name = "class";
  parts.feature_names = Names{"a", "copy", "b", "c", "n1", "n2", "n3", "n4", "n5", "n6"};
  return Dataset(std::move(parts));
}

SelectOptions quick(const std::string& method, Names keep, int k = 4) {
  SelectOptions options = not_repeated(options_for(Effort::quick));
  options.method = method;
  options.keep = std::move(keep);
  options.k = k;
  options.threads = 1;
  if (trains_networks(method)) options.recipes.front().train.epochs = 10;
  return options;
}

std::string fault_of(const SelectOptions& options) {
  try {
    Selector(options).fit(puzzle());
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "nothing was refused";
}

Numbers first_two(const Numbers& order) { return {std::min(order[0], order[1]), std::max(order[0], order[1])}; }

TEST(Kept, AreNamedByNameNumberOrPattern) {
  const Dataset data = puzzle();
  const auto kept = [&](Names keep) {
    return kept_features(data, with_kept_names(data, quick("cfm", std::move(keep))));
  };
  EXPECT_EQ(kept({"c", "a"}), (Numbers{0, 3}));
  EXPECT_EQ(kept({"3", "-1"}), (Numbers{2, 9}));
  EXPECT_EQ(kept({"n*", "a", "n1"}), (Numbers{0, 4, 5, 6, 7, 8, 9}));
  EXPECT_EQ(with_kept_names(data, quick("cfm", {"n?"})).keep.front(), "n1");
}

TEST(Kept, ThatCannotBeAreRefused) {
  EXPECT_EQ(fault_of(quick("cfm", {"ab"})).find("keep: no feature is called 'ab'; did you mean"), 0U);
  EXPECT_NE(fault_of(quick("anova", {"x*"})).find("no feature fits the pattern 'x*'"), std::string::npos);
  EXPECT_NE(fault_of(quick("cfm", {"class"})).find("'class' is the target"), std::string::npos);
  EXPECT_NE(fault_of(quick("cfm", {"*"}, 10)).find("all 10 features are kept"), std::string::npos);
  EXPECT_NE(fault_of(quick("cfm", {"n*"}, 2)).find("k is 2, but keep names 6 features, which k counts: n1, n2"),
            std::string::npos);
}

TEST(Kept, RankFirstByEveryMethod) {
  for (const std::string_view method : method_names()) {
    const Selection selection = Selector(quick(std::string(method), {"n4", "n2"})).fit(puzzle());
    const Numbers& order = selection.ranking.order;
    EXPECT_EQ(first_two(order), (Numbers{5, 7})) << method;
    EXPECT_EQ(selection.k, 4U);
    EXPECT_EQ(selection.options.keep, (Names{"n2", "n4"})) << method;
    Numbers all = order;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(all, all_features(puzzle())) << method;
    for (const auto& model : selection.models) {
      EXPECT_EQ(model->scores.size(), kFeatures) << method;
      EXPECT_EQ(first_two(model->order), (Numbers{5, 7})) << method;
    }
    EXPECT_EQ(selection.agreement.frequency[5], 1.0) << method;
  }
}

TEST(Kept, LeaveTheOthersToBeChosenForWhatTheyAdd) {
  for (const char* method : {"cfm", "mrmr"}) {
    SelectOptions options = quick(method, {"a"}, 3);
    if (trains_networks(method)) options.recipes.front().train.epochs = 60;
    const Selection selection = Selector(options).fit(puzzle());
    const auto top = selection.ranking.top(3);
    EXPECT_EQ(top[0], 0U) << method;
    EXPECT_EQ(std::count(top.begin(), top.end(), std::size_t{1}), 0) << method << ": the copy of a adds nothing";
  }
}

TEST(Kept, DoNotDependOnTheThreads) {
  SelectOptions options = quick("cfm", {"a", "n1"});
  const Selection one = Selector(options).fit(puzzle());
  options.threads = 3;
  EXPECT_EQ(Selector(options).fit(puzzle()).ranking.scores, one.ranking.scores);
}

TEST(Kept, OfEqualFeaturesMoveTheOthersBehind) {
  DatasetParts parts;
  const auto values = std::make_shared<float[]>(kRows * 4);
  RandomStream stream(3, Purpose::generation);
  for (std::size_t r = 0; r < kRows; ++r) {
    for (std::size_t f = 0; f < 4; ++f) values[r * 4 + f] = static_cast<float>(stream.normal());
    values[r * 4 + 2] = values[r * 4];
    parts.labels.push_back(values[r * 4] > 0 ? 1 : 0);
  }
  parts.storage = DenseMatrix<float>{values, kRows, 4};
  parts.class_names = {"no", "yes"};
  parts.feature_names = Names{"first", "n1", "again", "n2"};
  const Selection selection = Selector(quick("anova", {"again"}, 2)).fit(Dataset(std::move(parts)));
  EXPECT_EQ(selection.ranking.order.front(), 2U);
  EXPECT_EQ(selection.ranking.order.back(), 0U);
}

TEST(Kept, AreInEverySizeAndMeasureNoStability) {
  SelectOptions options = quick("anova", {"n1", "n2"}, 0);
  options.resample = Resample::on;
  const Selection selection = Selector(options).fit(puzzle());
  ASSERT_TRUE(selection.evidence);
  Numbers sizes;
  for (const CurvePoint& point : selection.evidence->curve.points) sizes.push_back(point.k);
  EXPECT_EQ(sizes.front(), 2U);  // the kept ones alone
  EXPECT_EQ(sizes.back(), kFeatures);
  EXPECT_GE(selection.k, 3U);
  EXPECT_EQ(selection.evidence->frequency[4], 1.0);
  options.k = 2;
  const Selection alone = Selector(options).fit(puzzle());
  EXPECT_EQ(alone.k, 2U);
  EXPECT_FALSE(alone.evidence->stability);  // nothing was chosen
}

TEST(Kept, AreAcceptedByControlBesideWhatHalvesSelect) {
  SelectOptions options = quick("anova", {"n1"}, 0);
  options.resample = Resample::on;
  options.control = "pfer=0.5";
  const Selection selection = Selector(options).fit(puzzle());
  const auto top = selection.ranking.top(selection.k);
  EXPECT_EQ(top.front(), 4U);
  EXPECT_EQ(std::count(top.begin(), top.end(), std::size_t{0}), 1);
  EXPECT_EQ(selection.evidence->control->frequency[4], 1.0);
}

TEST(Kept, StandBesideRandomFeatures) {
  const Numbers kept{2, 5};
  const Numbers drawn = random_order(Numbers{0, 1, 2, 3, 4, 5, 6}, kept, 7, 1);
  EXPECT_EQ(Numbers(drawn.begin(), drawn.begin() + 2), kept);
  Numbers sorted = drawn;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(sorted, (Numbers{0, 1, 2, 3, 4, 5, 6}));
}

}  // namespace
}  // namespace obverse
