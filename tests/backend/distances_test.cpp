// Every compiled set of scans against its plain definition.
#include "backend/cpu/distances.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/cpu/processor.h"
#include "backend/every_set.h"
#include "support/random.h"

namespace obverse::cpu {
namespace {

class EveryScan : public test::EverySet<Distances> {
 protected:
  const Distances& distances() const { return table(); }
};

INSTANTIATE_TEST_SUITE_P(Distances, EveryScan, testing::ValuesIn(test::set_numbers()), test::set_name);

// Two tiles, each row with a limit of its own and one candidate that is there already.
template <class Scan, class Bound>
struct Lists {
  static constexpr std::size_t kRows = 2 * kTile;
  static constexpr std::size_t kCapacity = kPanel + 1;
  std::vector<Bound> limits = std::vector<Bound>(kRows);
  std::vector<Candidate<Bound>> candidates = std::vector<Candidate<Bound>>(kRows * kCapacity);
  std::vector<std::uint32_t> counts = std::vector<std::uint32_t>(kRows, 1);

  void connect(Scan& scan) {
    scan.tile_count = 2;
    scan.first_row = 64;
    scan.limits = limits.data();
    scan.candidates = candidates.data();
    scan.capacity = kCapacity;
    scan.counts = counts.data();
  }

  // bounds: (kRows, kPanel)
  void expect(const std::vector<Bound>& bounds) const {
    for (std::size_t r = 0; r < kRows; ++r) {
      std::vector<std::pair<std::uint32_t, Bound>> wanted, found;
      for (std::size_t i = 0; i < kPanel; ++i) {
        const Bound bound = bounds[r * kPanel + i];
        if (bound <= limits[r]) wanted.emplace_back(64 + i, bound);
      }
      for (std::size_t i = 1; i < counts[r]; ++i) {
        found.emplace_back(candidates[r * kCapacity + i].row, candidates[r * kCapacity + i].bound);
      }
      std::sort(found.begin(), found.end());
      EXPECT_EQ(found, wanted) << "row " << r;
    }
  }
};

// Whole numbers, so that every order of the sums gives the same.
TEST_P(EveryScan, WritesTheFloatBoundsWithinTheLimitOfEachRow) {
  using FloatLists = Lists<FloatScan, float>;
  for (const std::size_t depth : {1, 7, 78}) {
    RandomStream stream(3, Purpose::generation, depth);
    std::vector<float> tiles(FloatLists::kRows * depth), panel(depth * kPanel), start(kPanel);
    for (auto* values : {&tiles, &panel, &start}) {
      for (float& x : *values) x = static_cast<float>(stream.below(21)) - 10.0F;
    }
    FloatLists lists;
    for (float& limit : lists.limits) limit = static_cast<float>(stream.below(41)) - 20.0F;
    lists.limits[3] = 1e30F;
    lists.limits[17] = -1e30F;
    std::vector<float> bounds;
    for (std::size_t r = 0; r < FloatLists::kRows; ++r) {
      for (std::size_t i = 0; i < kPanel; ++i) {
        float bound = start[i];
        for (std::size_t k = 0; k < depth; ++k) {
          bound += tiles[(r / kTile * depth + k) * kTile + r % kTile] * panel[k * kPanel + i];
        }
        bounds.push_back(bound);
      }
    }
    FloatScan scan;
    lists.connect(scan);
    scan.tiles = tiles.data();
    scan.panel = panel.data();
    scan.start = start.data();
    scan.depth = depth;
    distances().scan_floats(scan);
    lists.expect(bounds);
  }
}

// Small whole numbers are bf16 as they are: the upper half of a float.
TEST_P(EveryScan, WritesTheHalfBoundsWithinTheLimitOfEachRow) {
  if (distances().scan_halves == nullptr || !arithmetic().half_products) GTEST_SKIP() << "no products of bf16";
  using HalfLists = Lists<HalfScan, float>;
  for (const std::size_t depth : {1, 4, 39}) {
    RandomStream stream(5, Purpose::generation, depth);
    const auto draw = [&] {
      const float x = static_cast<float>(stream.below(21)) - 10.0F;
      std::uint32_t bits = 0;
      std::memcpy(&bits, &x, sizeof bits);
      return std::pair(x, bits >> 16);
    };
    std::vector<TwoHalves> tiles(HalfLists::kRows * depth), panel(depth * kPanel);
    std::vector<float> tile_values, panel_values, start(kPanel);
    for (auto [pairs, values] : {std::pair(&tiles, &tile_values), std::pair(&panel, &panel_values)}) {
      for (TwoHalves& pair : *pairs) {
        const auto [low, low_bits] = draw();
        const auto [high, high_bits] = draw();
        pair = low_bits | high_bits << 16;
        values->insert(values->end(), {low, high});
      }
    }
    for (float& x : start) x = static_cast<float>(stream.below(21)) - 10.0F;
    HalfLists lists;
    for (float& limit : lists.limits) limit = static_cast<float>(stream.below(41)) - 20.0F;
    lists.limits[3] = 1e30F;
    std::vector<float> bounds;
    for (std::size_t r = 0; r < HalfLists::kRows; ++r) {
      for (std::size_t i = 0; i < kPanel; ++i) {
        float bound = start[i];
        for (std::size_t k = 0; k < depth; ++k) {
          const float* const a = &tile_values[2 * ((r / kTile * depth + k) * kTile + r % kTile)];
          const float* const b = &panel_values[2 * (k * kPanel + i)];
          bound += a[0] * b[0] + a[1] * b[1];
        }
        bounds.push_back(bound);
      }
    }
    HalfScan scan;
    lists.connect(scan);
    scan.tiles = tiles.data();
    scan.panel = panel.data();
    scan.start = start.data();
    scan.depth = depth;
    distances().scan_halves(scan);
    lists.expect(bounds);
  }
}

TEST_P(EveryScan, WritesTheByteBoundsWithinTheLimitOfEachRow) {
  if (distances().scan_bytes == nullptr || !arithmetic().byte_products) GTEST_SKIP() << "no products of bytes";
  using ByteLists = Lists<ByteScan, std::int32_t>;
  for (const std::size_t depth : {1, 5, 20}) {
    RandomStream stream(4, Purpose::generation, depth);
    std::vector<FourBytes> tiles(ByteLists::kRows * depth), panel(depth * kPanel);
    for (auto* values : {&tiles, &panel}) {
      for (FourBytes& x : *values) x = stream.below(0x10000U) << 16 | stream.below(0x10000U);
    }
    tiles[0] = 0xFFFFFFFFU;
    panel[0] = 0x80808080U;
    std::vector<std::int32_t> start(kPanel);
    for (std::int32_t& x : start) x = static_cast<std::int32_t>(stream.below(1000000));
    ByteLists lists;
    for (std::int32_t& limit : lists.limits) limit = static_cast<std::int32_t>(stream.below(1000000));
    lists.limits[5] = 1 << 30;
    std::vector<std::int32_t> bounds;
    for (std::size_t r = 0; r < ByteLists::kRows; ++r) {
      for (std::size_t i = 0; i < kPanel; ++i) {
        std::int32_t bound = start[i];
        for (std::size_t k = 0; k < depth; ++k) {
          std::uint8_t a[4];
          std::int8_t b[4];
          std::memcpy(a, &tiles[(r / kTile * depth + k) * kTile + r % kTile], 4);
          std::memcpy(b, &panel[k * kPanel + i], 4);
          for (std::size_t j = 0; j < 4; ++j) bound += int{a[j]} * int{b[j]};
        }
        bounds.push_back(bound);
      }
    }
    ByteScan scan;
    lists.connect(scan);
    scan.tiles = tiles.data();
    scan.panel = panel.data();
    scan.start = start.data();
    scan.depth = depth;
    distances().scan_bytes(scan);
    lists.expect(bounds);
  }
}

}  // namespace
}  // namespace obverse::cpu
