// Drawings made of cells: heat grids, and pictures of pixels.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "page/chart.h"
#include "page/svg.h"

namespace obverse {
namespace {

using Colour = std::array<int, 3>;  // red, green, blue from 0 to 255

std::string hex(const Colour& colour) { return fmt::format("#{:02x}{:02x}{:02x}", colour[0], colour[1], colour[2]); }

/// The scale of scores, which the pictures that page.js draws share: from blue over white to red, told apart with every
/// common colour vision.
Colour blue_to_red(double share) {
  constexpr std::array<Colour, 5> kScale{
      Colour{33, 102, 172}, {146, 197, 222}, {247, 247, 247}, {244, 165, 130}, {178, 24, 43}};
  const double at = share * static_cast<double>(kScale.size() - 1);
  const std::size_t low = std::min(static_cast<std::size_t>(at), kScale.size() - 2);
  Colour out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double step = kScale[low + 1][i] - kScale[low][i];
    out[i] = static_cast<int>(std::lround(kScale[low][i] + (at - static_cast<double>(low)) * step));
  }
  return out;
}

/// The colour of a value; few enough levels that neighbours often share one.
std::string pixel_colour(double value, Palette palette) {
  constexpr double kLevels = 24;
  const double share = std::round(std::clamp(value, 0.0, 1.0) * kLevels) / kLevels;
  switch (palette) {
    case Palette::blue_to_red:
      return hex(blue_to_red(share));
    case Palette::chosen:
      return share > 0.5 ? "#1f5fbf" : "#dfe3ea";
    case Palette::grey:
      break;
  }
  const int level = static_cast<int>(std::lround(255 * share));
  return hex({level, level, level});
}

constexpr std::string_view kCovered = "#dfe3ea";

}  // namespace

Drawing heat_grid(const HeatGrid& grid) {
  constexpr double kTop = 46;  // title and labels of the columns
  constexpr double kLine = 21;
  constexpr double kGroup = 20;
  double column = 39;
  double left = grid.x_title.empty() ? 0 : svg::label_width(grid.x_title) + 2;
  for (const std::string& name : grid.columns) column = std::fmax(column, svg::label_width(name) + 8);
  for (const HeatRow& row : grid.rows) left = std::fmax(left, svg::label_width(excerpt(row.label, 30)) + 8);
  Drawing out{.title = grid.title,
              .width = left + column * static_cast<double>(grid.columns.size()) + 4,
              .height = kTop,
              .body = {}};
  out.width = std::fmax(out.width, 220);
  out.body = svg::heading(0, grid.title, out.width);
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    out.body += svg::label(left + column * (static_cast<double>(c) + 0.5), kTop - 6, "middle", grid.columns[c]);
  }
  if (!grid.x_title.empty()) out.body += svg::label(0, kTop - 6, "start", excerpt(grid.x_title, 30));
  for (const HeatRow& row : grid.rows) {
    if (!row.group.empty()) {
      out.body += svg::label(0, out.height + 15, "start", excerpt(row.group, 40));
      out.height += kGroup;
    }
    out.body += svg::label(left - 8, out.height + 14, "end", excerpt(row.label, 30));
    for (std::size_t c = 0; c < std::min(row.cells.size(), grid.columns.size()); ++c) {
      const HeatCell& cell = row.cells[c];
      if (!std::isfinite(cell.shade)) continue;
      const double x = left + column * static_cast<double>(c);
      // The colour lies over the page's background, thin enough that the label is read in the light and the dark style.
      const double depth = 0.06 + 0.54 * std::fmin(1, std::fabs(cell.shade));
      const std::string_view colour = cell.shade > 0 ? "#2f7fd0" : cell.shade < 0 ? "#e06010" : "#808080";
      const std::string frame =
          cell.marked ? fmt::format(" class=\"axis\" style=\"fill:{};stroke-width:2\"", colour) : std::string();
      out.body += fmt::format("<path d=\"M{} {}h{}v{}h-{}z\" fill=\"{}\" fill-opacity=\"{:.2g}\"{}{}/>", svg::at(x + 1),
                              svg::at(out.height + 1), svg::at(column - 2), svg::at(kLine - 2), svg::at(column - 2),
                              colour, depth, frame, svg::tip(cell.tip));
      if (cell.text.empty()) continue;
      out.body += svg::label(x + column / 2, out.height + 14.5, "middle", cell.text, " pointer-events=\"none\"");
    }
    out.height += kLine;
  }
  out.height += 4;
  return out;
}

Drawing pixel_picture(const PixelPicture& picture, double side) {
  const double top = picture.caption.empty() ? 0 : 18;
  const auto width = static_cast<double>(std::max<std::size_t>(1, picture.width));
  const double scale = side / width;
  std::map<std::string, std::string> paths;  // by colour
  const auto colour_of = [&](std::size_t i) {
    const double value = i < picture.values.size() ? picture.values[i] : kNoValue;
    return std::isfinite(value) ? pixel_colour(value, picture.palette) : std::string(kCovered);
  };
  for (std::size_t y = 0; y < picture.height; ++y) {
    for (std::size_t x = 0; x < picture.width;) {
      const std::string colour = colour_of(y * picture.width + x);
      std::size_t run = 1;
      while (x + run < picture.width && colour_of(y * picture.width + x + run) == colour) ++run;
      paths[colour] += fmt::format("M{} {}h{}v1h-{}z", x, y, run, run);
      x += run;
    }
  }
  Drawing out{
      .title = picture.caption,
      .width = side,
      .height = top + scale * static_cast<double>(picture.height),
      .body = svg::label(0, 12, "start",
                         excerpt(picture.caption, static_cast<std::size_t>(std::fmax(4, side / svg::kLetter))))};
  out.body += fmt::format("<g transform=\"translate(0 {}) scale({:.4g})\" shape-rendering=\"crispEdges\">", top, scale);
  for (const auto& [colour, path] : paths) out.body += fmt::format("<path fill=\"{}\" d=\"{}\"/>", colour, path);
  out.body += "</g>";
  return out;
}

}  // namespace obverse
