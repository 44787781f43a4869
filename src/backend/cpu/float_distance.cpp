// Packing of float rows and the limits that follow from the rounding of their products.
#include "backend/cpu/float_distance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace obverse::cpu {

namespace {

constexpr std::size_t kSampledRows = 256;
// Squares of a' and b' beyond this could overflow in the products; their rows are always compared exactly.
constexpr double kLargestSquare = 1e30;
// Far above what numbers too small for normal form can lose, far below g for rows near the size of the sampled ones.
constexpr double kUnderflow = 1e-30;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// As a limit; x may be infinite.
float rounded_up(double x) {
  constexpr float most = std::numeric_limits<float>::max();
  return x >= static_cast<double>(most) ? most : std::nextafter(static_cast<float>(x), kInfinity);
}

std::uint32_t bits_of(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float x = 0;
  std::memcpy(&x, &bits, sizeof x);
  return x;
}

}  // namespace

float SinglePacking::round(double x) { return static_cast<float>(x); }

void SinglePacking::put(float x, std::size_t feature, std::size_t stride, Value* out) { out[feature * stride] = x; }

float HalfPacking::round(double x) {
  const std::uint32_t bits = bits_of(static_cast<float>(x));
  return float_of((bits + 0x7FFFU + ((bits >> 16) & 1U)) & 0xFFFF0000U);
}

void HalfPacking::put(float x, std::size_t feature, std::size_t stride, Value* out) {
  Value& pair = out[feature / 2 * stride];
  pair = feature % 2 == 0 ? bits_of(x) >> 16 : pair | bits_of(x);
}

// Any centre and factor near the middle and the size of the values serve, so that a sample of the rows is enough.
template <class Packing>
FloatDistance<Packing>::FloatDistance(const FeatureRows& train, const FeatureRows& test)
    : train_(train),
      test_(test),
      features_(train.features()),
      depth_(Packing::depth(features_)),
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

template <class Packing>
void FloatDistance<Packing>::begin_chunk(std::size_t first, std::size_t rows) {
  const std::size_t panels = (rows + kPanel - 1) / kPanel;
  first_ = first;
  rows_ = rows;
  values_.resize(rows * features_);
  panels_.resize(panels * kPanel * depth_);
  start_.resize(panels * kPanel);
  slack_.resize(panels * kPanel);
  errors_.resize(rows);
}

// out: every stride-th value, of factor * row'. A row out of range becomes zeros and its square infinite.
template <class Packing>
typename FloatDistance<Packing>::Packed FloatDistance<Packing>::pack(const float* row, float factor, std::size_t stride,
                                                                     typename Packing::Value* out) const {
  double square = 0;
  double error = 0;
  for (std::size_t d = 0; d < features_; ++d) {
    const double exact = (static_cast<double>(row[d]) - centre_[d]) * factor_;
    const float x = Packing::round(exact);
    Packing::put(factor * x, d, stride, out);
    const auto rounded = static_cast<double>(x);
    square += rounded * rounded;
    error += (rounded - exact) * (rounded - exact);
  }
  // The second term is for the rounding of the differences above.
  if (square <= kLargestSquare) return {square, 1.001 * std::sqrt(error) + 0x1p-50 * std::sqrt(square)};
  for (std::size_t k = 0; k < depth_; ++k) out[k * stride] = 0;
  return {std::numeric_limits<double>::infinity(), 0};
}

template <class Packing>
void FloatDistance<Packing>::pack_panel(std::size_t panel) {
  auto* const out = panels_.data() + panel * kPanel * depth_;
  for (std::size_t i = 0; i < kPanel; ++i) {
    const std::size_t r = panel * kPanel + i;
    if (r >= rows_) {  // behind the last row: never within a limit
      for (std::size_t k = 0; k < depth_; ++k) out[k * kPanel + i] = 0;
      start_[r] = kInfinity;
      continue;
    }
    float* const row = values_.data() + r * features_;
    train_.copy(first_ + r, row);
    const Packed packed = pack(row, 1, kPanel, out + i);
    start_[r] = std::isinf(packed.square) ? -kAll : static_cast<float>((1 - 2 * rounding_) * packed.square);
    slack_[r] = static_cast<float>(4 * rounding_ * packed.square);
    errors_[r] = packed.error;
  }
}

template <class Packing>
void FloatDistance<Packing>::end_chunk() {
  largest_error_ = *std::max_element(errors_.begin(), errors_.end());
}

template <class Packing>
typename FloatDistance<Packing>::Block FloatDistance<Packing>::pack_block(std::size_t first, std::size_t rows) const {
  Block block;
  block.values.resize(rows * features_);
  block.tiles.resize((rows + kTile - 1) / kTile * kTile * depth_);
  for (std::size_t r = 0; r < rows; ++r) {
    float* const row = block.values.data() + r * features_;
    test_.copy(first + r, row);
    const Packed packed = pack(row, -2, kTile, block.tiles.data() + r / kTile * kTile * depth_ + r % kTile);
    block.squares.push_back(packed.square);
    block.errors.push_back(packed.error);
  }
  return block;
}

template <class Packing>
typename Packing::Scan FloatDistance<Packing>::scan_of(const Block& block, std::size_t panel) const {
  typename Packing::Scan scan;
  scan.tiles = block.tiles.data();
  scan.tile_count = block.tiles.size() / (kTile * depth_);
  scan.panel = panels_.data() + panel * kPanel * depth_;
  scan.start = start_.data() + panel * kPanel;
  scan.depth = depth_;
  scan.first_row = static_cast<std::uint32_t>(first_ + panel * kPanel);
  return scan;
}

template <class Packing>
double FloatDistance<Packing>::distance(const Block& block, std::size_t r, const Candidate& candidate) const {
  const float* const a = block.values.data() + r * features_;
  const float* const b = values_.data() + (candidate.row - first_) * features_;
  double sum = 0;
  for (std::size_t d = 0; d < features_; ++d) {
    const double difference = static_cast<double>(a[d]) - static_cast<double>(b[d]);
    sum += difference * difference;
  }
  return sum;
}

// Bounds of rows with |a' - b'| up to `reach`.
template <class Packing>
float FloatDistance<Packing>::limit_within(const Block& block, std::size_t r, double reach) const {
  if (std::isinf(block.squares[r])) return kAll;
  return rounded_up(reach * reach - (1 - rounding_) * block.squares[r] + kUnderflow);
}

template <class Packing>
float FloatDistance<Packing>::limit(const Block& block, std::size_t r, std::span<const Candidate> candidates) const {
  double most = static_cast<double>(kNone);
  for (const Candidate& candidate : candidates) {
    most = std::max(most, static_cast<double>(candidate.bound) + static_cast<double>(slack_[candidate.row - first_]));
  }
  const double farthest = std::sqrt(std::max(0.0, most + (1 + rounding_) * block.squares[r] + kUnderflow));
  return limit_within(block, r, farthest + 2 * (block.errors[r] + largest_error_));
}

template <class Packing>
float FloatDistance<Packing>::limit(const Block& block, std::size_t r, double distance) const {
  return limit_within(block, r, std::sqrt(distance) * factor_ + block.errors[r] + largest_error_);
}

template class FloatDistance<SinglePacking>;
template class FloatDistance<HalfPacking>;

}  // namespace obverse::cpu
