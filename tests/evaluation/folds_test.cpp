#include "evaluation/folds.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include <obverse/error.h>

#include "evaluation/sample.h"

namespace obverse {
namespace {

TEST(Folds, HoldEveryRowOnceAndEachClassEvenly) {
  const Dataset data = labelled({.rows = 53, .features = 2, .classes = 3});
  const auto folds = stratified_folds(data, 5, 7);
  ASSERT_EQ(folds.size(), 5U);
  std::set<std::uint32_t> seen;
  for (const auto& fold : folds) {
    EXPECT_TRUE(fold.size() == 10 || fold.size() == 11);
    EXPECT_TRUE(std::is_sorted(fold.begin(), fold.end()));
    seen.insert(fold.begin(), fold.end());
    for (const std::size_t count : data.subset(fold).class_counts()) EXPECT_TRUE(count == 3 || count == 4);
  }
  EXPECT_EQ(seen.size(), 53U);
}

TEST(Folds, DependOnTheSeedAlone) {
  const Dataset data = labelled({.rows = 40});
  EXPECT_EQ(stratified_folds(data, 4, 1), stratified_folds(data, 4, 1));
  EXPECT_NE(stratified_folds(data, 4, 1), stratified_folds(data, 4, 2));
}

TEST(Folds, LearnFromAllOtherRows) {
  const Dataset data = labelled({.rows = 23});
  for (const TrainTest& part : cross_validation(data, 3, 0)) {
    std::vector<std::uint32_t> rows(part.train.storage_rows().begin(), part.train.storage_rows().end());
    rows.insert(rows.end(), part.test.storage_rows().begin(), part.test.storage_rows().end());
    std::sort(rows.begin(), rows.end());
    EXPECT_EQ(rows.size(), 23U);
    EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end()), rows.end());
  }
}

TEST(Folds, RefuseAClassWithFewerRowsThanThereAreFolds) {
  DatasetParts parts = parts_of({.rows = 20, .classes = 2});
  parts.class_names.emplace_back("rare");
  std::fill_n(parts.labels.begin(), 3, 2);
  const Dataset data(std::move(parts));
  EXPECT_NO_THROW(stratified_folds(data, 3, 0));
  try {
    stratified_folds(data, 5, 0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::input);
    EXPECT_STREQ(error.what(),
                 "a fold would have no row of class 'rare': it has 3 rows and there are 5 folds; use --cv 3 or merge "
                 "the class");
  }
}

}  // namespace
}  // namespace obverse
