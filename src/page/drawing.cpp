#include "page/drawing.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include <fmt/format.h>

#include "page/svg.h"

namespace obverse {
namespace {

constexpr std::size_t kColours = 8;
constexpr double kLargest = 1.25;  // times its natural size, however wide the page is

/// Without what only a page shows.
std::string without_tips(std::string_view text) {
  constexpr std::string_view kBegin = " data-tip=\"";
  constexpr std::string_view kLast = " aria-label=\"";
  std::string out;
  for (std::size_t at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin)) {
    const std::size_t last = text.find(kLast, at);
    if (last == std::string_view::npos) break;
    out += text.substr(0, at);
    text.remove_prefix(text.find('"', last + kLast.size()) + 1);
  }
  out += text;
  return out;
}

/// `box`: the attributes that say where and how large it is; `style` stands before the marks.
std::string svg_element(const Drawing& drawing, const std::string& box, std::string_view style, std::string_view body) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" {} style=\"max-width:{}px\"><title>{}</title>{}{}</svg>",
      box, std::lround(kLargest * drawing.width), escaped(drawing.title), style, body);
}

}  // namespace

std::string series_dashes(std::size_t place) {
  constexpr std::array<std::string_view, 3> kDashes{"", " stroke-dasharray=\"6 3\"", " stroke-dasharray=\"2 3\""};
  return std::string(kDashes[place / kColours % kDashes.size()]);
}

std::string series_group(const SeriesLook& look) {
  return fmt::format("<g class=\"{}\" data-series=\"{}\">", series_class(look.place), escaped(look.key));
}

std::string point_path(double x, double y, std::size_t place) {
  const auto path = [&](double dx, double dy, std::string_view rest) {
    return fmt::format("M{} {}{}", svg::at(x + dx), svg::at(y + dy), rest);
  };
  switch (place % 4) {
    case 0:
      return path(-3, 0, "a3 3 0 1 0 6 0a3 3 0 1 0-6 0z");
    case 1:
      return path(-2.8, -2.8, "h5.6v5.6h-5.6z");
    case 2:
      return path(0, -3.8, "l3.7 6.4h-7.4z");
    default:
      return path(0, -4, "l3.6 4l-3.6 4l-3.6-4z");
  }
}

std::string series_class(std::size_t place) { return fmt::format("series-{}", place % kColours + 1); }

std::string svg_text(const Drawing& drawing) {
  const std::string box = fmt::format("viewBox=\"0 0 {} {}\"", svg::at(drawing.width), svg::at(drawing.height));
  return svg_element(drawing, box, {}, drawing.body);
}

// The colours are those of the page's light style.
std::string standalone_svg(const Drawing& drawing) {
  constexpr std::string_view kStyle =
      "<style>.label{font:12px system-ui,'Segoe UI',Helvetica,Arial,'Liberation Sans',sans-serif;fill:#1b2230}"
      ".label[font-weight]{font-weight:600}"
      ".halo .label{paint-order:stroke;stroke:#fff;stroke-width:3px}"
      ".axis{stroke:#5a6474;fill:none}.grid{stroke:#dce0e7;fill:none}.guide{stroke:#1f5fbf;fill:none}"
      ".series-1{stroke:#0060a8;fill:#0060a8}.series-2{stroke:#c44e00;fill:#c44e00}"
      ".series-3{stroke:#00795a;fill:#00795a}.series-4{stroke:#a8447f;fill:#a8447f}"
      ".series-5{stroke:#8a6a00;fill:#8a6a00}.series-6{stroke:#2a8fc4;fill:#2a8fc4}"
      ".series-7{stroke:#6b4bb0;fill:#6b4bb0}.series-8{stroke:#4a4f57;fill:#4a4f57}</style>"
      "<rect x=\"-8\" y=\"-8\" width=\"100%\" height=\"100%\" fill=\"#fff\"/>";
  constexpr int kMargin = 8;  // pixels, as in the background above
  const std::string box =
      fmt::format("width=\"{0}\" height=\"{1}\" viewBox=\"-{2} -{2} {0} {1}\"", svg::at(drawing.width + 2 * kMargin),
                  svg::at(drawing.height + 2 * kMargin), kMargin);
  return svg_element(drawing, box, kStyle, without_tips(drawing.body)) + "\n";
}

Drawing arranged(std::string title, const std::vector<Drawing>& parts, std::size_t columns) {
  constexpr double kGap = 12;
  Drawing out{.title = std::move(title), .width = 0, .height = 0, .body = {}};
  columns = std::max<std::size_t>(1, columns);
  for (std::size_t from = 0; from < parts.size(); from += columns) {
    double x = 0;
    double tallest = 0;
    if (from > 0) out.height += kGap;
    for (std::size_t i = from; i < std::min(from + columns, parts.size()); ++i) {
      if (i > from) x += kGap;
      out.body +=
          fmt::format("<g transform=\"translate({} {})\">{}</g>", svg::at(x), svg::at(out.height), parts[i].body);
      x += parts[i].width;
      tallest = std::fmax(tallest, parts[i].height);
    }
    out.width = std::fmax(out.width, x);
    out.height += tallest;
  }
  return out;
}

Drawing legend_drawing(const std::vector<SeriesLook>& series, double width) {
  Drawing out{.title = "Legend", .width = width, .height = 20, .body = {}};
  double x = 4;
  for (const SeriesLook& look : series) {
    const std::string name = excerpt(look.name);
    const double taken = 30 + svg::label_width(name) + 18;
    if (x > 4 && x + taken > width) {
      x = 4;
      out.height += 20;
    }
    const double y = out.height - 10;
    out.body +=
        series_group(look) +
        fmt::format("<path fill=\"none\" stroke-width=\"1.8\"{} d=\"M{} {}h24\"/><path stroke=\"none\" d=\"{}\"/>",
                    series_dashes(look.place), svg::at(x), svg::at(y), point_path(x + 12, y, look.place)) +
        svg::label(x + 30, y + 4, "start", name, " stroke=\"none\"") + "</g>";
    x += taken;
  }
  return out;
}

}  // namespace obverse
