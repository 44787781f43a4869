// Squared distances of float rows: bounds by products of rounded rows, distances themselves by differences in double.
//
// The products see a' = round(f (a - c)), with a common centre c and a power of two f, so that neither a large offset
// nor the unit of the values costs digits. What the rounding moves is measured, e[a] = |a' - f (a - c)|, so that
//   | |a' - b'| - f |a - b| | <= e[a] + e        e: the largest e[b]
// With u = 2^-24 and K features, the K + 1 sums in float move t[b] = |a' - b'|^2 - |a'|^2 by at most
// g (|a'|^2 + 2 |b'|^2), g = 1.1 (K + 12) u. The bound starts at (1 - 2g) |b'|^2, therefore
//   bound[b] <= t[b] + g |a'|^2   and   t[b] <= bound[b] + g |a'|^2 + 4g |b'|^2.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "backend/cpu/distances.h"
#include "backend/feature_rows.h"
#include "backend/loop_tables.h"

namespace obverse::cpu {

/// Rounds to float, one in each value of a panel.
struct SinglePacking {
  using Value = float;
  using Scan = FloatScan;
  static std::size_t depth(std::size_t features) { return features; }
  static float round(double x);
  static void put(float x, std::size_t feature, std::size_t stride, Value* out);
  static void run(const Scan& scan) { table_in_use<Distances>().scan_floats(scan); }
};

/// Rounds to bf16, two in each value of a panel: half the work for bounds that are less tight.
struct HalfPacking {
  using Value = TwoHalves;
  using Scan = HalfScan;
  static std::size_t depth(std::size_t features) { return (features + 1) / 2; }
  static float round(double x);
  static void put(float x, std::size_t feature, std::size_t stride, Value* out);
  static void run(const Scan& scan) { table_in_use<Distances>().scan_halves(scan); }
};

/// Holds one chunk of the training rows at a time, in panels.
template <class Packing>
class FloatDistance {
 public:
  using Bound = float;
  using Candidate = cpu::Candidate<Bound>;
  static constexpr Bound kAll = 3.402823466e38F;  ///< limit that lets every row pass
  static constexpr Bound kNone = -__builtin_inff();

  /// Some test rows, in tiles.
  struct Block {
    std::vector<float> values;                   // (rows, features)
    std::vector<typename Packing::Value> tiles;  // (tiles, depth, kTile) of -2 a'
    std::vector<double> squares;  // (rows) |a'|^2; infinite where a' is out of range and every row is a candidate
    std::vector<double> errors;   // (rows) e[a]
  };

  FloatDistance(const FeatureRows& train, const FeatureRows& test);

  /// Bytes that a training row of the chunk takes.
  std::size_t row_bytes() const { return features_ * sizeof(float) + depth_ * sizeof(typename Packing::Value); }
  void begin_chunk(std::size_t first, std::size_t rows);
  void pack_panel(std::size_t panel);
  void end_chunk();

  Block pack_block(std::size_t first, std::size_t rows) const;
  typename Packing::Scan scan_of(const Block& block, std::size_t panel) const;
  void run(const typename Packing::Scan& scan) const { Packing::run(scan); }

  double distance(const Block& block, std::size_t r, const Candidate& candidate) const;
  /// Bounds of rows as near as the farthest of `candidates`.
  Bound limit(const Block& block, std::size_t r, std::span<const Candidate> candidates) const;
  /// Bounds of rows up to this distance.
  Bound limit(const Block& block, std::size_t r, double distance) const;

 private:
  struct Packed {
    double square;
    double error;
  };
  Packed pack(const float* row, float factor, std::size_t stride, typename Packing::Value* out) const;
  Bound limit_within(const Block& block, std::size_t r, double reach) const;

  const FeatureRows& train_;
  const FeatureRows& test_;
  std::size_t features_;
  std::size_t depth_;
  double rounding_;             // g
  std::vector<double> centre_;  // c, (features)
  double factor_ = 1;           // f
  std::size_t first_ = 0;       // the chunk's first training row
  std::size_t rows_ = 0;
  std::vector<float> values_;                    // (rows, features)
  std::vector<typename Packing::Value> panels_;  // (panels, depth, kPanel) of b'
  std::vector<float> start_;                     // (panels, kPanel) (1 - 2g) |b'|^2
  std::vector<float> slack_;                     // (panels, kPanel) 4g |b'|^2
  std::vector<double> errors_;                   // (rows) e[b]
  double largest_error_ = 0;                     // e
};

extern template class FloatDistance<SinglePacking>;
extern template class FloatDistance<HalfPacking>;

}  // namespace obverse::cpu
