// Packing of rows of bytes in groups of four.
#include "backend/cpu/byte_distance.h"

#include <algorithm>
#include <cstring>

namespace obverse::cpu {

namespace {

// out: every stride-th group of four.
void pack(std::span<const std::uint8_t> row, std::size_t stride, FourBytes* out) {
  for (std::size_t g = 0; g < row.size() / 4; ++g) std::memcpy(out + g * stride, row.data() + 4 * g, 4);
}

}  // namespace

ByteDistance::ByteDistance(const FeatureRows& train, const FeatureRows& test)
    : train_(train), test_(test), groups_((train.features() + 3) / 4) {}

void ByteDistance::begin_chunk(std::size_t first, std::size_t rows) {
  const std::size_t panels = (rows + kPanel - 1) / kPanel;
  first_ = first;
  rows_ = rows;
  panels_.resize(panels * kPanel * groups_);
  start_.resize(panels * kPanel);
  odd_.resize(panels * kPanel);
}

void ByteDistance::pack_panel(std::size_t panel) {
  std::vector<std::uint8_t> row(4 * groups_);  // zeros behind the features
  const auto features = std::span(row).first(train_.features());
  FourBytes* const out = panels_.data() + panel * kPanel * groups_;
  for (std::size_t i = 0; i < kPanel; ++i) {
    const std::size_t r = panel * kPanel + i;
    if (r >= rows_) {  // behind the last row: never within a limit
      for (std::size_t g = 0; g < groups_; ++g) out[g * kPanel + i] = 0;
      start_[r] = kAll + 1;
      continue;
    }
    train_.copy(first_ + r, row.data());
    std::uint32_t square = 0;
    for (const std::uint8_t x : features) square += std::uint32_t{x} * x;
    start_[r] = static_cast<std::int32_t>(square / 2);
    odd_[r] = static_cast<std::uint8_t>(square % 2);
    for (std::uint8_t& x : features) x = static_cast<std::uint8_t>(127 - x);
    pack(row, kPanel, out + i);
  }
}

ByteDistance::Block ByteDistance::pack_block(std::size_t first, std::size_t rows) const {
  const std::size_t tiles = (rows + kTile - 1) / kTile;
  Block block{std::vector<FourBytes>(tiles * kTile * groups_), std::vector<std::int64_t>(rows)};
  std::vector<std::uint8_t> row(4 * groups_);
  for (std::size_t r = 0; r < rows; ++r) {
    test_.copy(first + r, row.data());
    for (const std::uint8_t x : row) block.rest[r] += std::int64_t{x} * x - 254 * std::int64_t{x};
    pack(row, kTile, block.tiles.data() + r / kTile * kTile * groups_ + r % kTile);
  }
  return block;
}

ByteScan ByteDistance::scan_of(const Block& block, std::size_t panel) const {
  ByteScan scan;
  scan.tiles = block.tiles.data();
  scan.tile_count = block.tiles.size() / (kTile * groups_);
  scan.panel = panels_.data() + panel * kPanel * groups_;
  scan.start = start_.data() + panel * kPanel;
  scan.depth = groups_;
  scan.first_row = static_cast<std::uint32_t>(first_ + panel * kPanel);
  return scan;
}

double ByteDistance::distance(const Block& block, std::size_t r, const Candidate& candidate) const {
  return static_cast<double>(block.rest[r] + 2 * std::int64_t{candidate.bound} + odd_[candidate.row - first_]);
}

ByteDistance::Bound ByteDistance::limit(const Block&, std::size_t, std::span<const Candidate> candidates) const {
  Bound most = kNone;
  for (const Candidate& candidate : candidates) most = std::max(most, candidate.bound);
  return most;
}

ByteDistance::Bound ByteDistance::limit(const Block& block, std::size_t r, double distance) const {
  const std::int64_t nearer = static_cast<std::int64_t>(distance) - block.rest[r] - 1;
  return static_cast<Bound>(std::clamp<std::int64_t>(nearer >> 1, kNone, kAll));
}

}  // namespace obverse::cpu
