#include "page/terminal.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "support/text.h"

namespace obverse {

std::string bar(double share, std::size_t width, bool unicode) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const double clipped = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  if (!unicode) return std::string(static_cast<std::size_t>(std::lround(clipped * static_cast<double>(width))), '#');
  const auto eighths = static_cast<std::size_t>(std::lround(clipped * static_cast<double>(width * 8)));
  std::string out;
  for (std::size_t i = 0; i < eighths / 8; ++i) out += "█";
  out += kEighths[eighths % 8];
  return out;
}

std::string terminal_text(std::string_view text, const TextStyle& style) {
  if (style.unicode) return printable(text);
  std::string out;
  for (const char32_t c : code_points(printable(text))) {
    switch (c) {
      case U'±':
        out += "+-";
        break;
      case U'–':
        out += '-';
        break;
      case U'ρ':
        out += "rho";
        break;
      default:
        out += c < 0x80 ? static_cast<char>(c) : '?';
    }
  }
  return out;
}

}  // namespace obverse
