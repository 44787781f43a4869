// Offsets of the parameters within one model, and of the columns of features.
#include <algorithm>

#include "backend/ops.h"

namespace obverse {

TrunkLayout::TrunkLayout(const GroupShape& s) : u{}, b{} {
  std::size_t at = 0;
  const auto place = [&at](std::size_t count) {
    const std::size_t begin = at;
    at += count;
    return begin;
  };
  v1 = place(s.columns * s.width1);
  c1 = place(s.width1);
  v2 = place(s.width1 * s.width2);
  c2 = place(s.width2);
  for (std::size_t q = 0; q < s.paths; ++q) {
    u[q] = place(s.width2 * s.outputs);
    b[q] = place(s.outputs);
  }
  size = (at + 3) / 4 * 4;  // so that the weights of every model begin at a place for four numbers at once
}

std::vector<std::size_t> GroupShape::ranges() const {
  std::vector<std::size_t> ranges;
  for (std::size_t f = 0; f + 1 < begin.size(); ++f) {
    if (!std::binary_search(kept.begin(), kept.end(), f)) ranges.insert(ranges.end(), {begin[f], begin[f + 1]});
  }
  return ranges;
}

AttentionLayout::AttentionLayout(const GroupShape& s, std::size_t hidden)
    : w1(0), b1(s.columns * hidden), w2(b1 + hidden), b2(w2 + hidden * s.features()), size(b2 + s.features()) {}

}  // namespace obverse
