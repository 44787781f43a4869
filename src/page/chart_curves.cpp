#include "page/chart_curves.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "page/axes.h"
#include "page/paths.h"
#include "page/svg.h"

namespace obverse {
namespace {

/// Of the points, the bands, and what the hover spans cover.
struct Extent {
  Range x;
  Range y;
};

Extent extent_of(const CurveChart& chart) {
  Extent extent;
  for (const HoverSpan& span : chart.spans) {
    extent.x.add(span.from);
    extent.x.add(span.to);
  }
  for (const CurveSeries& series : chart.series) {
    for (const double x : series.x) extent.x.add(x);
    for (const double y : series.y) extent.y.add(y);
    for (const Range& band : series.bands) {
      extent.y.add(band.low);
      extent.y.add(band.high);
    }
  }
  return extent;
}

/// A stroke from each point of one edge to that of the other.
std::string strokes_path(const std::vector<Point>& upper, const std::vector<Point>& lower) {
  std::string path;
  for (std::size_t i = 0; i < upper.size(); ++i) {
    path += fmt::format("M{} {}V{}", svg::at(upper[i].x), svg::at(upper[i].y), svg::at(lower[i].y));
  }
  return path;
}

void add_curve(Plane& plane, const CurveSeries& series) {
  std::vector<Point> line;
  std::vector<Point> upper;
  std::vector<Point> lower;
  const std::size_t count = std::min(series.x.size(), series.y.size());
  for (std::size_t i = 0; i < count; ++i) {
    const double x = plane.x.pixel(series.x[i]);
    line.push_back({x, plane.y.pixel(series.y[i])});
    if (i >= series.bands.size()) continue;
    upper.push_back({x, plane.y.pixel(series.bands[i].high)});
    lower.push_back({x, plane.y.pixel(series.bands[i].low)});
  }
  if (series.filled) {
    upper = line;
    for (const Point& point : line) lower.push_back({point.x, plane.y.from});
  }
  plane.body += series_group(series.look);
  if (series.points && !upper.empty()) {
    plane.body += fmt::format("<path stroke-width=\"1.8\" d=\"{}\"/>", strokes_path(upper, lower));
  } else if (const std::string area = band_path(upper, lower); !area.empty()) {
    plane.body += fmt::format("<path class=\"band\" stroke=\"none\" fill-opacity=\".12\" d=\"{}\"/>", area);
  }
  std::string points;
  if (series.points || count == 1) {
    for (const Point& point : line) points += point_path(point.x, point.y, series.look.place);
    plane.body += fmt::format("<path stroke=\"none\" fill-opacity=\".55\" d=\"{}\"/>", points);
  } else {
    plane.body += fmt::format("<path fill=\"none\" stroke-width=\"1.8\"{} d=\"{}\"/>", series_dashes(series.look.place),
                              line_path(line));
  }
  plane.body += "</g>";
}

/// A place under the pointer that shows values; there are too many of them for the keyboard to stop at each.
std::string hover(double x, double y, double width, double height, std::string_view text) {
  return fmt::format("<path class=\"hover\" data-tip=\"{}\" d=\"M{} {}h{}v{}h-{}z\"/>", escaped(text), svg::at(x),
                     svg::at(y), svg::at(width), svg::at(height), svg::at(width));
}

/// Labels that would collide are left out.
void add_places(Plane& plane, const std::vector<std::string>& places, double step) {
  double widest = 1;
  for (const std::string& place : places) widest = std::fmax(widest, svg::label_width(place) + 6);
  const auto stride = static_cast<std::size_t>(std::fmax(1, std::ceil(widest / step)));
  for (std::size_t i = 0; i < places.size(); i += stride) {
    add_x_tick(plane, plane.x.from + (static_cast<double>(i) + 0.5) * step, places[i]);
  }
}

}  // namespace

Drawing curve_chart(const CurveChart& chart) {
  const Extent extent = extent_of(chart);
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, drawable(extent.y, chart.low, kNoValue, false),
                      false, chart.width, chart.height);
  Range along = extent.x;
  if (chart.spans.empty() || !(along.low < along.high)) along = drawable(along, kNoValue, kNoValue, false);
  drawn.x.low = along.low;
  drawn.x.high = along.high;
  std::vector<Tick> ticks;
  for (const double value : chart.ticks) ticks.push_back({value, fmt::format("{:.4g}", value)});
  for (const Tick& tick : chart.ticks.empty() ? linear_ticks(along.low, along.high, 4) : ticks) {
    add_x_tick(drawn, drawn.x.pixel(tick.value), tick.label);
  }
  for (const CurveSeries& series : chart.series) add_curve(drawn, series);
  for (const HoverSpan& span : chart.spans) {
    const double from = drawn.x.pixel(span.from);
    drawn.body += hover(from, drawn.y.to, drawn.x.pixel(span.to) - from, drawn.y.from - drawn.y.to, span.tip);
  }
  if (!(extent.y.low <= extent.y.high)) add_no_values(drawn);
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

Drawing bar_chart(const BarChart& chart) {
  constexpr double kFilled = 0.8;  // of a place
  Range range;
  for (const BarSeries& series : chart.series) {
    for (const double value : series.values) range.add(value);
  }
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, drawable(range, 0, kNoValue, false), false,
                      chart.width, chart.height);
  const double step = (drawn.x.to - drawn.x.from) / static_cast<double>(std::max<std::size_t>(1, chart.places.size()));
  // A single value does not fill the whole width.
  const double width =
      std::fmin(kFilled * step / static_cast<double>(std::max<std::size_t>(1, chart.series.size())), 60);
  add_places(drawn, chart.places, step);
  for (std::size_t s = 0; s < chart.series.size(); ++s) {
    const BarSeries& series = chart.series[s];
    const double aside = (static_cast<double>(s) - static_cast<double>(chart.series.size()) / 2) * width;
    std::string bars;
    for (std::size_t i = 0; i < std::min(series.values.size(), chart.places.size()); ++i) {
      if (!(series.values[i] > 0)) continue;
      const double left = drawn.x.from + (static_cast<double>(i) + 0.5) * step + aside;
      const double top = drawn.y.pixel(series.values[i]);
      bars += fmt::format("M{} {}h{}V{}h-{}z", svg::at(left), svg::at(top), svg::at(0.92 * width),
                          svg::at(drawn.y.from), svg::at(0.92 * width));
    }
    drawn.body +=
        fmt::format("{}<path stroke=\"none\" fill-opacity=\".8\" d=\"{}\"/></g>", series_group(series.look), bars);
  }
  for (std::size_t i = 0; i < std::min(chart.tips.size(), chart.places.size()); ++i) {
    drawn.body +=
        hover(drawn.x.from + static_cast<double>(i) * step, drawn.y.to, step, drawn.y.from - drawn.y.to, chart.tips[i]);
  }
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

}  // namespace obverse
