// The inner loops of growing a tree from columns of bytes. One source, tree_loops.cpp, is compiled for several
// instruction sets (backend/loop_tables.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instruction_set.h"

namespace obverse {

/// Bytes that are counted at once.
constexpr std::size_t kCountedBytes = 64;

struct TreeLoops {
  // out[i] = column[rows[i] * stride], (n); the smallest and the largest of it
  void (*gather_bytes)(const std::uint8_t* column, std::size_t stride, const std::uint32_t* rows, std::size_t n,
                       std::uint8_t* out, std::uint8_t* least, std::uint8_t* most);
  // counts[c] = number of i below n with labels[i] = c and codes[i] <= cut, for c below C; cut is below 255. Both
  // arrays have room for kCountedBytes more behind n; codes are made 255 there
  void (*count_labels)(const std::uint8_t* labels, std::uint8_t* codes, std::size_t n, std::uint8_t cut, std::size_t C,
                       std::int64_t* counts);

  OBVERSE_COMPILED(TreeLoops)
};

}  // namespace obverse
