#include "report/html.h"

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

// The vectors of RFC 4648, section 10.
TEST(Base64, IsThatOfTheStandard) {
  const auto encoded = [](std::string_view text) {
    const std::vector<std::uint8_t> bytes(text.begin(), text.end());
    return base64(bytes);
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foob"), "Zm9vYg==");
  EXPECT_EQ(encoded("fooba"), "Zm9vYmE=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
  EXPECT_EQ(base64(std::array<std::uint8_t, 3>{255, 255, 255}), "////");
}

}  // namespace
}  // namespace obverse
