#include "page/html.h"

#include <array>

#include <gtest/gtest.h>

namespace obverse {
namespace {

TEST(Escaped, LeavesNoMarkup) {
  EXPECT_EQ(escaped("<img src=x onerror=alert(1)>"), "&lt;img src=x onerror=alert(1)&gt;");
  EXPECT_EQ(escaped("a & \"b\" 'c'"), "a &amp; &quot;b&quot; &#39;c&#39;");
  EXPECT_EQ(escaped("plain ω 😀"), "plain ω 😀");
}

TEST(Escaped, MakesControlCharactersAndStrayBytesVisible) {
  EXPECT_EQ(escaped("a\nb\x01"), "a\\nb\\x01");
  EXPECT_EQ(escaped("\xff"), "\\xff");
}

TEST(ScriptJson, CannotEndItsElement) {
  const std::string text = script_json({{"name", "</script><script>alert(1)</script><!--"}});
  EXPECT_EQ(text.find('<'), std::string::npos);
  EXPECT_EQ(nlohmann::json::parse(text)["name"], "</script><script>alert(1)</script><!--");
}

TEST(ScriptJson, ReplacesStrayBytes) {
  EXPECT_EQ(nlohmann::json::parse(script_json({{"name", "a\xff"}}))["name"], "a\uFFFD");
}

TEST(ScriptCsv, CannotEndItsElement) {
  EXPECT_EQ(script_csv("name\n</script>\xff\n"), "name\n\\u003c/script>\uFFFD\n");
}

}  // namespace
}  // namespace obverse
