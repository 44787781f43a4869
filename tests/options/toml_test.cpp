#include "options/toml.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

std::string repeated(std::string_view part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

/// Empty for text that is parsed.
std::string fault_of(const std::string& text) {
  try {
    parse_toml(text, "run.toml");
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  return {};
}

// Each of these overflows the stack of a parser that follows it down.
TEST(Toml, BoundsItsDepth) {
  const std::string parts = "run.toml:2: expected at most 32 parts in a key, found more";
  const std::string lists = "run.toml:2: expected at most 32 lists and tables inside each other, found more";
  const std::string deep = repeated("a.", 30000);
  EXPECT_EQ(fault_of("x = 1\n" + deep + "b = 1"), parts);
  EXPECT_EQ(fault_of("x = 1\n[" + deep + "b]"), parts);
  EXPECT_EQ(fault_of("x = 1\n[[" + deep + "b]]"), parts);
  EXPECT_EQ(fault_of("x = 1\n" + repeated("\"a\" . 'b'. ", 30000) + "c = 1"), parts);
  EXPECT_EQ(fault_of("x = 1\ny = {" + deep + "b = 1}"), parts);
  EXPECT_EQ(fault_of("x = 1\ny = " + repeated("[", 50000)), lists);
  EXPECT_EQ(fault_of("x = 1\ny = " + repeated("{a = ", 50000)), lists);
  EXPECT_EQ(fault_of("x = 1\ny = " + repeated("[{a = ", 50000)), lists);
}

TEST(Toml, TakesWhatIsWithinBounds) {
  EXPECT_EQ(fault_of(repeated("a.", 31) + "b = 1"), "");
  EXPECT_EQ(fault_of("y = " + repeated("[", 32) + repeated("]", 32)), "");
  EXPECT_EQ(fault_of("y = [" + repeated("0.5, ", 1000) + "]\nz = 1.5"), "");
  EXPECT_EQ(fault_of(repeated("[[set]]\nname.first = 1.5\n", 100)), "");
}

TEST(Toml, CountsNothingInTextAndComments) {
  const std::string dots = repeated("a.[{", 1000);
  const std::string three = "'''";
  const std::string double_three = R"(""")";
  for (const std::string& text :
       {"# " + dots + "\ny = 1", "y = '" + dots + "'", "y = \"" + dots + "\"", "y = \"\\\"" + dots + "\"",
        "y = " + double_three + "\n" + dots + "\n\\\"\"\"" + dots + "\"\"" + double_three,
        "y = " + three + dots + "\n''" + dots + "''" + three, "y = 'it is # no comment' # " + dots,
        "y = \"\" # " + dots, "y = " + double_three + "\\\n  " + dots + double_three}) {
    EXPECT_EQ(fault_of(text), "") << text.substr(0, 40);
  }
}

// Behind every kind of text the counting goes on.
TEST(Toml, CountsAgainBehindText) {
  const std::string deep = cat("\n", repeated("a.", 100), "b = 1");
  for (const std::string text : {"y = 'a'", R"(y = "a\\")", R"(y = """a""")", R"(y = """a""""")", "y = '''a'''''",
                                 "y = '' # '''", R"(y = "")"}) {
    EXPECT_EQ(fault_of(text + deep), "run.toml:2: expected at most 32 parts in a key, found more") << text;
  }
}

TEST(Toml, LeavesFaultsOfTheSyntaxToTheParser) {
  for (const std::string text :
       {"y = \"a\nz = 1", "y = 'a", "y = \"\"\"a", "y = \"a\\", "y = ]", "y = '''a''", "\"\"\"", "y = \"\"\"a\\"}) {
    EXPECT_NE(fault_of(text).find("not TOML"), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace obverse
