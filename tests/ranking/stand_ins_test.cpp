#include "ranking/stand_ins.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "ranking/columns.h"
#include "support/random.h"

namespace obverse {
namespace {

using Features = std::vector<std::size_t>;

/// Independent columns of standard normal values.
test::Columns noise(std::size_t features, std::size_t rows, std::uint64_t seed) {
  RandomStream random(seed, Purpose::generation);
  test::Columns columns(features, std::vector<float>(rows));
  for (auto& column : columns) {
    for (float& value : column) value = static_cast<float>(random.normal());
  }
  return columns;
}

/// A column with noise of this deviation added.
std::vector<float> copy_of(const std::vector<float>& column, double deviation, std::uint64_t seed) {
  RandomStream random(seed, Purpose::generation, 1);
  std::vector<float> out;
  for (const float value : column) out.push_back(value + static_cast<float>(deviation * random.normal()));
  return out;
}

StandIns stand_ins(const Dataset& data, const Features& selected, std::size_t threads = 2) {
  Team team(threads);
  return stand_ins_of(data, selected, 0, team);
}

Features features_of(const FeatureStandIns& one) {
  Features out;
  for (const StandIn& other : one.nearest) out.push_back(other.feature);
  std::sort(out.begin(), out.end());
  return out;
}

// Two clusters of three: a column and two copies with noise of deviation 0.1 to 0.3.
TEST(StandIns, FindPlantedClustersAndNothingElse) {
  std::size_t found = 0;
  constexpr std::size_t kSets = 100;
  for (std::uint64_t seed = 0; seed < kSets; ++seed) {
    test::Columns columns = noise(60, 100 + 5 * seed, seed);
    const double deviation = 0.1 + 0.002 * static_cast<double>(seed);
    columns[11] = copy_of(columns[3], deviation, seed);
    columns[27] = copy_of(columns[3], deviation, seed + 1000);
    columns[40] = copy_of(columns[8], deviation, seed + 2000);
    columns[41] = copy_of(columns[8], deviation, seed + 3000);
    const StandIns out = stand_ins(test::dense<float>(columns), {8, 3, 20});
    const bool both = out.features.size() == 2 && features_of(out.features[0]) == Features{40, 41} &&
                      features_of(out.features[1]) == Features{11, 27};
    found += both && out.clusters == std::vector<Features>{{8, 40, 41}, {3, 11, 27}} ? 1 : 0;
  }
  EXPECT_GE(found, 95U);
}

TEST(StandIns, AreNotSeenInNoise) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const std::size_t rows = 5 + 3 * seed;
    const test::Columns columns = noise(400, rows, seed + 500);
    const StandIns out = stand_ins(test::dense<float>(columns), {0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_TRUE(out.features.empty()) << rows << " rows";
    EXPECT_TRUE(out.clusters.empty());
  }
}

TEST(StandIns, AreNotSeenInRareWords) {
  RandomStream random(9, Purpose::generation);
  test::Columns columns(500, std::vector<float>(300, 0.0F));
  for (auto& column : columns) {
    for (int i = 0; i < 3; ++i) column[random.below(300)] = 1;
  }
  Team team(2);
  const Dataset data = test::sparse(columns);
  Features selected(100);
  for (std::size_t i = 0; i < selected.size(); ++i) selected[i] = i;
  for (const FeatureStandIns& one : stand_ins_of(data, selected, 0, team).features) {
    for (const StandIn& other : one.nearest) EXPECT_TRUE(other.equal);
  }
}

TEST(StandIns, NameEqualColumnsInEveryStorage) {
  test::Columns columns(4, std::vector<float>(60));
  for (std::size_t r = 0; r < 60; ++r) {
    columns[0][r] = static_cast<float>(r * 37 % 60);
    columns[1][r] = static_cast<float>(r * 7 % 11);
    columns[2][r] = columns[0][r];
    columns[3][r] = columns[0][r] + (r == 5 ? 1.0F : 0.0F);
  }
  for (const Dataset& data : test::storages(columns)) {
    const StandIns out = stand_ins(data, {2, 1});
    ASSERT_EQ(out.features.size(), 1U);
    EXPECT_EQ(out.features[0].feature, 2U);
    EXPECT_EQ(out.features[0].count, 2U);
    ASSERT_EQ(out.features[0].nearest.size(), 2U);
    EXPECT_EQ(out.features[0].nearest[0].feature, 0U);
    EXPECT_TRUE(out.features[0].nearest[0].equal);
    EXPECT_EQ(out.features[0].nearest[0].similarity, 1);
    EXPECT_EQ(out.features[0].nearest[1].feature, 3U);
    EXPECT_FALSE(out.features[0].nearest[1].equal);
    EXPECT_EQ(out.clusters, (std::vector<Features>{{0, 2, 3}}));
  }
}

TEST(StandIns, AreTheSameForEveryNumberOfThreadsAndTheSameRows) {
  test::Columns columns = noise(300, 2500, 4);
  for (std::size_t f = 100; f < 130; ++f) columns[f] = copy_of(columns[0], 0.2, f);
  const Dataset data = test::dense<float>(columns);
  const StandIns one = stand_ins(data, {0, 100, 1}, 1);
  ASSERT_EQ(one.features.size(), 2U);
  EXPECT_EQ(one.features[0].count, 30U);
  EXPECT_EQ(one.features[0].nearest.size(), 20U);
  EXPECT_GE(one.features[0].nearest.front().similarity, one.features[0].nearest.back().similarity);
  const StandIns three = stand_ins(data, {0, 100, 1}, 3);
  for (std::size_t i = 0; i < 2; ++i) {
    for (std::size_t n = 0; n < 20; ++n) {
      EXPECT_EQ(one.features[i].nearest[n].feature, three.features[i].nearest[n].feature);
      EXPECT_EQ(one.features[i].nearest[n].similarity, three.features[i].nearest[n].similarity);
    }
  }
  EXPECT_EQ(one.clusters, three.clusters);
}

TEST(StandIns, OfOneRowOfConstantColumnsAndOfNothingAreNone) {
  EXPECT_TRUE(stand_ins(test::dense<float>({{1}, {1}}), {0, 1}).features.empty());
  const std::vector<float> constant(50, 3.0F);
  EXPECT_TRUE(stand_ins(test::dense<float>({constant, constant}), {0, 1}).features.empty());
  EXPECT_TRUE(stand_ins(test::dense<float>({constant, constant}), {}).features.empty());
}

TEST(Clusters, HaveANumberForEveryFeature) {
  test::Columns columns = noise(5, 200, 2);
  columns[3] = copy_of(columns[1], 0.1, 1);
  columns[4] = columns[3];
  Team team(2);
  const Features candidates{3, 0};
  EXPECT_EQ(clusters_of(test::dense<float>(columns), candidates, 0, team), (std::vector<std::uint32_t>{0, 1, 2, 1, 1}));
}

}  // namespace
}  // namespace obverse
