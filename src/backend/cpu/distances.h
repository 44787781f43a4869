// Which rows of a panel may be nearer to the rows of a tile than those already known. For a row a, all distances
//   |a - b|^2 = |a|^2 + |b|^2 - 2 ab
// share |a|^2, so that the bound |b|^2 - 2 ab ranks the rows b. The sums stay in registers: only the few that are small
// enough are written. One source, distances.cpp, is compiled for several instruction sets (loop_tables.h).
#pragma once

#include <cstddef>
#include <cstdint>

#include "backend/instruction_set.h"

namespace obverse::cpu {

/// Rows a of one tile and rows b of one panel.
constexpr std::size_t kTile = 12;
constexpr std::size_t kPanel = 32;

/// Four bytes of one row side by side: unsigned in tiles, signed in panels.
using FourBytes = std::uint32_t;

/// Two bf16 of one row side by side, the first in the low bits.
using TwoHalves = std::uint32_t;

template <class Bound>
struct Candidate {
  Bound bound;
  std::uint32_t row;
};

/// Several tiles against one panel: bound[a,b] = start[b] + sum over k of tile[k,a] * panel[k,b].
template <class Value, class Bound>
struct PanelScan {
  const Value* tiles = nullptr;  ///< (tile_count, depth, kTile)
  std::size_t tile_count = 0;
  const Value* panel = nullptr;   ///< (depth, kPanel)
  const Bound* start = nullptr;   ///< (kPanel)
  std::size_t depth = 0;          ///< values of a row: features, or groups of two or four of them
  std::uint32_t first_row = 0;    ///< row number of the panel's first row
  const Bound* limits = nullptr;  ///< (rows of all tiles): bounds up to here, itself included, are written
  /// (rows of all tiles, capacity), of which the first `counts` are taken; kPanel more must fit.
  Candidate<Bound>* candidates = nullptr;
  std::size_t capacity = 0;
  std::uint32_t* counts = nullptr;
};
using FloatScan = PanelScan<float, float>;
using HalfScan = PanelScan<TwoHalves, float>;
using ByteScan = PanelScan<FourBytes, std::int32_t>;

struct Distances {
  void (*scan_floats)(const FloatScan& scan);
  void (*scan_halves)(const HalfScan& scan);  ///< only with Arithmetic::half_products
  void (*scan_bytes)(const ByteScan& scan);   ///< only with Arithmetic::byte_products

  OBVERSE_COMPILED(Distances)
};

}  // namespace obverse::cpu
