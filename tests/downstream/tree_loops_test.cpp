// Every compiled set of the loops of trees against its plain definition.
#include "downstream/tree_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "backend/every_set.h"

namespace obverse {
namespace {

using EveryTreeTable = test::EverySet<TreeLoops>;

INSTANTIATE_TEST_SUITE_P(TreeLoops, EveryTreeTable, testing::ValuesIn(test::set_numbers()), test::set_name);

TEST_P(EveryTreeTable, GathersAndCountsBytes) {
  const auto column = [](std::size_t i) { return static_cast<std::uint8_t>(7 + i * 37 % 243); };
  std::vector<std::uint8_t> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = column(i);
  for (const std::size_t n : {1U, 7U, 8U, 63U, 64U, 65U, 300U, 40000U}) {
    std::vector<std::uint32_t> rows(n);
    std::vector<std::uint8_t> labels(n + kCountedBytes), codes(n + kCountedBytes);
    for (std::size_t i = 0; i < n; ++i) {
      rows[i] = static_cast<std::uint32_t>(i * 11 % 1000);
      labels[i] = static_cast<std::uint8_t>(i % 3);
    }
    std::uint8_t least = 0, most = 0;
    std::vector<std::uint8_t> spread(3 * values.size());  // every third byte
    for (std::size_t i = 0; i < values.size(); ++i) spread[3 * i] = values[i];
    table().gather_bytes(spread.data(), 3, rows.data(), n, codes.data(), &least, &most);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(codes[i], column(rows[i]));
    table().gather_bytes(values.data(), 1, rows.data(), n, codes.data(), &least, &most);
    std::int64_t counts[3] = {}, expected[3] = {};
    const std::uint8_t cut = 100;
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(codes[i], column(rows[i]));
      if (codes[i] <= cut) ++expected[labels[i]];
    }
    const auto end = codes.begin() + static_cast<std::ptrdiff_t>(n);
    EXPECT_EQ(least, *std::min_element(codes.begin(), end));
    EXPECT_EQ(most, *std::max_element(codes.begin(), end));
    table().count_labels(labels.data(), codes.data(), n, cut, 3, counts);
    for (std::size_t c = 0; c < 3; ++c) EXPECT_EQ(counts[c], expected[c]) << "n " << n;
  }
}

}  // namespace
}  // namespace obverse
