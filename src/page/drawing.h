// Drawings as inline SVG. Colours come from the classes of the page (series-1 to series-8, axis, grid, guide, band,
// halo, label), so that a drawing follows its light and dark style; standalone_svg gives one that stands alone the same
// looks.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

namespace obverse {

/// Stands for a value or a bound that is not there.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

/// Marks on a plane of width x height pixels at natural size, without the svg element around them.
struct Drawing {
  std::string title;  ///< said by screen readers
  double width = 0;
  double height = 0;
  std::string body;
};

/// The svg element; it has a viewBox and no fixed width, and grows to a little more than its natural size at most.
std::string svg_text(const Drawing& drawing);

/// The same as a standalone file: fixed size, light colours, white background, no tips.
std::string standalone_svg(const Drawing& drawing);

/// Drawings in rows of `columns`, aligned as a table.
Drawing arranged(std::string title, const std::vector<Drawing>& parts, std::size_t columns);

/// How a series is told from the others: a colour of the page, a shape of its points, and dashes for a ninth and later.
struct SeriesLook {
  std::string key;        ///< data-series, by which the legend switches it
  std::string name;       ///< shown
  std::size_t place = 0;  ///< from 0; decides colour, shape and dashes
};

/// Names and looks in lines of at most `width` pixels, for charts without a page around them.
Drawing legend_drawing(const std::vector<SeriesLook>& series, double width);

/// The class of a series of the page: series-1 for place 0, then on, and again after eight.
std::string series_class(std::size_t place);
/// The attribute that dashes the lines of a ninth and later series.
std::string series_dashes(std::size_t place);
/// The opening of a group of marks that belong to a series.
std::string series_group(const SeriesLook& look);
/// A point: circle, square, triangle or rhombus, so that series differ in more than their colour.
std::string point_path(double x, double y, std::size_t place);

}  // namespace obverse
