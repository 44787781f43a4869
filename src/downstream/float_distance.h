// Squared distances of float rows: bounds by products in float, distances themselves by differences in double.
//
// The products see a' = f (a - c), with a common centre c and a power of two f, so that neither a large offset nor the
// unit of the values costs digits. With u = 2^-24 and K features, the rounding of a', b' and of the K + 1 sums moves
//   t[b] = f^2 |a - b|^2 - |a'|^2
// by at most g (|a'|^2 + 2 |b'|^2), g = 1.1 (K + 12) u. The bound starts at (1 - 2g) |b'|^2, therefore
//   bound[b] <= t[b] + g |a'|^2   and   t[b] <= bound[b] + g |a'|^2 + 4g |b'|^2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/distances.h"
#include "downstream/feature_rows.h"

namespace obverse {

/// Holds one chunk of the training rows at a time, in panels.
class FloatDistance {
 public:
  using Bound = float;
  using Candidate = cpu::Candidate<Bound>;
  static constexpr Bound kAll = 3.402823466e38F;  ///< limit that lets every row pass
  static constexpr Bound kNone = -__builtin_inff();

  /// Some test rows, in tiles.
  struct Block {
    std::vector<float> values;    // (rows, features)
    std::vector<float> tiles;     // (tiles, features, kTile) of -2 a'
    std::vector<double> squares;  // (rows) |a'|^2; infinite where a' is out of range and every row is a candidate
  };

  FloatDistance(const FeatureRows& train, const FeatureRows& test);

  /// Bytes that a training row of the chunk takes.
  std::size_t row_bytes() const { return 2 * features_ * sizeof(float); }
  void begin_chunk(std::size_t first, std::size_t rows);
  void pack_panel(std::size_t panel);

  Block pack_block(std::size_t first, std::size_t rows) const;
  cpu::FloatScan scan_of(const Block& block, std::size_t panel) const;
  void run(const cpu::FloatScan& scan) const { cpu::distances().scan_floats(scan); }

  double distance(const Block& block, std::size_t r, const Candidate& candidate) const;
  /// Bounds of rows as near as the farthest of `candidates`.
  Bound limit(const Block& block, std::size_t r, std::span<const Candidate> candidates) const;
  /// Bounds of rows up to this distance.
  Bound limit(const Block& block, std::size_t r, double distance) const;

 private:
  double pack(const float* row, float factor, std::size_t stride, float* out) const;

  const FeatureRows& train_;
  const FeatureRows& test_;
  std::size_t features_;
  double rounding_;             // g
  std::vector<double> centre_;  // c, (features)
  double factor_ = 1;           // f
  std::size_t first_ = 0;       // the chunk's first training row
  std::size_t rows_ = 0;
  std::vector<float> values_;  // (rows, features)
  std::vector<float> panels_;  // (panels, features, kPanel) of b'
  std::vector<float> start_;   // (panels, kPanel) (1 - 2g) |b'|^2
  std::vector<float> slack_;   // (panels, kPanel) 4g |b'|^2
};

}  // namespace obverse
