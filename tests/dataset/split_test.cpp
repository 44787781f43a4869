#include <gtest/gtest.h>

#include <algorithm>

#include <obverse/dataset.h>
#include <obverse/error.h>

namespace obverse {
namespace {

/// One column; `counts` rows of each class, one class after another.
Dataset classes_of(const std::vector<std::size_t>& counts) {
  DatasetParts parts;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    parts.labels.insert(parts.labels.end(), counts[c], static_cast<std::int32_t>(c));
    parts.class_names.push_back(cat("class ", c));
  }
  const std::size_t rows = parts.labels.size();
  auto values = std::make_shared<float[]>(rows);
  for (std::size_t r = 0; r < rows; ++r) values[r] = static_cast<float>(r);
  parts.storage = DenseMatrix<float>{std::move(values), rows, 1};
  parts.feature_names = {"x"};
  return Dataset(std::move(parts));
}

TEST(Split, GivesEachClassItsShare) {
  const auto [train, test] = split(classes_of({100, 50, 7, 2}), {.test_fraction = 0.2, .seed = 3});
  EXPECT_EQ(test.class_counts(), (std::vector<std::size_t>{20, 10, 1, 1}));
  EXPECT_EQ(train.class_counts(), (std::vector<std::size_t>{80, 40, 6, 1}));
}

TEST(Split, LeavesARowInEachPart) {
  const auto [train, test] = split(classes_of({3, 3}), {.test_fraction = 0.99});
  EXPECT_EQ(train.class_counts(), (std::vector<std::size_t>{1, 1}));
  const auto [most, least] = split(classes_of({3, 3}), {.test_fraction = 0.01});
  EXPECT_EQ(least.class_counts(), (std::vector<std::size_t>{1, 1}));
}

TEST(Split, IsAPartitionInAscendingOrder) {
  const auto [train, test] = split(classes_of({40, 60}), {.seed = 5});
  std::vector<std::uint32_t> all(train.storage_rows().begin(), train.storage_rows().end());
  EXPECT_TRUE(std::is_sorted(all.begin(), all.end()));
  EXPECT_TRUE(std::is_sorted(test.storage_rows().begin(), test.storage_rows().end()));
  all.insert(all.end(), test.storage_rows().begin(), test.storage_rows().end());
  std::sort(all.begin(), all.end());
  for (std::uint32_t r = 0; r < 100; ++r) EXPECT_EQ(all[r], r);
}

TEST(Split, DependsOnTheSeedAndNothingElse) {
  const Dataset data = classes_of({40, 60});
  const auto rows = [&](std::uint64_t seed) {
    const auto test = split(data, {.seed = seed}).second;
    return std::vector<std::uint32_t>(test.storage_rows().begin(), test.storage_rows().end());
  };
  EXPECT_EQ(rows(1), rows(1));
  EXPECT_NE(rows(1), rows(2));
}

TEST(Split, OfASubsetStaysInIt) {
  std::vector<std::uint32_t> even;
  for (std::uint32_t r = 0; r < 100; r += 2) even.push_back(r);
  const auto [train, test] = split(classes_of({50, 50}).subset(even));
  EXPECT_EQ(train.rows() + test.rows(), 50U);
  for (const std::uint32_t row : test.storage_rows()) EXPECT_EQ(row % 2, 0U);
}

TEST(Split, NamesAClassWithASingleRow) {
  try {
    split(classes_of({5, 1}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_NE(std::string(error.what()).find("class 'class 1' has a single row (row 6)"), std::string::npos);
  }
}

TEST(Split, RefusesAFractionThatLeavesNothing) {
  for (const double fraction : {0.0, 1.0, -1.0, 2.0})
    EXPECT_THROW(split(classes_of({5, 5}), {.test_fraction = fraction}), Error);
}

}  // namespace
}  // namespace obverse
