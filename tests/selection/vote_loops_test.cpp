// Every compiled set of the loops of votes against its plain definition, to the bit.
#include "selection/vote_loops.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "backend/every_set.h"
#include "support/random.h"

namespace obverse {
namespace {

using EveryVoteTable = test::EverySet<VoteLoops>;

INSTANTIATE_TEST_SUITE_P(VoteLoops, EveryVoteTable, testing::ValuesIn(test::set_numbers()), test::set_name);

constexpr std::size_t kCount = 40 * kVoteLanes;

std::vector<float> numbers(std::uint64_t seed) {
  RandomStream random(seed, Purpose::generation);
  std::vector<float> out(kCount);
  for (float& one : out) one = static_cast<float>(random.uniform(0, 3));
  return out;
}

std::vector<float> with_term(const std::vector<float>& from, const std::vector<float>& z, float own, float sign) {
  std::vector<float> out(kCount);
  for (std::size_t j = 0; j < kCount; ++j) {
    const volatile float square = (z[j] - own) * (z[j] - own);  // rounded, and not fused with the sum
    out[j] = from[j] + sign * square;
  }
  return out;
}

TEST_P(EveryVoteTable, AddsAndTakesOffATerm) {
  const std::vector<float> from = numbers(1);
  const std::vector<float> z = numbers(2);
  for (const float sign : {1.0F, -1.0F}) {
    std::vector<float> to(kCount);
    table().add_term(from.data(), z.data(), 0.7F, sign, kCount, to.data());
    EXPECT_EQ(to, with_term(from, z, 0.7F, sign));
  }
  std::vector<float> inside = from;
  table().add_term(inside.data(), z.data(), 0.7F, 1, kCount, inside.data());
  EXPECT_EQ(inside, with_term(from, z, 0.7F, 1));
}

TEST_P(EveryVoteTable, FindsEveryNumberOfAtMostTheBound) {
  std::vector<float> from = numbers(3);
  const std::vector<float> z = numbers(4);
  from[5] = std::numeric_limits<float>::infinity();
  for (const float bound : {-1.0F, 0.02F, 0.3F, 9.0F, std::numeric_limits<float>::infinity()}) {
    for (const bool with : {false, true}) {
      const std::vector<float> seen = with ? with_term(from, z, 0.4F, -1) : from;
      std::vector<std::size_t> expected;
      for (std::size_t j = 0; j < kCount; ++j) {
        if (seen[j] <= bound) expected.push_back(j);
      }
      std::vector<std::size_t> found;
      for (std::size_t begin = 0; begin < kCount; begin += kVoteLanes) {
        const VoteBlock block = with ? table().find_term(from.data(), z.data(), 0.4F, -1, begin, kCount, bound)
                                     : table().find(from.data(), begin, kCount, bound);
        begin = block.at;
        if (begin == kCount) break;
        ASSERT_NE(block.small, 0U);
        for (std::size_t l = 0; l < kVoteLanes; ++l) {
          EXPECT_EQ(block.numbers[l], seen[begin + l]);
          if ((block.small >> l & 1U) != 0) found.push_back(begin + l);
        }
      }
      EXPECT_EQ(found, expected) << bound;
    }
  }
}

}  // namespace
}  // namespace obverse
