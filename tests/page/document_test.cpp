#include "page/document.h"

#include <gtest/gtest.h>

#include "page/markup.h"

namespace obverse {
namespace {

PageFigure figure(const std::string& name) {
  return {.name = name, .caption = "Of <b>", .drawing = {name, 10, 10, ""}, .csv = "a,b\n"};
}

/// Words, a table, two figures under a legend, one for the page only, and markup.
std::vector<Section> sections() {
  return {
      {"first",
       "First <i>",
       {Words{"Some *words*."}, Heading{"Below"}, ReportTable{.name = "t", .columns = {{"A"}}, .rows = {{{"x|y"}}}},
        Heading{"Figures"},
        FigureRow{
            .name = "both", .title = "Both", .figures = {figure("left"), figure("right")}, .legend = {{"a", "A", 0}}},
        FigureRow{.name = "more", .title = "More", .figures = {figure("single")}, .page_only = true}}},
      {"page", "Page", {Words{"Only"}, Markup{"<hr>"}}},
      {"none", "None", {}}};
}

TEST(Document, ShowsEverySectionWithBlocksOnAPage) {
  const std::vector<PageSection> page = page_sections(sections());
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(sample::count(page[0].html, "<figure"), 3U);
  EXPECT_EQ(sample::count(page[0].html, "class=\"legend\""), 1U);
  EXPECT_LT(page[0].html.find("class=\"legend\""), page[0].html.find("<h3>Figures"));  // it serves what follows too
  EXPECT_NE(page[1].html.find("<hr>"), std::string::npos);
}

TEST(Document, LeavesOutOfMarkdownWhatIsForAPageOnly) {
  EXPECT_EQ(sections_markdown(sections(), "paper/"),
            "## First &lt;i>\n\nSome \\*words\\*.\n\n### Below\n\n| A |\n|---|\n| x\\|y |\n\n"
            "### Figures\n\n![Both](paper/both.svg)\n\n");
}

TEST(Document, MakesOneFileOfFiguresBesideEachOther) {
  const std::vector<FigureFile> files = figure_files(sections());
  ASSERT_EQ(files.size(), 1U);
  EXPECT_EQ(files[0].name, "both.svg");
  EXPECT_EQ(sample::xml_fault(files[0].svg), "");
}

}  // namespace
}  // namespace obverse
