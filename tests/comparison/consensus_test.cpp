// Who selects what, from selections that were made up.
#include "comparison/consensus.h"

#include <gtest/gtest.h>

#include <utility>

namespace obverse {
namespace {

using Selections = std::vector<std::vector<std::size_t>>;

/// Methods with the features of each run at k = 2; the first is recommended.
Comparison compared(const std::vector<std::pair<std::string, Selections>>& methods) {
  Comparison comparison;
  comparison.options.k = {1, 2, 4};
  comparison.recommended = methods.front().first;
  for (const auto& [name, runs] : methods) {
    comparison.methods.push_back({.name = name, .rank = comparison.methods.size() + 1});
    for (std::size_t run = 0; run < runs.size(); ++run) {
      comparison.results.selected.push_back({.method = name, .run = static_cast<int>(run), .k = 1, .features = {5}});
      comparison.results.selected.push_back(
          {.method = name, .run = static_cast<int>(run), .k = 2, .features = runs[run]});
    }
  }
  find_consensus(comparison, std::vector<std::string>{"a", "b", "c", "d", "e", "f"});
  return comparison;
}

std::vector<std::string> names_of(const std::vector<ConsensusFeature>& features) {
  std::vector<std::string> names;
  for (const ConsensusFeature& one : features) names.push_back(one.name);
  return names;
}

TEST(Consensus, TheFeaturesOfMostRunsThenThoseRankedHigher) {
  // b in three runs; a, c and d in one each, of which c comes first in its run.
  const Consensus found = compared({{"rf", {{1, 0}, {2, 1}, {1, 3}}}}).consensus;
  EXPECT_EQ(found.k, 2U);
  EXPECT_EQ(names_of(found.features), (std::vector<std::string>{"b", "c"}));
  EXPECT_EQ(found.features[0].runs, 3U);
  EXPECT_EQ(found.features[0].feature, 1U);
  EXPECT_EQ(found.features[1].runs, 1U);
  EXPECT_TRUE(found.methods.empty());
}

TEST(Consensus, CountsTheOtherMethodsButNoYardsticks) {
  const Consensus found = compared({{"rf", {{0, 1}, {0, 1}}},
                                    {"cfm", {{0, 3}, {3, 0}}},
                                    {"anova", {{3, 2}, {3, 2}}},
                                    {"mrmr", {{0, 3}, {2, 3}}},
                                    {"random", {{1, 2}, {1, 2}}},
                                    {"variance", {{1, 2}, {1, 2}}}})
                              .consensus;
  EXPECT_EQ(found.methods, (std::vector<std::string>{"cfm", "anova", "mrmr"}));
  ASSERT_EQ(names_of(found.features), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.features[0].methods, 2U);  // mrmr: d in both runs, then a before c by its column
  EXPECT_EQ(found.features[1].methods, 0U);
  ASSERT_EQ(names_of(found.missed), (std::vector<std::string>{"d"}));
  EXPECT_EQ(found.missed[0].methods, 3U);
  EXPECT_EQ(found.missed[0].runs, 0U);
}

TEST(Consensus, OneOtherMethodIsNoMajority) {
  EXPECT_TRUE(compared({{"rf", {{0, 1}}}, {"anova", {{2, 3}}}}).consensus.missed.empty());
}

TEST(Consensus, IsEmptyWhereNothingIsRecommended) {
  Comparison comparison = compared({{"rf", {{0, 1}}}});
  comparison.recommended.clear();
  comparison.consensus = {};
  find_consensus(comparison, {});
  EXPECT_EQ(comparison.consensus.k, 0U);
  EXPECT_TRUE(comparison.consensus.features.empty());
}

}  // namespace
}  // namespace obverse
