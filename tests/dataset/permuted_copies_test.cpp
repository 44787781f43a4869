#include "dataset/permuted_copies.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

namespace obverse {
namespace {

constexpr std::size_t kRows = 40;
constexpr std::size_t kFeatures = 3;

template <class T>
DenseMatrix<T> dense() {
  auto values = std::make_shared<T[]>(kRows * kFeatures);
  for (std::size_t i = 0; i < kRows * kFeatures; ++i) values[i] = static_cast<T>(i % kFeatures == 1 ? 0 : i);
  return {values, kRows, kFeatures};
}

SparseMatrix sparse() {
  SparseMatrix matrix;
  matrix.cols = kFeatures;
  matrix.row_begin = {0};
  for (std::size_t r = 0; r < kRows; ++r) {
    for (const std::uint32_t c : {0U, 2U}) {
      matrix.columns.push_back(c);
      matrix.values.push_back(static_cast<float>(r * kFeatures + c));
    }
    matrix.row_begin.push_back(matrix.columns.size());
  }
  return matrix;
}

Dataset of_storage(Storage storage) {
  DatasetParts parts{std::move(storage), {"a", "a (permuted)", "c"}, {}, {"no", "yes"}, "y", std::nullopt};
  for (std::size_t r = 0; r < kRows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(r % 2));
    parts.weights.push_back(static_cast<float>(1 + r));
    parts.times.push_back(static_cast<double>(r));
  }
  return Dataset(std::move(parts));
}

/// (rows) one column.
std::vector<float> column(const Dataset& data, std::size_t feature) {
  std::vector<float> out(data.rows());
  for (std::size_t r = 0; r < data.rows(); ++r) data.copy_columns(r, std::array{feature}, &out[r]);
  return out;
}

TEST(PermutedCopies, ArePermutedWithinTheirColumnOnly) {
  for (const Storage& storage : {Storage(dense<float>()), Storage(dense<std::uint8_t>()), Storage(sparse())}) {
    const Dataset data = of_storage(storage);
    const Dataset both = with_permuted_copies(data, 1);
    ASSERT_EQ(both.features(), 2 * kFeatures);
    EXPECT_EQ(both.storage().index(), data.storage().index());
    for (std::size_t f = 0; f < kFeatures; ++f) {
      std::vector<float> before = column(data, f);
      std::vector<float> copy = column(both, kFeatures + f);
      EXPECT_EQ(column(both, f), before);
      if (f != 1) {
        EXPECT_NE(copy, before);
      }
      std::sort(before.begin(), before.end());
      std::sort(copy.begin(), copy.end());
      EXPECT_EQ(copy, before);
    }
    // Copies depend on each other as the features do.
    const std::vector<float> first = column(both, kFeatures);
    const std::vector<float> last = column(both, kFeatures + 2);
    for (std::size_t r = 0; r < kRows; ++r) EXPECT_EQ(last[r], first[r] + 2);
  }
}

TEST(PermutedCopies, KeepWhatBelongsToTheRows) {
  const Dataset data = of_storage(dense<float>());
  const std::vector<std::uint32_t> rows{5, 7, 8, 20};
  const Dataset part = data.subset(rows);
  const Dataset both = with_permuted_copies(part, 1);
  EXPECT_EQ(both.labels(), part.labels());
  EXPECT_EQ(both.weights(), part.weights());
  EXPECT_EQ(both.time(3), 20);
  EXPECT_EQ(both.feature_names()[3], "a (permuted)*") << "never a name that a feature has";
  std::vector<float> copy = column(both, kFeatures);
  std::sort(copy.begin(), copy.end());
  EXPECT_EQ(copy, column(part, 0)) << "from these rows alone";
}

TEST(PermutedCopies, FollowTheSeed) {
  const Dataset data = of_storage(dense<float>());
  EXPECT_EQ(column(with_permuted_copies(data, 4), 3), column(with_permuted_copies(data, 4), 3));
  EXPECT_NE(column(with_permuted_copies(data, 4), 3), column(with_permuted_copies(data, 5), 3));
}

}  // namespace
}  // namespace obverse
