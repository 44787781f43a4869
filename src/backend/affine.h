// How operations see the values of a column.
#pragma once

#include <span>

namespace obverse {

/// x * scale + offset by column, (D) each, of memory that somebody else owns. Empty: values as they are stored.
struct AffineView {
  std::span<const float> scale = {};
  std::span<const float> offset = {};
};

}  // namespace obverse
