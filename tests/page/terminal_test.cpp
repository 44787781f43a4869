#include "page/terminal.h"

#include <cmath>

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(Bar, IsAsLongAsItsShare) {
  EXPECT_EQ(bar(0.5, 10, false), "#####");
  EXPECT_EQ(bar(0.5, 1, true), "▌");
  EXPECT_EQ(bar(1, 2, true), "██");
  EXPECT_EQ(bar(7, 2, false), "##");
  EXPECT_EQ(bar(std::nan(""), 2, false), "");
}

TEST(TerminalText, SpellsOutWhatAsciiLacks) {
  EXPECT_EQ(terminal_text("93.1 ± 0.4, ρ – é", {}), "93.1 +- 0.4, rho - ?");
  EXPECT_EQ(terminal_text("93.1 ± 0.4\x1b", {.unicode = true}), "93.1 ± 0.4\\x1b");
}

}  // namespace
}  // namespace obverse
