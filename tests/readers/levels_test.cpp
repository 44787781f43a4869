#include "readers/levels.h"

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(Levels, NumbersTextsAsTheyComeAndCountsThem) {
  Levels levels;
  EXPECT_FALSE(levels.contains("a"));
  EXPECT_EQ(levels.number("a"), 0U);
  EXPECT_EQ(levels.number(""), 1U);
  EXPECT_EQ(levels.number("a text of more than eight bytes"), 2U);
  EXPECT_EQ(levels.number("a", 3), 0U);
  EXPECT_EQ(levels.number("known", 0), 3U);
  EXPECT_EQ(levels.size(), 4U);
  EXPECT_EQ(levels.text(2), "a text of more than eight bytes");
  EXPECT_EQ(levels.count(0), 4U);
  EXPECT_EQ(levels.count(3), 0U);
  EXPECT_TRUE(levels.contains(""));
  EXPECT_FALSE(levels.contains("b"));
}

TEST(Levels, KeepsManyTextsApart) {
  Levels levels;
  for (std::uint32_t i = 0; i < 100000; ++i) ASSERT_EQ(levels.number("text " + std::to_string(i)), i);
  for (std::uint32_t i = 0; i < 100000; i += 7) ASSERT_EQ(levels.number("text " + std::to_string(i)), i);
  EXPECT_EQ(levels.text(99999), "text 99999");
  EXPECT_EQ(levels.count(7), 2U);
}

}  // namespace
}  // namespace obverse
