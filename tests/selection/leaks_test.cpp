// Features that determine the target alone are named; others are not.
#include "selection/leaks.h"

#include <array>
#include <memory>

#include <gtest/gtest.h>

namespace obverse {
namespace {

constexpr std::size_t kRows = 200;

/// Columns: the row number of rows in class order, a copy of the class, and noise; a category copies the class too.
Dataset leaking(bool quantity) {
  const auto values = std::make_shared<float[]>(kRows * 4);
  DatasetParts parts;
  for (std::size_t r = 0; r < kRows; ++r) {
    const std::size_t label = r * 3 / kRows;
    values[r * 4] = static_cast<float>(r);
    values[r * 4 + 1] = static_cast<float>(quantity ? r : label);
    values[r * 4 + 2] = static_cast<float>(r * 7919 % 101);
    values[r * 4 + 3] = static_cast<float>(2 - label);
    if (quantity) {
      parts.outputs.push_back(static_cast<float>(r));
    } else {
      parts.labels.push_back(static_cast<std::int32_t>(label));
    }
  }
  if (quantity) {
    parts.output_names = {"y"};
  } else {
    parts.class_names = {"a", "b", "c"};
  }
  parts.storage = DenseMatrix<float>{values, kRows, 4};
  parts.feature_names = {"id", "copy", "noise", "word"};
  parts.target_name = "y";
  parts.layout.kinds = {ColumnKind::number, ColumnKind::number, ColumnKind::number, ColumnKind::category};
  parts.layout.levels = {{}, {}, {}, {"x", "y", "z"}};
  return Dataset(std::move(parts));
}

constexpr std::array<std::size_t, 4> kAll{0, 1, 2, 3};

TEST(Leaks, NamesAnIdentityInClassOrderAndCopiesOfTheClass) {
  const std::vector<std::string> warnings = leak_warnings(leaking(false), kAll);
  ASSERT_EQ(warnings.size(), 3U);
  EXPECT_TRUE(warnings[0].starts_with("'id' alone tells 'y'"));
  EXPECT_TRUE(warnings[1].starts_with("'copy'"));
  EXPECT_TRUE(warnings[2].starts_with("'word'"));
}

TEST(Leaks, NamesACopyOfAQuantity) {
  const std::vector<std::string> warnings = leak_warnings(leaking(true), kAll);
  ASSERT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(warnings[1].starts_with("'copy'"));
}

TEST(Leaks, AreNotLookedForInAFewRows) {
  const std::array<std::uint32_t, 4> few{0, 1, 198, 199};
  EXPECT_TRUE(leak_warnings(leaking(false).subset(few), kAll).empty());
}

}  // namespace
}  // namespace obverse
