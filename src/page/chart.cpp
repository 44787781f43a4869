#include "page/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "page/axes.h"
#include "page/svg.h"

namespace obverse {
namespace {

struct Point {
  double x;
  double y;
};

/// A path through the points; one that is not finite ends a stretch.
std::string line_path(const std::vector<Point>& points) {
  std::string path;
  bool open = false;
  for (const Point& point : points) {
    const bool there = std::isfinite(point.y);
    if (there) path += fmt::format("{}{} {}", open ? 'L' : 'M', svg::at(point.x), svg::at(point.y));
    open = there;
  }
  return path;
}

/// The area between the edges, a piece for each stretch of finite points.
std::string band_path(const std::vector<Point>& upper, const std::vector<Point>& lower) {
  std::string path;
  for (std::size_t from = 0; from < upper.size();) {
    std::size_t end = from;
    while (end < upper.size() && std::isfinite(upper[end].y)) ++end;
    if (end - from > 1) {
      std::vector<Point> edge(upper.begin() + static_cast<std::ptrdiff_t>(from),
                              upper.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::size_t i = end; i > from; --i) edge.push_back(lower[i - 1]);
      path += line_path(edge) + "z";
    }
    from = std::max(end, from + 1);
  }
  return path;
}

double deviation_of(const LineSeries& series, std::size_t i) {
  const double deviation = i < series.deviations.size() ? series.deviations[i] : 0;
  return std::isfinite(deviation) ? deviation : 0;
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
    const double deviation = deviation_of(series, i);
    spread = spread || deviation > 0;
    const auto pixel = [&](double v) { return std::isfinite(v) ? plane.y.pixel(v) : kNoValue; };
    line.push_back({x, pixel(value)});
    upper.push_back({x, pixel(value + deviation)});
    lower.push_back({x, pixel(value - deviation)});
    if (!std::isfinite(value)) continue;
    const std::string text = i < series.tips.size()
                                 ? series.tips[i]
                                 : fmt::format("{}, {}: {:.4g}", series.look.name, chart.places[i], value);
    points += fmt::format("<path d=\"{}\" stroke=\"none\"{}/>", point_path(x, line.back().y, series.look.place),
                          svg::tip(text));
  }
  plane.body += series_group(series.look);
  if (const std::string band = spread ? band_path(upper, lower) : ""; !band.empty()) {
    plane.body += fmt::format("<path class=\"band\" stroke=\"none\" fill-opacity=\".12\" d=\"{}\"/>", band);
  }
  plane.body += fmt::format("<path fill=\"none\" stroke-width=\"1.8\"{} d=\"{}\"/>", series_dashes(series.look.place),
                            line_path(line));
  plane.body += points + "</g>";
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
      range.add(one.values[i] - deviation_of(one, i));
      range.add(one.values[i] + deviation_of(one, i));
    }
  }
  return range;
}

Drawing line_chart(const LineChart& chart) {
  const Range found = value_range(chart.series);
  const Range range = drawable(found, chart.low, chart.high, false);
  Plane drawn = plane({chart.title, chart.x_title, chart.y_title}, range, false, chart.width, chart.height);
  const double step = (drawn.x.to - drawn.x.from) / static_cast<double>(std::max<std::size_t>(1, chart.places.size()));
  double widest = 1;
  for (const std::string& place : chart.places) widest = std::fmax(widest, svg::label_width(place) + 6);
  const auto stride = static_cast<std::size_t>(std::fmax(1, std::ceil(widest / step)));  // labels that would collide
  for (std::size_t i = 0; i < chart.places.size(); i += stride) {
    add_x_tick(drawn, drawn.x.from + (static_cast<double>(i) + 0.5) * step, chart.places[i]);
  }
  for (const LineSeries& series : chart.series) add_line(drawn, chart, series, step);
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
    if (point.marked) {
      drawn.body +=
          fmt::format("<path fill=\"none\" stroke-width=\"1.8\" d=\"M{} {}a8 8 0 1 0 16 0a8 8 0 1 0-16 0z\"/>",
                      svg::at(place.x - 8), svg::at(place.y));
    }
    drawn.body += fmt::format("<path d=\"{}\" stroke=\"none\"{}/>", point_path(place.x, place.y, point.look.place),
                              svg::tip(point.tip));
    drawn.body += labels.placed(place, point.label, point.marked) + "</g>";
  }
  if (empty) add_no_values(drawn);
  return {.title = chart.title, .width = chart.width, .height = chart.height, .body = std::move(drawn.body)};
}

}  // namespace obverse
