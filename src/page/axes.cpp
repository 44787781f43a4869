#include "page/axes.h"

#include <fmt/format.h>

#include "page/svg.h"

namespace obverse {
namespace {

constexpr double kTop = 26;  // room for the title, in pixels

/// A whole number of 1, 2 or 5 times a power of ten, such that about `count` of them fill the range.
double tick_step(double range, double count) {
  const double power = std::pow(10, std::floor(std::log10(range / count)));
  const double share = range / count / power;
  return power * (share < 1.5 ? 1 : share < 3.5 ? 2 : share < 7.5 ? 5 : 10);
}

}  // namespace

std::vector<Tick> linear_ticks(double low, double high, double count) {
  const double step = tick_step(high - low, count);
  // Numbers so close to each other, or so far apart, that double cannot count steps between them.
  if (!(step > 1e-12 * std::fmax(std::fabs(low), std::fabs(high))) || !std::isfinite(step)) return {};
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

Plane plane(const PlaneText& text, Range range, bool logarithmic, double width, double height) {
  const std::vector<Tick> ticks =
      logarithmic ? logarithmic_ticks(range.low, range.high) : linear_ticks(range.low, range.high, 5);
  double widest = 0;
  for (const Tick& tick : ticks) widest = std::fmax(widest, svg::label_width(tick.label));
  // Panels with labels of different lengths still line up: the column is never narrower than five digits.
  const double left = std::fmax(widest, 5 * svg::kLetter) + 8 + (text.y_title.empty() ? 0 : 16);
  const double bottom = height - (text.x_title.empty() ? 20 : 38);
  Plane plane;
  plane.x = {.low = 0, .high = 1, .from = left, .to = width - kRightMargin};
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

}  // namespace obverse
