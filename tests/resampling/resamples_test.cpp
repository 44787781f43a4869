#include "resampling/resamples.h"

#include <gtest/gtest.h>

#include <set>

#include <obverse/error.h>

#include "dataset/splits.h"

namespace obverse {
namespace {

/// One feature, classes by their counts, in order.
Dataset of_classes(const std::vector<std::size_t>& counts) {
  DatasetParts parts;
  std::vector<std::string> names;
  for (std::size_t c = 0; c < counts.size(); ++c) {
    names.push_back("c" + std::to_string(c));
    parts.labels.insert(parts.labels.end(), counts[c], static_cast<std::int32_t>(c));
  }
  const std::size_t rows = parts.labels.size();
  auto values = std::make_shared<float[]>(rows);
  for (std::size_t r = 0; r < rows; ++r) values[r] = static_cast<float>(r);
  parts.storage = DenseMatrix<float>{values, rows, 1};
  parts.feature_names = FeatureNames({"x"});
  parts.class_names = names;
  parts.target_name = std::string("y");  // GCC 12 warns of an overlap in the assignment of a literal
  return Dataset(parts);
}

TEST(Halves, AreDisjointAndEvenInEveryClass) {
  const Dataset data = of_classes({10, 20});
  const auto [first, second] = halves(data, 3);
  std::set<std::uint32_t> rows(first.storage_rows().begin(), first.storage_rows().end());
  rows.insert(second.storage_rows().begin(), second.storage_rows().end());
  EXPECT_EQ(rows.size(), 30U);
  EXPECT_EQ(first.class_counts(), (std::vector<std::size_t>{5, 10}));
  EXPECT_EQ(second.class_counts(), (std::vector<std::size_t>{5, 10}));
  const auto other = halves(data, 4).first.storage_rows();
  EXPECT_FALSE(std::equal(first.storage_rows().begin(), first.storage_rows().end(), other.begin(), other.end()));
}

TEST(Resamples, AreFiveFoldsAndTwoPairsOfHalvesOfSmallData) {
  const Resamples found = resamples_of(of_classes({30, 30}), 0);
  EXPECT_EQ(found.folds.size(), 5U);
  EXPECT_EQ(found.halves.size(), 2U);
  EXPECT_TRUE(found.notes.empty());
}

TEST(Resamples, AreFewerFoldsWhereAClassIsSmallAndSaySo) {
  const Resamples found = resamples_of(of_classes({30, 3}), 0);
  EXPECT_EQ(found.folds.size(), 3U);
  for (const TrainTest& fold : found.folds) EXPECT_GE(fold.train.class_counts()[1], 2U);
  EXPECT_TRUE(found.halves.empty()) << "a half of three rows is one";
  ASSERT_EQ(found.notes.size(), 2U);
  EXPECT_NE(found.notes[0].find("3 folds instead of 5"), std::string::npos) << found.notes[0];
  EXPECT_NE(found.notes[1].find("how stable"), std::string::npos) << found.notes[1];
}

TEST(Resamples, AreNoneWhereNoRowOfAClassCanBeSpared) {
  const Resamples found = resamples_of(of_classes({30, 2}), 0);
  EXPECT_TRUE(found.folds.empty());
  EXPECT_TRUE(found.halves.empty());
  ASSERT_EQ(found.notes.size(), 1U);
  EXPECT_NE(found.notes[0].find("too few"), std::string::npos) << found.notes[0];
}

TEST(Resamples, AreOneHeldOutPartOfManyRows) {
  const Resamples found = resamples_of(of_classes({10000, 10000}), 0);
  ASSERT_EQ(found.folds.size(), 1U);
  EXPECT_EQ(found.folds[0].test.rows(), 4000U);
  EXPECT_EQ(found.halves.size(), 1U);
}

}  // namespace
}  // namespace obverse
