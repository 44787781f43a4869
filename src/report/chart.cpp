#include "report/chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "report/svg.h"

namespace obverse {
namespace {

constexpr double kTop = 26;  // room for the title, in pixels
constexpr double kRight = 12;

/// From values to pixels along one axis.
struct Scale {
  double low = 0;  ///< of the values
  double high = 1;
  double from = 0;  ///< pixel of low
  double to = 1;    ///< pixel of high
  bool logarithmic = false;

  double pixel(double value) const {
    const auto place = [this](double v) { return logarithmic ? std::log10(v) : v; };
    const double share = (place(value) - place(low)) / (place(high) - place(low));
    return from + std::clamp(share, 0.0, 1.0) * (to - from);
  }
};

struct Tick {
  double value;
  std::string label;
};

/// A whole number of 1, 2 or 5 times a power of ten, such that about `count` of them fill the range.
double tick_step(double range, double count) {
  const double power = std::pow(10, std::floor(std::log10(range / count)));
  const double share = range / count / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

std::vector<Tick> linear_ticks(double low, double high, double count) {
  const double step = tick_step(high - low, count);
  const int digits = static_cast<int>(std::clamp(-std::floor(std::log10(step) + 1e-9), 0.0, 12.0));
  const bool plain = std::fmax(std::fabs(low), std::fabs(high)) < 1e6 && step > 1e-5;
  std::vector<Tick> ticks;
  for (double i = std::ceil(low / step - 1e-9); i * step <= high + 1e-9 * step; ++i) {
    const double value = i * step + 0.0;  // without the sign of -0
    std::string label = plain ? fmt::format("{:.{}f}", value, digits) : fmt::format("{:.3g}", value);
    if (plain && digits == 0 && value >= 1000) label = with_commas(static_cast<std::size_t>(std::lround(value)));
    ticks.push_back({value, std::move(label)});
  }
  return ticks;
}

/// Powers of ten, not more than seven; 1, 2 and 5 times each where the range spans little more than one.
std::vector<Tick> logarithmic_ticks(double low, double high) {
  const double decades = std::log10(high / low);
  const int stride = std::max(1, static_cast<int>(std::ceil(decades / 7)));
  std::vector<Tick> ticks;
  for (int power = static_cast<int>(std::floor(std::log10(low))); power <= std::log10(high); ++power) {
    if (power % stride != 0) continue;
    for (const double part : decades < 2.5 ? std::vector<double>{1, 2, 5} : std::vector<double>{1}) {
      const double value = part * std::pow(10, power);
      if (value >= low * 0.999 && value <= high * 1.001) ticks.push_back({value, fmt::format("{:g}", value)});
    }
  }
  return ticks;
}

/// A range that can be drawn: bounds that were given hold, others get a little room; without values 0 to 1.
Range drawable(Range range, double low, double high, bool logarithmic) {
  if (!(range.low <= range.high)) range = logarithmic ? Range{0.1, 1} : Range{0, 1};
  if (range.low == range.high) {
    const double room = logarithmic ? 0 : std::fmax(std::fabs(range.low) * 0.02, 1e-6);
    range = logarithmic ? Range{range.low / 2, range.high * 2} : Range{range.low - room, range.high + room};
  }
  const double room = logarithmic ? 0 : 0.04 * (range.high - range.low);
  range = logarithmic ? Range{range.low / 1.2, range.high * 1.2} : Range{range.low - room, range.high + room};
  if (std::isfinite(low)) range.low = low;
  if (std::isfinite(high)) range.high = high;
  if (!(range.low < range.high)) range.high = range.low + (logarithmic ? range.low : 1);
  return range;
}

/// The plane of a chart, axes and titles on it.
struct Plane {
  Scale x;
  Scale y;
  std::string body;
};

struct PlaneText {
  const std::string& title;
  const std::string& x_title;
  const std::string& y_title;
};

/// The y axis with its grid; the caller adds the ticks of the x axis.
Plane plane(const PlaneText& text, Range range, bool logarithmic, double width, double height) {
  const std::vector<Tick> ticks =
      logarithmic ? logarithmic_ticks(range.low, range.high) : linear_ticks(range.low, range.high, 5);
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::fmax(widest, svg::label_width(tick.label));
  // Panels with labels of different lengths still line up: the column is never narrower than five digits.
  const double left = std::fmax(widest, 5 * svg::kLetter) + 8 + (text.y_title.empty() ? 0 : 16);
  const double bottom = height - (text.x_title.empty() ? 20 : 38);
  Plane plane;
  plane.x = {.low = 0, .high = 1, .from = left, .to = width - kRight};
  plane.y = {.low = range.low, .high = range.high, .from = bottom, .to = kTop, .logarithmic = logarithmic};
  std::string grid;
  for (const Tick& tick : ticks) {
    const double y = plane.y.pixel(tick.value);
    grid += fmt::format("M{} {}H{}", svg::at(left), svg::at(y), svg::at(plane.x.to));
    plane.body += svg::label(left - 6, y + 4, "end", tick.label);
  }
  if (!grid.empty()) plane.body += fmt::format("<path class=\"grid\" d=\"{}\"/>", grid);
  plane.body += fmt::format("<path class=\"axis\" d=\"M{0} {1}V{2}H{3}\"/>", svg::at(left), svg::at(kTop),
                            svg::at(bottom), svg::at(plane.x.to));
  const bool fits = left + svg::label_width(text.title) <= width;
  plane.body += svg::heading(fits ? left : 0, text.title, width);
  const double middle = (left + plane.x.to) / 2;
  if (!text.x_title.empty()) plane.body += svg::label(middle, height - 6, "middle", text.x_title);
  if (!text.y_title.empty()) {
    const double centre = (bottom + kTop) / 2;
    plane.body += svg::label(12, centre, "middle", text.y_title,
                             fmt::format(" transform=\"rotate(-90 12 {})\"", svg::at(centre)));
  }
  return plane;
}

void add_x_tick(Plane& plane, double x, const std::string& label) {
  const double bottom = plane.y.from;
  plane.body += fmt::format("<path class=\"axis\" d=\"M{} {}v4\"/>", svg::at(x), svg::at(bottom));
  plane.body += svg::label(x, bottom + 16, "middle", label);
}

void add_no_values(Plane& plane) {
  plane.body += svg::label((plane.x.from + plane.x.to) / 2, (plane.y.from + plane.y.to) / 2, "middle", "no values");
}

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
      const bool inside = box.left >= plane_.x.from && box.right <= plane_.x.to + kRight && box.top >= plane_.y.to &&
                          box.bottom <= plane_.y.from;
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

Drawing bar_chart(const BarChart& chart) {
  constexpr double kLine = 22;
  constexpr double kThick = 13;
  Range range;
  range.add(chart.low);
  double names = 0;
  double texts = 0;
  for (const Bar& bar : chart.bars) {
    range.add(bar.value + (std::isfinite(bar.deviation) ? bar.deviation : 0));
    names = std::fmax(names, svg::label_width(excerpt(bar.look.name, 24)));
    texts = std::fmax(texts, svg::label_width(bar.text));
  }
  if (std::isfinite(chart.high)) range.high = chart.high;
  if (!(range.high > range.low)) range.high = range.low + 1;
  const double bottom = kTop + kLine * static_cast<double>(chart.bars.size());
  const Scale x{.low = range.low, .high = range.high, .from = names + 10, .to = chart.width - texts - 14};
  const double height = bottom + (chart.x_title.empty() ? 22 : 40);
  Drawing out{
      .title = chart.title, .width = chart.width, .height = height, .body = svg::heading(0, chart.title, chart.width)};
  for (const Tick& tick : linear_ticks(range.low, range.high, std::fmax(2, (x.to - x.from) / 60))) {
    const double at = x.pixel(tick.value);
    out.body += fmt::format("<path class=\"grid\" d=\"M{} {}V{}\"/>", svg::at(at), svg::at(kTop), svg::at(bottom));
    out.body += svg::label(at, bottom + 16, "middle", tick.label);
  }
  for (std::size_t i = 0; i < chart.bars.size(); ++i) {
    const Bar& bar = chart.bars[i];
    const double middle = kTop + kLine * (static_cast<double>(i) + 0.5);
    out.body += series_group(bar.look);
    out.body += svg::label(x.from - 6, middle + 4, "end", excerpt(bar.look.name, 24), " stroke=\"none\"");
    double end = x.from;
    if (std::isfinite(bar.value)) {
      end = x.pixel(bar.value);
      out.body +=
          fmt::format("<path stroke=\"none\" d=\"M{} {}H{}v{}H{}z\"{}/>", svg::at(x.from), svg::at(middle - kThick / 2),
                      svg::at(end), svg::at(kThick), svg::at(x.from), svg::tip(bar.tip));
    }
    if (std::isfinite(bar.value) && bar.deviation > 0) {
      const double low = x.pixel(bar.value - bar.deviation);
      end = x.pixel(bar.value + bar.deviation);
      out.body += fmt::format("<path class=\"axis\" d=\"M{0} {2}H{1}M{0} {3}v6M{1} {3}v6\"/>", svg::at(low),
                              svg::at(end), svg::at(middle), svg::at(middle - 3));
    }
    out.body += svg::label(end + 6, middle + 4, "start", bar.text, " stroke=\"none\"") + "</g>";
  }
  out.body += fmt::format("<path class=\"axis\" d=\"M{} {}V{}\"/>", svg::at(x.from), svg::at(kTop), svg::at(bottom));
  if (!chart.x_title.empty()) out.body += svg::label((x.from + x.to) / 2, height - 6, "middle", chart.x_title);
  return out;
}

}  // namespace obverse
