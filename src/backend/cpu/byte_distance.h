// Squared distances of rows of bytes, exact. The processor multiplies unsigned by signed bytes, so that the products
// see a and 127 - b:
//   bound[b] = floor(|b|^2 / 2) + sum of a (127 - b)
//   |a - b|^2 = |a|^2 - 254 sum of a + 2 bound[b] + (|b|^2 mod 2)
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "backend/cpu/distances.h"
#include "backend/feature_rows.h"
#include "backend/loop_tables.h"

namespace obverse::cpu {

/// Holds one chunk of the training rows at a time, in panels.
class ByteDistance {
 public:
  using Bound = std::int32_t;
  using Candidate = cpu::Candidate<Bound>;
  static constexpr Bound kAll = std::numeric_limits<Bound>::max() - 1;  ///< limit that lets every row pass
  static constexpr Bound kNone = std::numeric_limits<Bound>::min();
  /// A bound is a sum of at most 255 * 255 / 2 + 255 * 127 for each feature, below 2^31 in all.
  static constexpr std::size_t kMostFeatures = 32768;

  /// Some test rows, in tiles.
  struct Block {
    std::vector<FourBytes> tiles;    // (tiles, groups, kTile)
    std::vector<std::int64_t> rest;  // (rows) |a|^2 - 254 sum of a
  };

  ByteDistance(const FeatureRows& train, const FeatureRows& test);

  /// Bytes that a training row of the chunk takes.
  std::size_t row_bytes() const { return groups_ * sizeof(FourBytes); }
  void begin_chunk(std::size_t first, std::size_t rows);
  void pack_panel(std::size_t panel);
  void end_chunk() {}

  Block pack_block(std::size_t first, std::size_t rows) const;
  ByteScan scan_of(const Block& block, std::size_t panel) const;
  void run(const ByteScan& scan) const { table_in_use<Distances>().scan_bytes(scan); }

  double distance(const Block& block, std::size_t r, const Candidate& candidate) const;
  /// Bounds of rows as near as the farthest of `candidates`.
  Bound limit(const Block& block, std::size_t r, std::span<const Candidate> candidates) const;
  /// Bounds of rows nearer than this: those scanned later have higher numbers and lose among equals.
  Bound limit(const Block& block, std::size_t r, double distance) const;

 private:
  const FeatureRows& train_;
  const FeatureRows& test_;
  std::size_t groups_;     // of four features; the last is filled up with zeros
  std::size_t first_ = 0;  // the chunk's first training row
  std::size_t rows_ = 0;
  std::vector<FourBytes> panels_;    // (panels, groups, kPanel) of 127 - b
  std::vector<std::int32_t> start_;  // (panels, kPanel) floor(|b|^2 / 2)
  std::vector<std::uint8_t> odd_;    // (panels, kPanel) |b|^2 mod 2
};

}  // namespace obverse::cpu
