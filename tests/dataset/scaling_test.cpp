#include "dataset/scaling.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

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

TEST(Scaling, DividesBytesBy255WhereTheyArePixels) {
  const auto divided = [](DatasetParts parts) {
    const Affine map = fit_scaling(Dataset(std::move(parts)), Scaling::automatic);
    return map.scale.front() == 1.0F / 255 && map.offset.front() == 0;
  };
  EXPECT_TRUE(divided(parts_with(matrix<std::uint8_t>({0, 0, 255, 0}, 2), 2)))
      << "the column that varies fills the byte";
  EXPECT_FALSE(divided(parts_with(matrix<std::uint8_t>({0, 9, 5, 128, 2, 7}, 3), 3))) << "one of three does";
  EXPECT_FALSE(divided(parts_with(matrix<std::uint8_t>({0, 1, 1, 0}, 2), 2))) << "flags";
  EXPECT_FALSE(divided(parts_with(matrix<std::uint8_t>({0, 3, 60, 3}, 2), 2))) << "counts";
  DatasetParts dark = parts_with(matrix<std::uint8_t>({0, 1, 1, 0}, 2), 2);
  dark.image_shape = ImageShape{1, 2};
  EXPECT_TRUE(divided(std::move(dark))) << "a picture";
}

TEST(Scaling, OfBytesCanBeAskedFor) {
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

/// Rows of one column after they were scaled, computed as training does: in float32.
std::vector<float> scaled(const Dataset& data, Scaling scaling, std::size_t column) {
  const Affine map = fit_scaling(data, scaling);
  EXPECT_TRUE(std::isnormal(map.scale[column]));
  EXPECT_TRUE(std::isfinite(map.offset[column]));
  std::vector<float> values;
  const std::vector<std::size_t> features{column};
  for (std::size_t r = 0; r < data.rows(); ++r) {
    float x = 0;
    data.copy_columns(r, features, &x);
    values.push_back(x * map.scale[column] + map.offset[column]);
  }
  return values;
}

/// (-3, -1, 1, 3) times each of `units`, as dense and as sparse rows.
std::vector<Dataset> both_storages(const std::vector<float>& units) {
  std::vector<float> values;
  SparseMatrix sparse{{0}, {}, {}, units.size()};
  for (const float factor : {-3.0F, -1.0F, 1.0F, 3.0F}) {
    for (std::size_t c = 0; c < units.size(); ++c) {
      values.push_back(factor * units[c]);
      sparse.columns.push_back(static_cast<std::uint32_t>(c));
      sparse.values.push_back(factor * units[c]);
    }
    sparse.row_begin.push_back(sparse.columns.size());
  }
  return {Dataset(parts_with(matrix<float>(values, units.size()), units.size())),
          Dataset(parts_with(sparse, units.size()))};
}

TEST(Scaling, StandardisesTinyAndHugeColumnsAsOthers) {
  const float root = std::sqrt(5.0F);
  for (const Dataset& data : both_storages({1, 1e-37F, 1e30F, 1e37F, 1e-30F})) {
    for (std::size_t c = 0; c < data.features(); ++c) {
      const auto standardised = scaled(data, Scaling::standardise, c);
      const auto range = scaled(data, Scaling::minmax, c);
      for (std::size_t r = 0; r < 4; ++r) {
        EXPECT_NEAR(standardised[r], (2 * static_cast<float>(r) - 3) / root, 1e-5) << c;
        EXPECT_NEAR(range[r], static_cast<float>(r) / 3, 1e-5) << c;
      }
    }
  }
}

TEST(Scaling, KeepsTheWidestColumnsFinite) {
  for (const Dataset& data : both_storages({1.1e38F, 1})) {
    for (const Scaling scaling : {Scaling::standardise, Scaling::minmax}) {
      const auto values = scaled(data, scaling, 0);
      EXPECT_GT(values[3] - values[0], 1);
      EXPECT_LT(values[3] - values[0], 16);
      EXPECT_NEAR(values[1] - values[0], values[3] - values[2], 1e-4);
    }
  }
}

TEST(Scaling, TakesSubnormalNumbersForZero) {
  for (const Dataset& data : both_storages({1e-40F, 1, 1e-44F})) {
    EXPECT_EQ(constant_features(data), (std::vector<std::size_t>{0, 2}));
    EXPECT_EQ(varying_features(data), (std::vector<std::size_t>{1}));
    for (const Scaling scaling : {Scaling::standardise, Scaling::minmax}) {
      const Affine map = fit_scaling(data, scaling);
      EXPECT_EQ(map.scale[0], 1);
      EXPECT_EQ(map.offset[0], 0);
    }
  }
  // Normal numbers whose differences are not.
  const Dataset near(parts_with(matrix<float>({1e-37F, 1e-37F * (1 + 1e-6F), 1e-37F, 1e-37F * (1 + 1e-6F)}, 1), 1));
  for (const float value : scaled(near, Scaling::standardise, 0)) EXPECT_LT(std::abs(value), 2);
}

}  // namespace
}  // namespace obverse
