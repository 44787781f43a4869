#include <gtest/gtest.h>

#include <array>
#include <limits>

#include <obverse/dataset.h>
#include <obverse/error.h>

namespace obverse {
namespace {

template <class T>
DenseMatrix<T> dense(std::vector<T> values, std::size_t cols) {
  const auto owner = std::make_shared<std::vector<T>>(std::move(values));
  return {std::shared_ptr<const T[]>(owner, owner->data()), owner->size() / cols, cols};
}

/// [[1, 0, 2], [0, 0, 3]]
SparseMatrix small_sparse() { return {{0, 2, 3}, {0, 2, 2}, {1, 2, 3}, 3}; }

DatasetParts parts(Storage storage) {
  return {std::move(storage), {"a", "b", "c"}, {0, 1}, {"no", "yes"}, "y", std::nullopt};
}

std::string refusal(DatasetParts wrong) {
  try {
    const Dataset data(std::move(wrong));
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    return error.what();
  }
  return "nothing";
}

TEST(Dataset, CopiesFeaturesOutOfEveryStorage) {
  const std::array<std::size_t, 4> wanted{2, 0, 1, 2};
  for (const Storage& storage : {Storage(dense<float>({1, 0, 2, 0, 0, 3}, 3)),
                                 Storage(dense<std::uint8_t>({1, 0, 2, 0, 0, 3}, 3)), Storage(small_sparse())}) {
    const Dataset data(parts(storage));
    std::array<float, 4> out{};
    data.copy_columns(0, wanted, out.data());
    EXPECT_EQ(out, (std::array<float, 4>{2, 1, 0, 2}));
    data.copy_columns(1, wanted, out.data());
    EXPECT_EQ(out, (std::array<float, 4>{3, 0, 0, 3}));
  }
}

TEST(Dataset, SharesItsValuesWithSubsets) {
  const Dataset data(parts(dense<float>({1, 2, 3, 4, 5, 6}, 3)));
  const std::array<std::uint32_t, 3> rows{1, 1, 0};
  const Dataset part = data.subset(rows);
  const std::array<std::uint32_t, 1> last{2};
  EXPECT_EQ(part.rows(), 3U);
  EXPECT_EQ(part.labels(), (std::vector<std::int32_t>{1, 1, 0}));
  EXPECT_EQ(part.class_counts(), (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(part.subset(last).storage_rows()[0], 0U);
  EXPECT_EQ(&part.storage(), &data.storage());
  const std::array<std::uint32_t, 1> beyond{3};
  EXPECT_THROW(part.subset(beyond), Error);
}

TEST(Dataset, FindsTheValueThatIsNotFinite) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  EXPECT_EQ(
      refusal(parts(dense<float>({1, 2, 3, 4, nan, 6}, 3))),
      "row 2, column 'b': expected a finite number, found NaN; remove the row, fill the cell, or leave the column "
      "out");
  SparseMatrix sparse = small_sparse();
  sparse.values[2] = -inf;
  EXPECT_NE(refusal(parts(sparse)).find("row 2, column 'c': expected a finite number, found an infinite value"),
            std::string::npos);
}

TEST(Dataset, RefusesPartsThatDoNotFit) {
  const auto with = [](auto change) {
    DatasetParts changed = parts(small_sparse());
    change(changed);
    return refusal(std::move(changed));
  };
  EXPECT_EQ(with([](DatasetParts&) {}), "nothing");
  EXPECT_EQ(with([](DatasetParts& p) { p.labels = {}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.labels = {0}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.labels = {0, 2}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.labels = {0, -1}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.feature_names = {"a", "b"}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.feature_names = {"a", "b", "a"}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.image_shape = ImageShape{2, 2}; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { std::get<SparseMatrix>(p.storage).columns[1] = 3; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { std::get<SparseMatrix>(p.storage).columns[1] = 0; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { std::get<SparseMatrix>(p.storage).row_begin[1] = 9; }), "nothing");
  EXPECT_NE(with([](DatasetParts& p) { p.storage = DenseMatrix<float>{}; }), "nothing");
}

TEST(ConstantFeatures, AreFoundInTheRowsOfTheSubset) {
  for (const Storage& storage :
       {Storage(dense<float>({5, 0, 1, 5, 0, 2, 5, 3, 2}, 3)),
        Storage(dense<std::uint8_t>({5, 0, 1, 5, 0, 2, 5, 3, 2}, 3)),
        Storage(SparseMatrix{{0, 2, 5, 8}, {0, 2, 0, 1, 2, 0, 1, 2}, {5, 1, 5, 0, 2, 5, 3, 2}, 3})}) {
    DatasetParts three = parts(storage);
    three.labels = {0, 1, 1};
    const Dataset data(std::move(three));
    EXPECT_EQ(constant_features(data), (std::vector<std::size_t>{0}));
    const std::array<std::uint32_t, 2> front{0, 1};
    EXPECT_EQ(constant_features(data.subset(front)), (std::vector<std::size_t>{0, 1}));
    const std::array<std::uint32_t, 2> back{1, 2};
    EXPECT_EQ(constant_features(data.subset(back)), (std::vector<std::size_t>{0, 2}));
  }
}

}  // namespace
}  // namespace obverse
