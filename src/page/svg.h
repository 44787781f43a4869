// The few SVG elements that all drawings are made of.
#pragma once

#include <cmath>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "page/html.h"
#include "support/text.h"

namespace obverse::svg {

/// About as wide as a character of a label is on average, in pixels; texts are measured by it before they are drawn.
inline constexpr double kLetter = 7;

/// A coordinate, to a tenth of a pixel.
inline std::string at(double value) {
  const double tenths = std::round(value * 10);
  return fmt::format("{:g}", tenths == 0 ? 0 : tenths / 10);
}

/// Pixels that a label takes.
inline double label_width(std::string_view text) { return kLetter * static_cast<double>(display_width(text)); }

/// A label; `anchor`: start, middle or end. `more`: further attributes, with a blank in front.
inline std::string label(double x, double y, std::string_view anchor, std::string_view text,
                         std::string_view more = {}) {
  const std::string side = anchor == "start" ? "" : fmt::format(" text-anchor=\"{}\"", anchor);
  return fmt::format("<text class=\"label\" x=\"{}\" y=\"{}\"{}{}>{}</text>", at(x), at(y), side, more, escaped(text));
}

/// The title of a drawing, over its top left corner, cut to what fits.
inline std::string heading(double x, std::string_view text, double width) {
  const auto letters = static_cast<std::size_t>(std::fmax(4, (width - x) / kLetter));
  return label(x, 14, "start", excerpt(text, letters), " font-weight=\"600\"");
}

/// The attributes by which an element shows its values on hover and focus.
inline std::string tip(std::string_view text) {
  if (text.empty()) return {};
  const std::string safe = escaped(text);
  return fmt::format(" data-tip=\"{0}\" tabindex=\"0\" role=\"img\" aria-label=\"{0}\"", safe);
}

}  // namespace obverse::svg
