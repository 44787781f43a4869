// Charts as drawings. Values that are not finite leave gaps. All texts may hold anything and are escaped.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "page/drawing.h"

namespace obverse {

/// The least and the largest of the values added so far; low above high without values. Those not finite are passed
/// over.
struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void add(double value);
};

struct LineSeries {
  SeriesLook look;
  std::vector<double> values;           ///< one for each place on the x axis
  std::vector<double> deviations = {};  ///< half the height of the band; may be empty
  std::vector<std::string> tips = {};   ///< what a point says; empty: series, place and value
  std::vector<Range> bands = {};        ///< edges of a band that is not symmetric; in place of the deviations
  bool quiet = false;                   ///< thin and faint, beside the series that the chart is about
};

/// A value that lines are compared with, drawn as a horizontal line with its label.
struct Level {
  std::string label;
  double value = kNoValue;
};

/// Stands for a place that is not there.
inline constexpr std::size_t kNoPlace = std::numeric_limits<std::size_t>::max();

/// Lines with bands of deviation over places at equal distances. Places such as rho = 1, 1.5, 2, 2.5, 5, 7.5, 10 % lie
/// unevenly on a linear and on a logarithmic scale, and their labels would collide at the small end; what is read off
/// is the order of the series at each place, for which equal distances serve best.
struct LineChart {
  std::string title;
  std::string x_title = {};
  std::string y_title = {};
  std::vector<std::string> places = {};  ///< labels along the x axis
  std::vector<LineSeries> series = {};
  std::vector<Level> levels = {};
  /// A place with a guide through it and a ring around the point of the first series; page.js moves the guide.
  std::size_t marked = kNoPlace;
  double low = kNoValue;  ///< of the y axis, for charts that share it; not given: by the values
  double high = kNoValue;
  double width = 320;
  double height = 230;
};
Drawing line_chart(const LineChart& chart);

/// Of all lines with their bands, for charts that share an axis.
Range value_range(const std::vector<LineSeries>& series);

struct ValueSeries {
  SeriesLook look;
  std::vector<double> values;  ///< of features 1, 2, ... or of ranks
};

/// Many values in a row, one path for each series. Of a series longer than the chart is wide the least and the largest
/// value of every two pixel columns are drawn.
struct ValueChart {
  std::string title;
  std::string x_title = {};
  std::string y_title = {};
  std::vector<ValueSeries> series = {};
  bool logarithmic = false;  ///< the y axis; values at or below 0 leave gaps, those under 1e-8 of the largest too
  double low = kNoValue;     ///< of the y axis, as for LineChart
  double high = kNoValue;
  double width = 320;
  double height = 230;
};
Drawing value_chart(const ValueChart& chart);

struct HeatCell {
  double shade = kNoValue;  ///< -1 (lost) to 1 (won); not finite: an empty cell
  std::string text = {};    ///< inside the cell
  std::string tip = {};
  bool marked = false;  ///< with a frame
};

struct HeatRow {
  std::string label;
  std::vector<HeatCell> cells;  ///< one for each column
  std::string group = {};       ///< stands above the row where a group of rows begins
};

/// A table of coloured cells: blue above 0, orange below, the page's own background at 0.
struct HeatGrid {
  std::string title;
  std::string x_title = {};
  std::vector<std::string> columns = {};
  std::vector<HeatRow> rows = {};
};
Drawing heat_grid(const HeatGrid& grid);

struct ScatterPoint {
  SeriesLook look;    ///< its kind; the place decides colour and shape
  std::string label;  ///< beside the point, where there is room for it
  double x = kNoValue;
  double y = kNoValue;
  std::string tip = {};
  bool marked = false;  ///< with a ring, and its label strong
};

/// Points over a logarithmic x axis, or over places at equal distances, at which x is 0.5, 1.5 and so on. Labels that
/// would lie over others are left out, those of later points first.
struct ScatterChart {
  std::string title;
  std::string x_title = {};
  std::string y_title = {};
  std::vector<ScatterPoint> points = {};
  std::vector<std::string> places = {};  ///< labels along the x axis; none: it is logarithmic
  double width = 640;
  double height = 380;
};
Drawing scatter_chart(const ScatterChart& chart);

/// Two members of a group that are alike, by their places: those on the left first, then those on the right.
struct GroupLink {
  std::size_t from = 0;
  std::size_t to = 0;
  double strength = 1;  ///< 0 (thin) to 1 (thick)
  std::string tip = {};
};

struct LinkedGroup {
  std::vector<std::string> left;
  std::vector<std::string> right;
  std::vector<GroupLink> links;
  std::string more = {};  ///< below the group: what is not drawn of it
};

/// Groups of names below each other, each in two columns with lines between names that are alike. It is as narrow as a
/// phone, so that its labels keep their size there; longer names are cut.
struct GroupMap {
  std::string title;
  std::string left_title = {};
  std::string right_title = {};
  std::vector<LinkedGroup> groups = {};
};
Drawing group_map(const GroupMap& map);

/// What the values of a picture are drawn in.
enum class Palette {
  blue_to_red,  ///< scores: 0 is blue, 1 is red
  grey,         ///< photographs: 0 is black, 1 is white
  chosen        ///< selections: 1 is marked, 0 is not
};

struct PixelPicture {
  std::string caption;
  std::size_t height = 0;  ///< pixels
  std::size_t width = 0;
  std::vector<double> values = {};  ///< (height, width) from 0 to 1; one that is not finite is covered
  Palette palette = Palette::grey;
};

/// One picture with its caption above, `side` pixels of the page wide. Neighbours of one colour in a row are drawn as
/// one rectangle and a colour as one path, so that a picture of 28 x 28 takes a few kilobytes.
Drawing pixel_picture(const PixelPicture& picture, double side = 112);

}  // namespace obverse
