#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace obverse {
namespace {

// Known answers published with the generator (Random123, philox4x32-10).
TEST(Philox, GivesThePublishedNumbers) {
  using Block = std::array<std::uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0), (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  constexpr std::uint32_t f = 0xffffffff;
  EXPECT_EQ(philox({f, f, f, f}, f, f), (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822, 0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(RandomStream, DiffersBySeedPurposeAndIndex) {
  const auto first = [](std::uint64_t seed, Purpose purpose, std::uint64_t index) {
    return RandomStream(seed, purpose, index).next();
  };
  const std::uint32_t base = first(1, Purpose::split, 0);
  EXPECT_EQ(base, first(1, Purpose::split, 0));
  EXPECT_NE(base, first(2, Purpose::split, 0));
  EXPECT_NE(base, first(1, Purpose::batches, 0));
  EXPECT_NE(base, first(1, Purpose::split, 1));
  EXPECT_NE(base, first(1, Purpose::split, std::uint64_t{1} << 32));
  EXPECT_NE(base, first(std::uint64_t{1} << 32 | 1, Purpose::split, 0));
}

TEST(RandomStream, IsUniformAndNormalInItsMoments) {
  RandomStream stream(3, Purpose::generation);
  double sum = 0, normal_sum = 0, normal_squares = 0;
  constexpr int kCount = 100000;
  for (int i = 0; i < kCount; ++i) {
    sum += stream.uniform();
    const double x = stream.normal();
    normal_sum += x;
    normal_squares += x * x;
  }
  EXPECT_NEAR(sum / kCount, 0.5, 0.005);
  EXPECT_NEAR(normal_sum / kCount, 0, 0.015);
  EXPECT_NEAR(normal_squares / kCount, 1, 0.02);
}

TEST(RandomStream, ShufflesIntoAPermutation) {
  std::vector<int> values(1000);
  std::iota(values.begin(), values.end(), 0);
  RandomStream(1, Purpose::batches).shuffle(std::span(values));
  EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  for (int i = 0; i < 1000; ++i) EXPECT_EQ(values[static_cast<std::size_t>(i)], i);
}

}  // namespace
}  // namespace obverse
