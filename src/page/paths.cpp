#include "page/paths.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "page/svg.h"

namespace obverse {

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

}  // namespace obverse
