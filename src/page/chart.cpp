#include "page/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "page/axes.h"
#include "page/paths.h"
#include "page/svg.h"

namespace obverse {
namespace {

/// Around the value, which it always holds.
Range band_of(const LineSeries& series, std::size_t i) {
  Range band;
  band.add(series.values[i]);
  if (i < series.bands.size()) {
    band.add(series.bands[i].low);
    band.add(series.bands[i].high);
  } else if (i < series.deviations.size()) {
    band.add(series.values[i] - series.deviations[i]);
    band.add(series.values[i] + series.deviations[i]);
  }
  return band;
}

std::string ring(const Point& point) {
  return fmt::format("<path fill=\"none\" stroke-width=\"1.8\" d=\"M{} {}a8 8 0 1 0 16 0a8 8 0 1 0-16 0z\"/>",
                     svg::at(point.x - 8), svg::at(point.y));
}

void add_line(Plane& plane, const LineChart& chart, const LineSeries& series, double step) {
  std::vector<Point> line;
  std::vector<Point> upper;
  std::vector<Point> lower;
  std::string points;
  bool spread = false;
  for (std::size_t i = 0; i < std::min(series.values.size(), chart.places.size()); ++i) {
    const double value = series.values[i];
    const double x = plane.x.from + (static_cast<double>(i) + 0.5) * step;
    const Range band = std::isfinite(value) ? band_of(series, i) : Range{kNoValue, kNoValue};
    spread = spread || band.low < band.high;
    const auto pixel = [&](double v) { return std::isfinite(v) ? plane.y.pixel(v) : kNoValue; };
    line.push_back({x, pixel(value)});
    upper.push_back({x, pixel(band.high)});
    lower.push_back({x, pixel(band.low)});
    if (!std::isfinite(value)) continue;
    const std::string text = i < series.tips.size()
                                 ? series.tips[i]
                                 : fmt::format("{}, {}: {:.4g}", series.look.name, chart.places[i], value);
    points += fmt::format("<path d=\"{}\" stroke=\"none\"{}/>", point_path(x, line.back().y, series.look.place),
                          svg::tip(text));
  }
  if (series.quiet) plane.body += "<g opacity=\".6\">";
  plane.body += series_group(series.look);
  if (const std::string band = spread ? band_path(upper, lower) : ""; !band.empty()) {
    plane.body += fmt::format("<path class=\"band\" stroke=\"none\" fill-opacity=\".12\" d=\"{}\"/>", band);
  }
  plane.body += fmt::format("<path fill=\"none\" stroke-width=\"{}\"{} d=\"{}\"/>", series.quiet ? "1.2" : "1.8",
                            series_dashes(series.look.place), line_path(line));
  if (&series == chart.series.data() && chart.marked < line.size() && std::isfinite(line[chart.marked].y)) {
    plane.body += ring(line[chart.marked]);
  }
  plane.body += points + (series.quiet ? "</g></g>" : "</g>");
}

/// At most two values for every two pixel columns, the least and the largest, in the order in which they come.
std::vector<Point> thinned(const std::vector<double>& values, const Scale& x, const Scale& y, double floor) {
  const auto columns = static_cast<std::size_t>(std::fmax(1, (x.to - x.from) / 2));
  const std::size_t stride = std::max<std::size_t>(1, (values.size() + columns - 1) / columns);
  std::vector<Point> points;
  const auto add = [&](std::size_t i) {
    const bool there = std::isfinite(values[i]) && (!y.logarithmic || values[i] >= floor);
    points.push_back({x.pixel(static_cast<double>(i + 1)), there ? y.pixel(values[i]) : kNoValue});
  };
  for (std::size_t from = 0; from < values.size(); from += stride) {
    const auto begin = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto end = values.begin() + static_cast<std::ptrdiff_t>(std::min(from + stride, values.size()));
    const bool finite = std::all_of(begin, end, [](double v) { return std::isfinite(v); });
    const auto [least, largest] = finite ? std::minmax_element(begin, end) : std::pair(begin, begin);
    const auto first = static_cast<std::size_t>(std::min(least, largest) - values.begin());
    const auto second = static_cast<std::size_t>(std::max(least, largest) - values.begin());
    add(first);
    if (second != first) add(second);
  }
  return points;
}

/// A rectangle of a drawing, in pixels.
struct Box {
  double left;
  double top;
  double right;
  double bottom;

  bool touches(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

/// At a place of a line chart; page.js moves it by steps.
void add_guide(Plane& plane, const LineChart& chart, double step) {
  plane.body += fmt::format(
      "<path class=\"guide\" data-place=\"{}\" data-places=\"{}\" data-step=\"{:g}\" d=\"M{} {}V{}\"/>", chart.marked,
      chart.places.size(), step, svg::at(plane.x.from + (static_cast<double>(chart.marked) + 0.5) * step),
      svg::at(plane.y.to), svg::at(plane.y.from));
}

/// The pixels that a line passes through, closely enough that no label slips between two of them.
void add_boxes(std::vector<Box>& boxes, const Plane& plane, const LineSeries& series, double step) {
  constexpr std::size_t kParts = 8;  // of the way from a point to the next
  constexpr double kRadius = 5;
  for (std::size_t i = 0; i < series.values.size(); ++i) {
    const double next = series.values[std::min(i + 1, series.values.size() - 1)];
    for (std::size_t part = 0; part < (i + 1 < series.values.size() ? kParts : 1); ++part) {
      const double share = static_cast<double>(part) / kParts;
      const double x = plane.x.from + (static_cast<double>(i) + 0.5 + share) * step;
      const double y = plane.y.pixel(series.values[i] + share * (next - series.values[i]));
      if (std::isfinite(y)) boxes.push_back({x - kRadius, y - kRadius, x + kRadius, y + kRadius});
    }
  }
}

/// A horizontal line. Returns its label, where it covers least of what is taken.
std::string add_level(Plane& plane, const Level& level, std::vector<Box>& taken) {
  if (!std::isfinite(level.value)) return {};
  constexpr double kAway = 4;  // from the ends
  const double y = plane.y.pixel(level.value);
  plane.body += fmt::format("<path class=\"axis\" stroke-dasharray=\"5 4\" d=\"M{} {}H{}\"/>", svg::at(plane.x.from),
                            svg::at(y), svg::at(plane.x.to));
  const double width = svg::label_width(level.label);
  // Above and below the line, first at its ends.
  std::vector<Point> sides;
  for (const double share : {0.0, 1.0, 0.25, 0.5, 0.75}) {
    const double x = plane.x.from + kAway + share * (plane.x.to - plane.x.from - 2 * kAway - width);
    sides.push_back({x, y - 5});
    sides.push_back({x, y + 14});
  }
  const auto box_at = [&](const Point& side) { return Box{side.x, side.y - 10, side.x + width, side.y + 3}; };
  const auto touched = [&](const Point& side) {
    const Box box = box_at(side);
    const bool inside = box.top >= plane.y.to && box.bottom <= plane.y.from;
    const auto touches = [&](const Box& other) { return box.touches(other); };
    return inside ? std::count_if(taken.begin(), taken.end(), touches) : std::ptrdiff_t{1} << 30;
  };
  const Point place = *std::min_element(sides.begin(), sides.end(),
                                        [&](const Point& a, const Point& b) { return touched(a) < touched(b); });
  taken.push_back(box_at(place));
  return svg::label(place.x, place.y, "start", level.label);
}

/// Labels beside points, each at the first of its sides that is free.
class Labels {
 public:
  explicit Labels(const Plane& plane) : plane_(plane) {}

  void keep_free(const Point& point, double radius) {
    taken_.push_back({point.x - radius, point.y - radius, point.x + radius, point.y + radius});
  }

  /// Empty where every side is taken.
  std::string placed(const Point& point, const std::string& text, bool strong) {
    const double width = svg::label_width(text);
    const double away = strong ? 11 : 8;  // from the middle of the point; a ring needs more
    const double left = point.x - width;
    const std::array<Point, 8> sides{{{point.x + away, point.y + 4},
                                      {left - away, point.y + 4},
                                      {point.x - width / 2, point.y - away - 1},
                                      {point.x - width / 2, point.y + away + 10},
                                      {point.x + away - 3, point.y - away + 1},
                                      {left - away + 3, point.y - away + 1},
                                      {point.x + away - 3, point.y + away + 5},
                                      {left - away + 3, point.y + away + 5}}};
    for (const Point& side : sides) {
      const Box box{side.x, side.y - 10, side.x + width, side.y + 3};
      const bool inside = box.left >= plane_.x.from && box.right <= plane_.x.to + kRightMargin &&
                          box.top >= plane_.y.to && box.bottom <= plane_.y.from;
      const auto touched = [&](const Box& other) { return box.touches(other); };
      if (!inside || std::any_of(taken_.begin(), taken_.end(), touched)) continue;
      taken_.push_back(box);
      return svg::label(side.x, side.y, "start", text, strong ? " font-weight=\"600\"" : "");
    }
    return {};
  }

 private:
  const Plane& plane_;
  std::vector<Box> taken_;
};

}  // namespace

void Range::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::fmin(low, value);
  high = std::fmax(high, value);
}

Range value_range(const std::vector<LineSeries>& series) {
  Range range;
  for (const LineSeries& one : series) {
    for (std::size_t i = 0; i < one.values.size(); ++i) {
      if (!std::isfinite(one.values[i])) continue;
      const Range band = band_of(one, i);
      range.add(band.low);
      range.add(band.high);
    }
  }
  return range;
}

Drawing line_chart(const LineChart& chart) {
  Range found = value_range(chart.series);
  for (const Level& level : chart.levels) found.add(level.value);
  const Range range = drawable(found, chart.low, chart.high, false);
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, range, false, chart.width, chart.height);
  const double step = (drawn.x.to - drawn.x.from) / static_cast<double>(std::max<std::size_t>(1, chart.places.size()));
  double widest = 1;
  for (const std::string& place : chart.places) widest = std::fmax(widest, svg::label_width(place) + 6);
  const auto stride = static_cast<std::size_t>(std::fmax(1, std::ceil(widest / step)));  // labels that would collide
  // Counted from the marked place, so that it has its label.
  const std::size_t first = chart.marked < chart.places.size() ? chart.marked % stride : 0;
  for (std::size_t i = first; i < chart.places.size(); i += stride) {
    add_x_tick(drawn, drawn.x.from + (static_cast<double>(i) + 0.5) * step, chart.places[i]);
  }
  if (chart.marked < chart.places.size()) add_guide(drawn, chart, step);
  std::vector<Box> taken;
  for (const LineSeries& series : chart.series) add_boxes(taken, drawn, series, step);
  std::string labels;
  for (const Level& level : chart.levels) labels += add_level(drawn, level, taken);
  for (const LineSeries& series : chart.series) add_line(drawn, chart, series, step);
  if (!labels.empty()) drawn.body += "<g class=\"halo\">" + labels + "</g>";  // over the bands
  if (!(found.low <= found.high)) add_no_values(drawn);
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

Drawing value_chart(const ValueChart& chart) {
  double largest = 0;
  std::size_t longest = 0;
  for (const ValueSeries& series : chart.series) {
    longest = std::max(longest, series.values.size());
    for (const double value : series.values) largest = std::isfinite(value) ? std::fmax(largest, value) : largest;
  }
  const double floor = std::fmax(largest * 1e-8, std::numeric_limits<double>::min());
  Range found;
  for (const ValueSeries& series : chart.series) {
    for (const double value : series.values) {
      if (!chart.logarithmic || value >= floor) found.add(value);
    }
  }
  const Range range = drawable(found, chart.low, chart.high, chart.logarithmic);
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, range, chart.logarithmic, chart.width, chart.height);
  drawn.x.low = 1;
  drawn.x.high = std::fmax(2, static_cast<double>(longest));
  add_x_tick(drawn, drawn.x.from, "1");
  for (const Tick& tick : linear_ticks(0, drawn.x.high, 4)) {
    // Room for the label of the first value.
    if (drawn.x.pixel(tick.value) > drawn.x.from + 24) add_x_tick(drawn, drawn.x.pixel(tick.value), tick.label);
  }
  for (const ValueSeries& series : chart.series) {
    const std::string path = line_path(thinned(series.values, drawn.x, drawn.y, floor));
    if (path.empty()) continue;
    drawn.body += fmt::format("{}<path fill=\"none\" stroke-width=\"1.8\"{} d=\"{}\"/></g>", series_group(series.look),
                              series_dashes(series.look.place), path);
  }
  if (!(found.low <= found.high)) add_no_values(drawn);
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

Drawing scatter_chart(const ScatterChart& chart) {
  const auto is_shown = [](const ScatterPoint& point) {
    return std::isfinite(point.x) && point.x > 0 && std::isfinite(point.y);
  };
  Range along;
  Range up;
  for (const ScatterPoint& point : chart.points) {
    if (!is_shown(point)) continue;
    along.add(point.x);
    up.add(point.y);
  }
  const bool empty = !(up.low <= up.high);
  if (!empty) up.add(up.high + 0.08 * (up.high - up.low));  // room for labels above the highest point
  const bool logarithmic = chart.places.empty();
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, drawable(up, kNoValue, kNoValue, false), false,
                      chart.width, chart.height);
  if (logarithmic) {
    const Range range = drawable(along, empty ? kNoValue : along.low / 1.5, empty ? kNoValue : along.high * 1.5, true);
    drawn.x = {.low = range.low, .high = range.high, .from = drawn.x.from, .to = drawn.x.to, .logarithmic = true};
    for (const Tick& tick : logarithmic_ticks(range.low, range.high)) {
      add_x_tick(drawn, drawn.x.pixel(tick.value), tick.label);
    }
  } else {
    drawn.x.high = static_cast<double>(chart.places.size());
    for (std::size_t i = 0; i < chart.places.size(); ++i) {
      add_x_tick(drawn, drawn.x.pixel(static_cast<double>(i) + 0.5), chart.places[i]);
    }
  }
  const auto place_of = [&](const ScatterPoint& point) {
    return Point{drawn.x.pixel(point.x), drawn.y.pixel(point.y)};
  };
  Labels labels(drawn);
  for (const ScatterPoint& point : chart.points) {
    if (is_shown(point)) labels.keep_free(place_of(point), point.marked ? 8 : 5);
  }
  for (const ScatterPoint& point : chart.points) {
    if (!is_shown(point)) continue;
    const Point place = place_of(point);
    drawn.body += series_group(point.look);
    if (point.marked) drawn.body += ring(place);
    drawn.body += fmt::format("<path d=\"{}\" stroke=\"none\"{}/>", point_path(place.x, place.y, point.look.place),
                              svg::tip(point.tip));
    drawn.body += labels.placed(place, point.label, point.marked) + "</g>";
  }
  if (empty) add_no_values(drawn);
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

}  // namespace obverse
