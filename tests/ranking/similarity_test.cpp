#include "ranking/similarity.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "support/random.h"

namespace obverse {
namespace {

struct Ranked {
  ComparedColumn column;
  std::vector<float> ranks;
};

Ranked ranked(const std::vector<float>& values) {
  Ranked out{{}, std::vector<float>(values.size())};
  out.column = ColumnRanker(values.size()).rank(values, out.ranks.data());
  return out;
}

double correlation(const Ranked& a, const Ranked& b) {
  return std::inner_product(a.ranks.begin(), a.ranks.end(), b.ranks.begin(), 0.0);
}

double similarity(const std::vector<float>& a, const std::vector<float>& b, const SimilarityBounds& bounds = {}) {
  const Ranked first = ranked(a);
  const Ranked second = ranked(b);
  return Similarity(a.size(), bounds).of(first.column, second.column, correlation(first, second));
}

std::vector<float> normal(std::size_t rows, std::uint64_t index) {
  RandomStream random(7, Purpose::generation, index);
  std::vector<float> out(rows);
  for (float& value : out) value = static_cast<float>(random.normal());
  return out;
}

// By hand: ranks 3, 0, 1.5, 1.5 less 1.5 are 1.5, -1.5, 0, 0, of length sqrt(4.5).
TEST(ColumnRanker, CentresMeanRanksAndScalesThemToLengthOne) {
  const std::vector<float> ranks = ranked({5, -2, 0.5F, 0.5F}).ranks;
  const auto part = static_cast<float>(1.5 / std::sqrt(4.5));
  EXPECT_FLOAT_EQ(ranks[0], part);
  EXPECT_FLOAT_EQ(ranks[1], -part);
  EXPECT_FLOAT_EQ(ranks[2], 0);
  EXPECT_FLOAT_EQ(ranks[3], 0);
}

// By hand: the ranks of the second are 2, 1, 4, 3, 5.5, 5.5; the product of both, centred, is 15, the squares 17.5
// and 17.
TEST(ColumnRanker, GivesTheCorrelationOfSpearman) {
  EXPECT_NEAR(correlation(ranked({1, 2, 3, 4, 5, 6}), ranked({2, 1, 4, 3, 6, 6})), 15 / std::sqrt(17.5 * 17), 1e-6);
}

TEST(ColumnRanker, SortsNegativeAndLargeValues) {
  const std::vector<float> ranks = ranked({-1e30F, 1e30F, -1, 0, 1, -1e-30F}).ranks;
  EXPECT_LT(ranks[0], ranks[2]);
  EXPECT_LT(ranks[2], ranks[5]);
  EXPECT_LT(ranks[5], ranks[3]);
  EXPECT_LT(ranks[3], ranks[4]);
  EXPECT_LT(ranks[4], ranks[1]);
}

TEST(ColumnRanker, LeavesConstantColumnsAndOneRowAtZero) {
  EXPECT_EQ(ranked({2, 2, 2}).ranks, (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(ranked({2}).ranks, std::vector<float>{0});
}

TEST(Similarity, IsTheRankCorrelationWithoutItsSign) {
  std::vector<float> x = normal(300, 0);
  std::vector<float> y;
  for (const float value : x) y.push_back(-std::exp(value));
  EXPECT_NEAR(similarity(x, y), 1, 1e-6);
  EXPECT_EQ(similarity(x, normal(300, 1)), 0);
}

TEST(Similarity, IsZeroBelowTheBound) {
  std::vector<float> y = normal(300, 0);
  const std::vector<float> noise = normal(300, 1);
  for (std::size_t r = 0; r < y.size(); ++r) y[r] += 0.4F * noise[r];
  const double found = similarity(normal(300, 0), y);
  EXPECT_GT(found, 0.85);
  EXPECT_LT(found, 0.97);
  EXPECT_EQ(similarity(normal(300, 0), y, {.least = 0.98}), 0);
}

TEST(Similarity, OfCodesSeesAnyRelationBetweenTheirValues) {
  RandomStream random(3, Purpose::generation);
  std::vector<float> colours;
  std::vector<float> renamed;  // 0, 1, 2, 3 become 7, 0, 5, 1: the order is lost
  for (int r = 0; r < 400; ++r) {
    colours.push_back(static_cast<float>(random.below(4)));
    renamed.push_back(std::vector<float>{7, 0, 5, 1}[static_cast<std::size_t>(colours.back())]);
  }
  EXPECT_LT(std::fabs(correlation(ranked(colours), ranked(renamed))), 0.7);
  EXPECT_NEAR(similarity(colours, renamed), 1, 1e-9);
}

// By hand: N = 400, half ones, 20 changed: I = log 2 + (0.05 log 0.05 + 0.95 log 0.95), H = log 2.
TEST(Similarity, OfCodesIsTheNormalisedInformation) {
  std::vector<float> x;
  std::vector<float> y;
  for (int r = 0; r < 400; ++r) {
    x.push_back(static_cast<float>(r % 2));
    y.push_back(r < 20 ? static_cast<float>(1 - r % 2) : x.back());
  }
  const double nats = std::log(2) + 0.05 * std::log(0.05) + 0.95 * std::log(0.95);
  EXPECT_NEAR(similarity(x, y), std::sqrt((1 - std::exp(-2 * nats)) / 0.75), 1e-9);
}

TEST(Similarity, OfIndependentCodesIsZero) {
  RandomStream random(5, Purpose::generation);
  for (int i = 0; i < 50; ++i) {
    std::vector<float> x;
    std::vector<float> y;
    for (int r = 0; r < 500; ++r) {
      x.push_back(static_cast<float>(random.below(10)));
      y.push_back(static_cast<float>(random.below(10)));
    }
    EXPECT_EQ(similarity(x, y), 0);
  }
}

// Single ones in the same row of a thousand: in one of a thousand pairs of such columns they are by chance.
TEST(Similarity, OfRareValuesThatMeetByChanceIsZero) {
  std::vector<float> x(1000, 0.0F);
  x[7] = 1;
  EXPECT_EQ(similarity(x, x, {.comparisons = 100}), 0);
}

TEST(Similarity, OfFewRowsIsZero) {
  EXPECT_EQ(similarity({1, 2, 3, 4}, {1, 2, 3, 4}), 0);
  EXPECT_EQ(similarity({1, 2}, {1, 2}), 0);
  EXPECT_EQ(similarity({1}, {1}), 0);
  EXPECT_EQ(similarity({}, {}), 0);
}

}  // namespace
}  // namespace obverse
