#include "dataset/scaling.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

DatasetParts parts_with(Storage storage, std::size_t cols) {
  DatasetParts parts;
  parts.storage = std::move(storage);
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  return parts;
}

template <class T>
DenseMatrix<T> matrix(std::vector<T> values, std::size_t cols) {
  auto memory = std::make_shared<T[]>(values.size());
  std::copy(values.begin(), values.end(), memory.get());
  return {memory, values.size() / cols, cols};
}

TEST(Scaling, StandardisesToMeanZeroAndDeviationOne) {
  // Columns: 1 3 5 (mean 3, deviation sqrt(8/3)); a large offset; constant.
  const Dataset data(parts_with(matrix<float>({1, 1e6F + 1, 7, 3, 1e6F + 2, 7, 5, 1e6F + 3, 7}, 3), 3));
  const Affine map = fit_scaling(data, Scaling::automatic);
  EXPECT_NEAR(map.scale[0], 1 / std::sqrt(8.0 / 3), 1e-6);
  EXPECT_NEAR(map.offset[0], -3 / std::sqrt(8.0 / 3), 1e-6);
  EXPECT_NEAR(map.scale[1], 1 / std::sqrt(2.0 / 3), 1e-5);
  EXPECT_FLOAT_EQ(map.scale[2], 1);
  EXPECT_FLOAT_EQ(map.offset[2], -7);
}

TEST(Scaling, DividesBytesBy255UnlessAskedOtherwise) {
  const Dataset data(parts_with(matrix<std::uint8_t>({0, 10, 255, 20}, 2), 2));
  EXPECT_FLOAT_EQ(fit_scaling(data, Scaling::automatic).scale[1], 1.0F / 255);
  EXPECT_FLOAT_EQ(fit_scaling(data, Scaling::automatic).offset[1], 0);
  const Affine range = fit_scaling(data, Scaling::minmax);
  EXPECT_FLOAT_EQ(10 * range.scale[1] + range.offset[1], 0);
  EXPECT_FLOAT_EQ(20 * range.scale[1] + range.offset[1], 1);
  EXPECT_FLOAT_EQ(fit_scaling(data, Scaling::none).scale[0], 1);
}

TEST(Scaling, CountsTheZerosThatSparseRowsLeaveOut) {
  // (2,0) (0,0) (4,-6) (0,0)
  SparseMatrix sparse{{0, 1, 1, 3, 3}, {0, 0, 1}, {2, 4, -6}, 2};
  const Affine map = fit_scaling(Dataset(parts_with(sparse, 2)), Scaling::standardise);
  const Affine dense =
      fit_scaling(Dataset(parts_with(matrix<float>({2, 0, 0, 0, 4, -6, 0, 0}, 2), 2)), Scaling::standardise);
  for (std::size_t d = 0; d < 2; ++d) {
    EXPECT_FLOAT_EQ(map.scale[d], dense.scale[d]);
    EXPECT_FLOAT_EQ(map.offset[d], dense.offset[d]);
  }
  const Affine range = fit_scaling(Dataset(parts_with(sparse, 2)), Scaling::minmax);
  EXPECT_FLOAT_EQ(range.scale[1], 1.0F / 6);
}

TEST(Scaling, LooksOnlyAtTheRowsOfTheSubset) {
  const Dataset data(parts_with(matrix<float>({0, 2, 100}, 1), 1));
  const std::vector<std::uint32_t> rows{0, 1};
  EXPECT_FLOAT_EQ(fit_scaling(data.subset(rows), Scaling::standardise).offset[0], -1);
}

}  // namespace
}  // namespace obverse
