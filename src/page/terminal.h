// What a terminal can show, and text and bars for it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace obverse {

/// What the place can show.
struct TextStyle {
  bool unicode = false;      ///< block characters; ASCII otherwise
  std::size_t columns = 80;  ///< width to fill
};

/// A bar `width` columns long when `share` is 1, drawn in eighths where blocks can be shown.
std::string bar(double share, std::size_t width, bool unicode);

/// Text of ours, with ±, – and ρ spelled out where the place shows ASCII only; control characters made visible.
std::string terminal_text(std::string_view text, const TextStyle& style);

}  // namespace obverse
