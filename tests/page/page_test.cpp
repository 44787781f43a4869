#include "page/page.h"

#include <gtest/gtest.h>

#include "page/assets.h"

namespace obverse {
namespace {

Page sample_page() {
  return {.title = "Which <b>?",
          .subtitle = "a & b",
          .lead = "<p>lead</p>",
          .sections = {{"first", "One & two", "<p>inside</p>"}, {"second", "Three", ""}},
          .footer = "made by a test"};
}

bool holds(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

TEST(PageHtml, DressesTitlesAndSections) {
  const std::string html = page_html(sample_page());
  EXPECT_TRUE(html.starts_with("<!doctype html>\n<html lang=\"en\">"));
  EXPECT_TRUE(html.ends_with("</html>\n"));
  EXPECT_TRUE(holds(html, "<title>Which &lt;b&gt;?</title>"));
  EXPECT_TRUE(holds(html, "<h1>Which &lt;b&gt;?</h1>"));
  EXPECT_TRUE(holds(html, "<p class=\"subtitle\">a &amp; b</p>"));
  EXPECT_TRUE(holds(html, "<a href=\"#first\">One &amp; two</a>"));
  EXPECT_TRUE(holds(html, "<section id=\"first\" aria-labelledby=\"first-title\">"));
  EXPECT_TRUE(holds(html, "<p>inside</p>"));
  EXPECT_TRUE(holds(html, "<footer>made by a test</footer>"));
}

TEST(PageHtml, HoldsItsStyleAndItsScriptAndAsksForNothingElse) {
  const std::string html = page_html(sample_page());
  EXPECT_TRUE(holds(html, kPageCss));
  EXPECT_TRUE(holds(html, kPageJs));
  EXPECT_TRUE(holds(html, "default-src 'none'"));
  EXPECT_FALSE(holds(html, " src="));
  EXPECT_FALSE(holds(html, "@import"));
  EXPECT_FALSE(holds(html, "https:"));
}

// What would end the element that they stand in.
TEST(PageAssets, CanStandInsideTheirElements) {
  EXPECT_FALSE(holds(std::string(kPageCss), "</"));
  EXPECT_FALSE(holds(std::string(kPageJs), "</"));
  EXPECT_FALSE(holds(std::string(kPageJs), "<!--"));
  EXPECT_EQ(kPageJsSha256.size(), 64U);
}

}  // namespace
}  // namespace obverse
