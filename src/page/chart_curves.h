// Charts of how values are distributed: lines over a linear axis, and bars. As in chart.h all texts are escaped.
#pragma once

#include <string>
#include <vector>

#include "page/chart.h"

namespace obverse {

/// A stretch of the x axis that says something on hover.
struct HoverSpan {
  double from = 0;
  double to = 0;
  std::string tip = {};
};

/// Values by a number: a line, or points alone.
struct CurveSeries {
  SeriesLook look;
  std::vector<double> x;
  std::vector<double> y;
  std::vector<Range> bands = {};  ///< around the values, an area or, of points, a stroke for each; may be empty
  bool filled = false;            ///< the area down to the x axis
  bool points = false;            ///< no line
};

/// Lines over a linear x axis. One point of a line is drawn as a point.
struct CurveChart {
  std::string title;
  std::string x_title = {};
  std::string y_title = {};
  std::vector<CurveSeries> series = {};
  std::vector<HoverSpan> spans = {};
  std::vector<double> ticks = {};  ///< values that the x axis names; none: round numbers
  double low = kNoValue;           ///< of the y axis; not given: by the values
  double width = 300;
  double height = 190;
};
Drawing curve_chart(const CurveChart& chart);

struct BarSeries {
  SeriesLook look;
  std::vector<double> values;  ///< one for each place
};

/// Bars from 0, those of one place side by side.
struct BarChart {
  std::string title;
  std::string x_title = {};
  std::string y_title = {};
  std::vector<std::string> places = {};  ///< labels along the x axis
  std::vector<BarSeries> series = {};
  std::vector<std::string> tips = {};  ///< one for each place
  double width = 300;
  double height = 190;
};
Drawing bar_chart(const BarChart& chart);

}  // namespace obverse
