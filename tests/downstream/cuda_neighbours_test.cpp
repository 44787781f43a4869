// Neighbours on a CUDA device against those on the processor: the same rows in the same order.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>

#include <obverse/error.h>

#include "backend/cuda_fixture.h"
#include "downstream/neighbours.h"
#include "support/random.h"

namespace obverse {
namespace {

class CudaNeighbours : public testing::Test {
 protected:
  void SetUp() override { test::need_cuda(); }
};

using Draw = std::function<double(RandomStream&)>;

double normal(RandomStream& stream) { return stream.normal(); }
double byte(RandomStream& stream) { return stream.below(256); }
double bit(RandomStream& stream) { return stream.below(2); }

/// (rows, cols)
std::vector<float> values(std::size_t rows, std::size_t cols, const Draw& draw, std::uint64_t index) {
  RandomStream stream(9, Purpose::generation, index);
  std::vector<float> made(rows * cols);
  for (float& value : made) value = static_cast<float>(draw(stream));
  return made;
}

Dataset dataset(Storage storage, std::size_t cols) {
  DatasetParts parts;
  parts.storage = std::move(storage);
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  return Dataset(std::move(parts));
}

template <class T>
Dataset dense(const std::vector<float>& values, std::size_t cols) {
  auto stored = std::make_shared<T[]>(values.size());
  std::transform(values.begin(), values.end(), stored.get(), [](float x) { return static_cast<T>(x); });
  return dataset(DenseMatrix<T>{stored, values.size() / cols, cols}, cols);
}

template <class T>
Dataset dense(std::size_t rows, std::size_t cols, const Draw& draw, std::uint64_t index) {
  return dense<T>(values(rows, cols, draw, index), cols);
}

Dataset sparse(std::size_t rows, std::size_t cols, double share, std::uint64_t index) {
  const auto drawn = values(
      rows, cols, [&](RandomStream& stream) { return stream.uniform() < share ? stream.normal() : 0.0; }, index);
  SparseMatrix matrix{{0}, {}, {}, cols};
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (drawn[i] != 0) {
      matrix.columns.push_back(static_cast<std::uint32_t>(i % cols));
      matrix.values.push_back(drawn[i]);
    }
    if ((i + 1) % cols == 0) matrix.row_begin.push_back(matrix.columns.size());
  }
  return dataset(std::move(matrix), cols);
}

void expect_alike(NeighbourQuery query) {
  Team team(2);
  const std::vector<std::uint32_t> wanted = nearest_rows(query, team);
  query.device = &device_named("cuda");
  const std::vector<std::uint32_t> found = nearest_rows(query, team);
  ASSERT_EQ(found.size(), wanted.size());
  const auto [other, known] = std::mismatch(found.begin(), found.end(), wanted.begin());
  if (other == found.end()) return;
  const auto at = static_cast<std::size_t>(other - found.begin());
  ADD_FAILURE() << "row " << at / query.neighbours << ", neighbour " << at % query.neighbours << ": expected " << *known
                << ", found " << *other << "; " << query.train->rows() << " training rows, " << query.features.size()
                << " features, " << query.neighbours << " neighbours"
                << (query.test == nullptr ? ", own left out" : "");
}

void expect_alike(const Dataset& train, const Dataset& test, std::size_t neighbours, const Affine& scaling) {
  std::vector<std::size_t> features(train.features());
  std::iota(features.begin(), features.end(), std::size_t{0});
  expect_alike({&train, &test, features, &scaling, std::min(neighbours, train.rows())});
  if (train.rows() > 1) expect_alike({&train, nullptr, features, &scaling, std::min(neighbours, train.rows() - 1)});
}

void expect_alike(const Dataset& train, const Dataset& test, std::size_t neighbours = 5) {
  const std::size_t cols = train.features();
  expect_alike(train, test, neighbours, {std::vector<float>(cols, 1.0F), std::vector<float>(cols, 0.0F)});
}

TEST_F(CudaNeighbours, OfFloatsAreThoseOfTheProcessor) {
  for (const std::size_t cols : {1, 2, 7, 16, 17, 50, 784}) {
    for (const std::size_t rows : {1, 6, 127, 128, 129, 1700}) {
      for (const std::size_t neighbours : {1, 5, 64, 100}) {
        expect_alike(dense<float>(rows, cols, normal, 1), dense<float>(131, cols, normal, 2), neighbours);
      }
    }
  }
}

TEST_F(CudaNeighbours, OfOneRowAreThoseOfTheProcessor) {
  expect_alike(dense<float>(5000, 50, normal, 1), dense<float>(1, 50, normal, 2));
  expect_alike(dense<std::uint8_t>(5000, 50, byte, 1), dense<std::uint8_t>(1, 50, byte, 2));
  expect_alike(dense<float>(1, 1, normal, 1), dense<float>(1, 1, normal, 2));
}

TEST_F(CudaNeighbours, OfManyRowsAreThoseOfTheProcessor) {
  expect_alike(dense<float>(20000, 20, normal, 1), dense<float>(3000, 20, normal, 2));
  expect_alike(dense<std::uint8_t>(20000, 20, byte, 1), dense<std::uint8_t>(3000, 20, byte, 2), 11);
}

TEST_F(CudaNeighbours, OfBytesAreThoseOfTheProcessor) {
  for (const std::size_t cols : {1, 2, 3, 4, 50, 78, 784}) {
    for (const std::size_t rows : {1, 33, 700}) {
      for (const std::size_t neighbours : {1, 5, 100}) {
        expect_alike(dense<std::uint8_t>(rows, cols, byte, 1), dense<std::uint8_t>(131, cols, byte, 2), neighbours);
      }
    }
  }
}

// More features than the processor's products hold, and more than the device's.
TEST_F(CudaNeighbours, OfVeryLongRowsOfBytesAreThoseOfTheProcessor) {
  const Draw extremes = [](RandomStream& stream) { return 255 * stream.below(2); };
  for (const std::size_t cols : {33000, 65536, 66001}) {
    expect_alike(dense<std::uint8_t>(70, cols, extremes, 1), dense<std::uint8_t>(9, cols, byte, 2));
    // As far apart as bytes can be.
    expect_alike(dense<std::uint8_t>(std::vector<float>(3 * cols, 255.0F), cols),
                 dense<std::uint8_t>(std::vector<float>(cols), cols), 3);
  }
}

TEST_F(CudaNeighbours, AmongEqualDistancesHaveTheLowerRowNumber) {
  for (const std::size_t cols : {1, 3, 9}) {
    for (const std::size_t neighbours : {1, 5, 40, 200}) {
      expect_alike(dense<float>(1500, cols, bit, 1), dense<float>(150, cols, bit, 2), neighbours);
      expect_alike(dense<std::uint8_t>(1500, cols, bit, 1), dense<std::uint8_t>(150, cols, bit, 2), neighbours);
    }
  }
}

TEST_F(CudaNeighbours, AmongEqualRowsAreTheFirst) {
  const std::vector<float> same(900 * 7, 3.0F);
  expect_alike(dense<float>(same, 7), dense<float>(40, 7, normal, 2), 70);
  expect_alike(dense<std::uint8_t>(same, 7), dense<std::uint8_t>(40, 7, byte, 2), 70);
}

// Near to far and far to near: lists that never change again, and lists that change with every row.
TEST_F(CudaNeighbours, AreFoundInSortedRows) {
  for (const float step : {1.0F, -1.0F}) {
    std::vector<float> line(3000);
    for (std::size_t r = 0; r < line.size(); ++r) line[r] = step * static_cast<float>(r);
    for (const std::size_t neighbours : {1, 5, 33, 300}) {
      expect_alike(dense<float>(line, 1), dense<float>({-1e6F, 1e6F, 0.0F, 1500.5F}, 1), neighbours);
    }
  }
}

TEST_F(CudaNeighbours, MayBeManyOrAllRows) {
  for (const std::size_t rows : {130, 2500}) {
    expect_alike(dense<float>(rows, 4, normal, 1), dense<float>(70, 4, normal, 2), rows);
    expect_alike(dense<std::uint8_t>(rows, 4, byte, 1), dense<std::uint8_t>(70, 4, byte, 2), rows);
  }
  expect_alike(dense<float>(9000, 4, normal, 1), dense<float>(70, 4, normal, 2), 1000);
}

TEST_F(CudaNeighbours, AreRefusedBeyondTheRowsAsOnTheProcessor) {
  const Dataset train = dense<float>(3, 2, normal, 1);
  const std::vector<std::size_t> features{0, 1};
  const Affine scaling{{1, 1}, {0, 0}};
  Team team(1);
  for (const Device* device : {&processor(), &device_named("cuda")}) {
    EXPECT_THROW(nearest_rows({&train, &train, features, &scaling, 4, device}, team), Error);
    EXPECT_THROW(nearest_rows({&train, nullptr, features, &scaling, 3, device}, team), Error);
  }
}

// Every row holds the same values in another order, and is as far from the middle but for the rounding of its sum,
// which another order of summation, or products that are not rounded, would change.
TEST_F(CudaNeighbours, AreToldApartByTheLastBit) {
  const std::size_t cols = 30;
  RandomStream stream(9, Purpose::generation, 3);
  std::vector<float> row = values(1, cols, normal, 1);
  std::vector<float> around;
  for (std::size_t r = 0; r < 2000; ++r) {
    stream.shuffle(std::span(row));
    around.insert(around.end(), row.begin(), row.end());
  }
  expect_alike(dense<float>(around, cols), dense<float>(std::vector<float>(cols, 0.1F), cols), 100);
}

// Squares of these leave the range of float; the smallest are no normal numbers.
TEST_F(CudaNeighbours, AreFoundAmongVerySmallAndVeryLargeValues) {
  for (const double unit : {1e-42, 1e-38, 1e-33, 1e25, 3e37}) {
    const Draw draw = [&](RandomStream& stream) { return unit * stream.normal(); };
    expect_alike(dense<float>(300, 5, draw, 1), dense<float>(40, 5, draw, 2));
  }
  std::vector<float> train = values(1000, 5, normal, 1), test = values(40, 5, normal, 2);
  train[501 * 5 + 2] = 1e30F;
  train[777 * 5 + 2] = 2e30F;
  test[13 * 5 + 2] = 1.2e30F;
  test[14 * 5 + 3] = std::numeric_limits<float>::max();
  test[15 * 5 + 3] = std::numeric_limits<float>::min() / 2;
  expect_alike(dense<float>(train, 5), dense<float>(test, 5));
}

// Behind this scaling some test rows are infinitely far from every training row.
TEST_F(CudaNeighbours, AreTheFirstRowsWhereAllAreInfinitelyFar) {
  const Dataset train = dense<float>(400, 2, normal, 1);
  std::vector<float> far = values(30, 2, normal, 2);
  far[7] = 3e38F;
  far[20] = -3e38F;
  const Dataset test = dense<float>(far, 2);
  const std::vector<std::size_t> features{0, 1};
  const Affine scaling{{8, 8}, {0, 0}};
  expect_alike({&train, &test, features, &scaling, 10});
}

TEST_F(CudaNeighbours, AreFoundBehindALargeOffset) {
  for (const double offset : {1e4, -3e6, 1e8}) {
    const Draw draw = [&](RandomStream& stream) { return offset + stream.normal() * std::abs(offset) * 1e-5; };
    expect_alike(dense<float>(800, 12, draw, 1), dense<float>(60, 12, draw, 2));
  }
}

TEST_F(CudaNeighbours, OfSparseRowsAreThoseOfTheProcessor) {
  const Dataset train = sparse(500, 60, 0.2, 1), test = sparse(150, 60, 0.2, 2);
  expect_alike(train, test);
  expect_alike(train, test, 20, fit_scaling(train, Scaling::standardise));
  // Zeros become numbers that are not normal.
  expect_alike(train, test, 20, {std::vector<float>(60, 1e-38F), std::vector<float>(60, 3e-39F)});
}

TEST_F(CudaNeighbours, SeeTheChosenFeaturesThroughTheScaling) {
  const Dataset floats = dense<float>(400, 20, normal, 1);
  const Dataset bytes = dense<std::uint8_t>(400, 20, byte, 2);
  const std::vector<std::size_t> features{4, 19, 2, 7, 11};
  for (const Scaling kind : {Scaling::automatic, Scaling::standardise, Scaling::minmax, Scaling::none}) {
    for (const Dataset* data : {&floats, &bytes}) {
      const Affine scaling = fit_scaling(*data, kind);
      expect_alike({data, nullptr, features, &scaling});
      expect_alike({&floats, &bytes, features, &scaling, 9});
    }
  }
}

}  // namespace
}  // namespace obverse
