#include "page/chart.h"

#include <gtest/gtest.h>

#include "page/chart_curves.h"
#include "page/markup.h"

namespace obverse {
namespace {

using sample::count;
using sample::xml_fault;

constexpr const char* kMarkup = "<b onclick=\"x\">&'";

LineChart two_lines() {
  return {.title = "T",
          .x_title = "x",
          .y_title = "y",
          .places = {"1", "1.5", "10"},
          .series = {{.look = {"a", "A", 0}, .values = {60, 70, 80}, .deviations = {1, 2, 3}},
                     {.look = {"b", "B", 1}, .values = {50, kNoValue, 55}}}};
}

TEST(Svg, HasARoleATitleAndAViewBoxAndNoFixedWidth) {
  const std::string svg = svg_text(line_chart(two_lines()));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find(" width="), std::string::npos);
  EXPECT_NE(svg.find("role=\"img\" viewBox=\"0 0 320 230\""), std::string::npos);
  EXPECT_NE(svg.find("<title>T</title>"), std::string::npos);
}

TEST(Svg, StandsAloneWithASizeStylesAndABackgroundAndWithoutTips) {
  const std::string svg = standalone_svg(line_chart(two_lines()));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_NE(svg.find("width=\"336\" height=\"246\" viewBox=\"-8 -8 336 246\""), std::string::npos);
  EXPECT_NE(svg.find("<style>"), std::string::npos);
  EXPECT_NE(svg.find("fill=\"#fff\""), std::string::npos);
  EXPECT_EQ(svg.find("data-tip"), std::string::npos);
  EXPECT_EQ(svg.find("tabindex"), std::string::npos);
}

TEST(LineChart, DrawsAPointWithItsValueForEveryNumberAndNoneForAGap) {
  const std::string body = line_chart(two_lines()).body;
  EXPECT_EQ(count(body, "data-tip=\""), 5U);
  EXPECT_NE(body.find("data-tip=\"A, 1.5: 70\""), std::string::npos);
  EXPECT_NE(body.find("<g class=\"series-1\" data-series=\"a\">"), std::string::npos);
  EXPECT_EQ(body.find("nan"), std::string::npos);
}

TEST(LineChart, DrawsABandOnlyWhereThereAreDeviations) {
  EXPECT_EQ(count(line_chart(two_lines()).body, "class=\"band\""), 1U);
}

TEST(LineChart, DrawsABandThatIsNotSymmetricAndLevelsWithin) {
  LineChart chart = two_lines();
  chart.series[0].deviations.clear();
  chart.series[0].bands = {{59, 65}, {70, 72}, {80, 100}};
  chart.levels = {{kMarkup, 20}, {"unknown", kNoValue}};
  const std::string svg = svg_text(line_chart(chart));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "class=\"band\""), 1U);
  EXPECT_EQ(count(svg, "stroke-dasharray=\"5 4\""), 1U);
  EXPECT_NE(svg.find(">20</text>"), std::string::npos);  // the axis spans the level and the band
  EXPECT_NE(svg.find(">100</text>"), std::string::npos);
  EXPECT_EQ(svg.find("<b"), std::string::npos);
}

TEST(LineChart, MarksAPlaceWithAGuideARingAndItsLabel) {
  LineChart chart = two_lines();
  EXPECT_EQ(line_chart(chart).body.find("guide"), std::string::npos);
  chart.marked = 1;
  const std::string body = line_chart(chart).body;
  EXPECT_EQ(count(body, "<path class=\"guide\" data-place=\"1\" data-places=\"3\""), 1U);
  EXPECT_EQ(count(body, "a8 8 0 1 0 16 0"), 1U);
  chart.places.clear();
  for (int i = 0; i < 100; ++i) chart.places.push_back(std::to_string(1000 + i));
  chart.marked = 61;
  EXPECT_NE(line_chart(chart).body.find(">1061</text>"), std::string::npos);
}

TEST(LineChart, DrawsOnePoint) {
  const LineChart chart{.title = "one", .places = {"5"}, .series = {{.look = {"a", "A", 0}, .values = {93}}}};
  const std::string body = line_chart(chart).body;
  EXPECT_EQ(xml_fault("<g>" + body + "</g>"), "");
  EXPECT_EQ(count(body, "data-tip"), 1U);
  EXPECT_EQ(body.find("nan"), std::string::npos);
  EXPECT_EQ(body.find("inf"), std::string::npos);
}

TEST(LineChart, GivesRoomToAConstantSeries) {
  const LineChart chart{.title = "", .places = {"1", "2"}, .series = {{.look = {"a", "A", 0}, .values = {0, 0}}}};
  const std::string body = line_chart(chart).body;
  EXPECT_EQ(body.find("nan"), std::string::npos);
  EXPECT_GE(count(body, "class=\"label\""), 4U);  // two places, and ticks at the side
}

TEST(LineChart, SaysThatThereAreNoValues) {
  EXPECT_NE(line_chart({.title = "empty"}).body.find("no values"), std::string::npos);
  const LineChart gaps{.title = "", .places = {"1"}, .series = {{.look = {"a", "A", 0}, .values = {kNoValue}}}};
  EXPECT_NE(line_chart(gaps).body.find("no values"), std::string::npos);
}

TEST(LineChart, EscapesAllTexts) {
  const LineChart chart{.title = kMarkup,
                        .x_title = kMarkup,
                        .y_title = kMarkup,
                        .places = {kMarkup},
                        .series = {{.look = {kMarkup, kMarkup, 0}, .values = {1}, .tips = {kMarkup}}}};
  const std::string svg = svg_text(line_chart(chart));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(svg.find("<b"), std::string::npos);
}

TEST(LineChart, LeavesOutLabelsThatWouldCollide) {
  LineChart chart{.title = "many"};
  for (int i = 0; i < 100; ++i) chart.places.push_back(std::to_string(1000 + i));
  EXPECT_LT(count(line_chart(chart).body, "text-anchor=\"middle\""), 15U);
}

TEST(LineChart, TellsANinthSeriesFromTheFirstByDashes) {
  EXPECT_EQ(series_class(8), "series-1");
  const LineChart chart{.title = "", .places = {"1", "2"}, .series = {{.look = {"i", "I", 8}, .values = {1, 2}}}};
  EXPECT_NE(line_chart(chart).body.find("stroke-dasharray"), std::string::npos);
}

TEST(ValueRange, SpansTheBands) {
  const Range range = value_range(two_lines().series);
  EXPECT_EQ(range.low, 50);
  EXPECT_EQ(range.high, 83);
}

TEST(ValueChart, StaysSmallForManyValues) {
  ValueChart chart{.title = "many", .series = {{{"a", "A", 0}, std::vector<double>(100000)}}};
  for (std::size_t i = 0; i < 100000; ++i) chart.series[0].values[i] = static_cast<double>(i % 97);
  EXPECT_LT(value_chart(chart).body.size(), 8000U);
}

TEST(ValueChart, KeepsThePeakOfThinnedValues) {
  // The only value above 0 lies at the top of the plane, 26 pixels below the upper edge at 0.04 of the range.
  ValueChart chart{.title = "peak", .series = {{{"a", "A", 0}, std::vector<double>(5000, 0.0)}}, .low = 0, .high = 1};
  chart.series[0].values[1234] = 1;
  EXPECT_NE(value_chart(chart).body.find(" 26L"), std::string::npos);
}

TEST(ValueChart, LeavesGapsWhereALogarithmIsNotDefined) {
  const ValueChart chart{.title = "log", .series = {{{"a", "A", 0}, {1, 0, -1, 10, kNoValue}}}, .logarithmic = true};
  const std::string body = value_chart(chart).body;
  EXPECT_EQ(body.find("nan"), std::string::npos);
  EXPECT_EQ(body.find("inf"), std::string::npos);
  EXPECT_EQ(xml_fault("<g>" + body + "</g>"), "");
}

TEST(ValueChart, DrawsOneValueAndNone) {
  EXPECT_EQ(value_chart({.title = "one", .series = {{{"a", "A", 0}, {3}}}}).body.find("nan"), std::string::npos);
  EXPECT_NE(value_chart({.title = "none"}).body.find("no values"), std::string::npos);
}

TEST(HeatGrid, ColoursWinsAndLossesAndLeavesMissingCellsEmpty) {
  const HeatGrid grid{.title = "G",
                      .x_title = "rho",
                      .columns = {"1", "2", "5"},
                      .rows = {{.label = kMarkup,
                                .cells = {{.shade = 1, .text = "+2.0", .tip = kMarkup}, {.shade = -0.5}, {}},
                                .group = kMarkup}}};
  const Drawing drawing = heat_grid(grid);
  EXPECT_EQ(xml_fault(svg_text(drawing)), "");
  EXPECT_EQ(count(drawing.body, "fill-opacity"), 2U);
  EXPECT_EQ(count(drawing.body, "#2f7fd0"), 1U);
  EXPECT_EQ(count(drawing.body, "#e06010"), 1U);
  EXPECT_EQ(count(drawing.body, "data-tip"), 1U);
}

TEST(HeatGrid, FramesMarkedCells) {
  const HeatGrid grid{
      .title = "", .columns = {"1"}, .rows = {{.label = "a", .cells = {{.shade = 0.1, .marked = true}}}}};
  EXPECT_EQ(count(heat_grid(grid).body, "stroke-width:2"), 1U);
}

TEST(HeatGrid, DrawsNothingOutOfNothing) { EXPECT_EQ(xml_fault(svg_text(heat_grid({.title = "empty"}))), ""); }

TEST(ScatterChart, DrawsPointsAndTheLabelsThatFit) {
  ScatterChart chart{.title = kMarkup, .x_title = "seconds", .y_title = "accuracy"};
  chart.points = {{.look = {"a", "A", 0}, .label = kMarkup, .x = 0.01, .y = 90, .tip = kMarkup, .marked = true},
                  {.look = {"b", "B", 1}, .label = "far", .x = 10, .y = 50, .tip = "far"},
                  {.look = {"b", "B", 1}, .label = "gone", .x = kNoValue, .y = 50},
                  {.look = {"b", "B", 1}, .label = "zero", .x = 0, .y = 50}};
  const std::string svg = svg_text(scatter_chart(chart));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "data-tip"), 2U);
  EXPECT_EQ(count(svg, ">far<"), 1U);
  EXPECT_EQ(count(svg, ">zero<") + count(svg, ">gone<"), 0U);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  // Of points on one spot the first four find room for a label around it.
  chart.points.assign(9, {.look = {"a", "A", 0}, .label = "here", .x = 1, .y = 50});
  EXPECT_EQ(count(scatter_chart(chart).body, ">here<"), 4U);
  EXPECT_EQ(xml_fault(svg_text(scatter_chart({.title = "empty"}))), "");
}

TEST(PixelPicture, DrawsARunOfOneColourAsOneRectangle) {
  const PixelPicture picture{.caption = "7", .height = 2, .width = 4, .values = {0, 0, 0, 1, 1, 1, 1, 1}};
  const std::string body = pixel_picture(picture).body;
  EXPECT_NE(body.find("<path fill=\"#000000\" d=\"M0 0h3v1h-3z\"/>"), std::string::npos);
  EXPECT_NE(body.find("<path fill=\"#ffffff\" d=\"M3 0h1v1h-1zM0 1h4v1h-4z\"/>"), std::string::npos);
}

TEST(PixelPicture, GoesFromBlueToRed) {
  const PixelPicture picture{
      .caption = "", .height = 1, .width = 3, .values = {0, 0.5, 1}, .palette = Palette::blue_to_red};
  const std::string body = pixel_picture(picture).body;
  for (const char* colour : {"#2166ac", "#f7f7f7", "#b2182b"}) EXPECT_NE(body.find(colour), std::string::npos);
}

TEST(PixelPicture, CoversValuesThatAreMissing) {
  const PixelPicture picture{.caption = kMarkup, .height = 1, .width = 2, .values = {kNoValue}};
  const Drawing drawing = pixel_picture(picture);
  EXPECT_NE(drawing.body.find("M0 0h2v1h-2z"), std::string::npos);
  EXPECT_EQ(xml_fault(svg_text(drawing)), "");
}

TEST(Arranged, SetsDrawingsInRows) {
  const Drawing one{.title = "", .width = 100, .height = 50, .body = "<g/>"};
  const Drawing all = arranged("all", {one, one, one}, 2);
  EXPECT_EQ(all.width, 212);  // two and a gap of 12
  EXPECT_EQ(all.height, 112);
  EXPECT_EQ(xml_fault(svg_text(all)), "");
  EXPECT_EQ(arranged("none", {}, 0).height, 0);
}

TEST(LegendDrawing, BreaksLinesThatAreTooLong) {
  std::vector<SeriesLook> looks;
  for (std::size_t i = 0; i < 12; ++i) looks.push_back({"k", kMarkup, i});
  const Drawing legend = legend_drawing(looks, 300);
  EXPECT_GT(legend.height, 60);
  EXPECT_EQ(xml_fault(svg_text(legend)), "");
}

TEST(CurveChart, DrawsLinesAreasBandsAndPoints) {
  CurveChart chart{.title = kMarkup,
                   .y_title = "y",
                   .series = {{.look = {"a", "A", 0}, .x = {0, 1, 2}, .y = {1, 3, 2}, .bands = {}, .filled = true},
                              {.look = {"b", "B", 1}, .x = {0, 2}, .y = {2, 2}, .bands = {{1, 3}, {1, 3}}},
                              {.look = {"c", "C", 2}, .x = {1, 1.5}, .y = {1, 1}, .bands = {}, .points = true}},
                   .spans = {{0, 1, kMarkup}, {1, 2, "second"}}};
  const std::string svg = svg_text(curve_chart(chart));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "class=\"band\""), 2U);
  EXPECT_EQ(count(svg, "class=\"hover\" data-tip=\""), 2U);
  EXPECT_EQ(count(svg, "tabindex"), 0U);
  chart.series.clear();
  chart.spans.clear();
  EXPECT_NE(curve_chart(chart).body.find("no values"), std::string::npos);
}

TEST(CurveChart, TakesValuesThatNoAxisCanCount) {
  for (const double far : {1e17, 1e300}) {
    CurveChart chart{.title = "T",
                     .series = {{.look = {"a", "A", 0}, .x = {far, far * (1 + 1e-15)}, .y = {-far, far}}}};
    EXPECT_EQ(xml_fault(svg_text(curve_chart(chart))), "");
  }
}

TEST(BarChart, PutsTheBarsOfAPlaceSideBySide) {
  const BarChart chart{.title = "T",
                       .places = {"0", "1"},
                       .series = {{{"a", "A", 0}, {25, 75}}, {{"b", "B", 1}, {0, 100}}},
                       .tips = {"zero", "one"}};
  const std::string svg = svg_text(bar_chart(chart));
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_EQ(count(svg, "data-tip=\"one\""), 1U);
  EXPECT_EQ(count(svg, "data-series="), 2U);
}

TEST(GroupMap, DrawsNamesInTwoColumnsAndALineForEachLink) {
  const GroupMap map{.title = "Clusters",
                     .left_title = "selected",
                     .right_title = kMarkup,
                     .groups = {{.left = {"a", kMarkup},
                                 .right = {std::string(80, 'x')},
                                 .links = {{.from = 0, .to = 2, .strength = 1, .tip = "a and x"},
                                           {.from = 0, .to = 1, .strength = kNoValue, .tip = kMarkup},
                                           {.from = 0, .to = 9, .strength = 1, .tip = "nowhere"}},
                                 .more = "and 3 more"},
                                {.left = {"b"}, .right = {"c"}, .links = {}}}};
  const Drawing drawing = group_map(map);
  const std::string svg = svg_text(drawing);
  EXPECT_EQ(xml_fault(svg), "");
  EXPECT_LE(drawing.width, 350);
  EXPECT_EQ(count(svg, "data-tip=\""), 2U);
  EXPECT_EQ(count(svg, "stroke=\"none\" d="), 5U);
  EXPECT_EQ(svg.find("<b"), std::string::npos);
  EXPECT_EQ(svg.find("nan"), std::string::npos);
  EXPECT_NE(svg.find("and 3 more"), std::string::npos);
}

}  // namespace
}  // namespace obverse
