// Groups of names and the lines between them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "page/chart.h"
#include "page/svg.h"

namespace obverse {
namespace {

constexpr double kWidth = 350;   // pixels, as are all below
constexpr double kLeft = 140;    // of the points of the left column
constexpr double kRight = 210;   // of the right one
constexpr double kGap = 8;       // between a point and its label
constexpr double kLine = 20;     // height of a name
constexpr double kTop = 46;      // title, and titles of the columns
constexpr double kBetween = 14;  // groups
constexpr double kBulge = 34;    // of a line between two names of one column
constexpr std::size_t kLetters = 18;

struct Point {
  double x = 0;
  double y = 0;
};

/// Points of one column, in the middle of a group `height` pixels high.
std::vector<Point> column(std::size_t count, double x, double top, double height) {
  std::vector<Point> points;
  const double first = top + (height - kLine * static_cast<double>(count)) / 2 + kLine / 2;
  for (std::size_t i = 0; i < count; ++i) points.push_back({x, first + kLine * static_cast<double>(i)});
  return points;
}

std::string line(const Point& from, const Point& to, const GroupLink& link) {
  const double strength = std::isfinite(link.strength) ? std::clamp(link.strength, 0.0, 1.0) : 0;
  const double bulge = from.x != to.x ? 0 : from.x == kLeft ? kBulge : -kBulge;
  return fmt::format("<path fill=\"none\" stroke-width=\"{}\" stroke-opacity=\"{}\" d=\"M{} {}Q{} {} {} {}\"{}/>",
                     svg::at(1 + 2 * strength), svg::at(0.4 + 0.6 * strength), svg::at(from.x), svg::at(from.y),
                     svg::at((from.x + to.x) / 2 + bulge), svg::at((from.y + to.y) / 2), svg::at(to.x), svg::at(to.y),
                     svg::tip(link.tip));
}

std::string points(const std::vector<Point>& places, std::size_t look) {
  std::string out = fmt::format("<g class=\"{}\">", series_class(look));
  for (const Point& place : places) {
    out += fmt::format("<path stroke=\"none\" d=\"{}\"/>", point_path(place.x, place.y, look));
  }
  return out + "</g>";
}

std::string labels(const std::vector<std::string>& names, const std::vector<Point>& places, bool left) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    out += svg::label(places[i].x + (left ? -kGap : kGap), places[i].y + 4, left ? "end" : "start",
                      excerpt(names[i], kLetters));
  }
  return out;
}

/// Adds a group below the others.
void add_group(const LinkedGroup& group, Drawing& drawing) {
  const double height = kLine * static_cast<double>(std::max(group.left.size(), group.right.size()));
  std::vector<Point> places = column(group.left.size(), kLeft, drawing.height, height);
  const std::vector<Point> left = places;
  const std::vector<Point> right = column(group.right.size(), kRight, drawing.height, height);
  places.insert(places.end(), right.begin(), right.end());
  drawing.body += fmt::format("<g class=\"{}\">", series_class(0));
  for (const GroupLink& link : group.links) {
    if (link.from < places.size() && link.to < places.size()) {
      drawing.body += line(places[link.from], places[link.to], link);
    }
  }
  drawing.body += "</g>" + points(left, 0) + points(right, 1);
  drawing.body += labels(group.left, left, true) + labels(group.right, right, false);
  drawing.height += height;
  if (!group.more.empty()) {
    drawing.body += svg::label(kRight + kGap, drawing.height + 14, "start", excerpt(group.more, kLetters));
    drawing.height += kLine;
  }
  drawing.height += kBetween;
}

}  // namespace

Drawing group_map(const GroupMap& map) {
  Drawing out{.title = map.title, .width = kWidth, .height = kTop, .body = svg::heading(0, map.title, kWidth)};
  out.body += svg::label(kLeft - kGap, kTop - 10, "end", excerpt(map.left_title, kLetters));
  out.body += svg::label(kRight + kGap, kTop - 10, "start", excerpt(map.right_title, kLetters));
  for (const LinkedGroup& group : map.groups) add_group(group, out);
  return out;
}

}  // namespace obverse
