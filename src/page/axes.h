// The axes of a chart: from values to pixels, ticks with their labels, and the plane that a chart is drawn on.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "page/chart.h"

namespace obverse {

/// Pixels on the right of a plane, which labels of points may use.
inline constexpr double kRightMargin = 12;

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

/// About `count` of them, at whole numbers of 1, 2 or 5 times a power of ten.
std::vector<Tick> linear_ticks(double low, double high, double count);
/// Powers of ten, not more than seven; 1, 2 and 5 times each where the range spans little more than one.
std::vector<Tick> logarithmic_ticks(double low, double high);

/// A range that can be drawn: bounds that were given hold, others get a little room; without values 0 to 1.
Range drawable(Range range, double low, double high, bool logarithmic);

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
Plane plane(const PlaneText& text, Range range, bool logarithmic, double width, double height);
void add_x_tick(Plane& plane, double x, const std::string& label);
/// Says that there are no values, in the middle.
void add_no_values(Plane& plane);

}  // namespace obverse
