// Paths of SVG through points.
#pragma once

#include <string>
#include <vector>

namespace obverse {

/// In pixels.
struct Point {
  double x;
  double y;
};

/// A path through the points; one that is not finite ends a stretch.
std::string line_path(const std::vector<Point>& points);

/// The area between the edges, a piece for each stretch of finite points.
std::string band_path(const std::vector<Point>& upper, const std::vector<Point>& lower);

}  // namespace obverse
