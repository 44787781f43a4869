// Packing of float rows and the limits that follow from the rounding of their products.
#include "downstream/float_distance.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace obverse {

namespace {

using cpu::kPanel;
using cpu::kTile;

constexpr std::size_t kSampledRows = 256;
// Squares of a' and b' beyond this could overflow in the products; their rows are always compared exactly.
constexpr double kLargestSquare = 1e30;
// Far above what numbers too small for normal form can lose, far below g for rows near the size of the sampled ones.
constexpr double kUnderflow = 1e-30;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

float rounded_up(double x) {
  if (x >= static_cast<double>(FloatDistance::kAll)) return FloatDistance::kAll;
  return std::nextafter(static_cast<float>(x), kInfinity);
}

}  // namespace

// Any centre and factor near the middle and the size of the values serve, so that a sample of the rows is enough.
FloatDistance::FloatDistance(const FeatureRows& train, const FeatureRows& test)
    : train_(train),
      test_(test),
      features_(train.features()),
      rounding_(1.1 * static_cast<double>(features_ + 12) * 0x1p-24),
      centre_(features_) {
  const std::size_t count = std::min(kSampledRows, train.rows());
  std::vector<float> rows(count * features_);
  for (std::size_t i = 0; i < count; ++i) {
    train.copy(i * train.rows() / count, rows.data() + i * features_);
    for (std::size_t d = 0; d < features_; ++d) centre_[d] += static_cast<double>(rows[i * features_ + d]);
  }
  for (double& centre : centre_) centre /= static_cast<double>(count);
  double reach = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    reach = std::max(reach, std::abs(static_cast<double>(rows[i]) - centre_[i % features_]));
  }
  if (reach > 0) factor_ = std::ldexp(1.0, -std::ilogb(reach));
}

void FloatDistance::begin_chunk(std::size_t first, std::size_t rows) {
  const std::size_t panels = (rows + kPanel - 1) / kPanel;
  first_ = first;
  rows_ = rows;
  values_.resize(rows * features_);
  panels_.resize(panels * kPanel * features_);
  start_.resize(panels * kPanel);
  slack_.resize(panels * kPanel);
}

// out: every stride-th number; returns the square of the packed row before `factor`, infinite when out of range.
double FloatDistance::pack(const float* row, float factor, std::size_t stride, float* out) const {
  double square = 0;
  for (std::size_t d = 0; d < features_; ++d) {
    const auto x = static_cast<float>((static_cast<double>(row[d]) - centre_[d]) * factor_);
    out[d * stride] = factor * x;
    square += static_cast<double>(x) * static_cast<double>(x);
  }
  if (square <= kLargestSquare) return square;
  for (std::size_t d = 0; d < features_; ++d) out[d * stride] = 0;
  return std::numeric_limits<double>::infinity();
}

void FloatDistance::pack_panel(std::size_t panel) {
  float* const out = panels_.data() + panel * kPanel * features_;
  for (std::size_t i = 0; i < kPanel; ++i) {
    const std::size_t r = panel * kPanel + i;
    if (r >= rows_) {  // behind the last row: never within a limit
      for (std::size_t d = 0; d < features_; ++d) out[d * kPanel + i] = 0;
      start_[r] = kInfinity;
      continue;
    }
    float* const row = values_.data() + r * features_;
    train_.copy(first_ + r, row);
    const double square = pack(row, 1, kPanel, out + i);
    start_[r] = std::isinf(square) ? -kAll : static_cast<float>((1 - 2 * rounding_) * square);
    slack_[r] = static_cast<float>(4 * rounding_ * square);
  }
}

FloatDistance::Block FloatDistance::pack_block(std::size_t first, std::size_t rows) const {
  const std::size_t tiles = (rows + kTile - 1) / kTile;
  Block block{std::vector<float>(rows * features_), std::vector<float>(tiles * kTile * features_),
              std::vector<double>(rows)};
  for (std::size_t r = 0; r < rows; ++r) {
    float* const row = block.values.data() + r * features_;
    test_.copy(first + r, row);
    block.squares[r] = pack(row, -2, kTile, block.tiles.data() + r / kTile * kTile * features_ + r % kTile);
  }
  return block;
}

cpu::FloatScan FloatDistance::scan_of(const Block& block, std::size_t panel) const {
  cpu::FloatScan scan;
  scan.tiles = block.tiles.data();
  scan.tile_count = block.tiles.size() / (kTile * features_);
  scan.panel = panels_.data() + panel * kPanel * features_;
  scan.start = start_.data() + panel * kPanel;
  scan.depth = features_;
  scan.first_row = static_cast<std::uint32_t>(first_ + panel * kPanel);
  return scan;
}

double FloatDistance::distance(const Block& block, std::size_t r, const Candidate& candidate) const {
  const float* const a = block.values.data() + r * features_;
  const float* const b = values_.data() + (candidate.row - first_) * features_;
  double sum = 0;
  for (std::size_t d = 0; d < features_; ++d) {
    const double difference = static_cast<double>(a[d]) - static_cast<double>(b[d]);
    sum += difference * difference;
  }
  return sum;
}

FloatDistance::Bound FloatDistance::limit(const Block& block, std::size_t r,
                                          std::span<const Candidate> candidates) const {
  double most = static_cast<double>(kNone);
  for (const Candidate& candidate : candidates) {
    most = std::max(most, static_cast<double>(candidate.bound) + static_cast<double>(slack_[candidate.row - first_]));
  }
  return rounded_up(most + 2 * rounding_ * block.squares[r] + kUnderflow);
}

FloatDistance::Bound FloatDistance::limit(const Block& block, std::size_t r, double distance) const {
  if (std::isinf(block.squares[r])) return kAll;
  return rounded_up(distance * factor_ * factor_ - (1 - rounding_) * block.squares[r] + kUnderflow);
}

}  // namespace obverse
