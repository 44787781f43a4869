// Rows that belong together are noticed; others are not.
#include "selection/repeated_rows.h"

#include <filesystem>
#include <memory>

#include <gtest/gtest.h>

#include "support/random.h"

namespace obverse {
namespace {

struct Made {
  std::size_t groups = 60;
  std::size_t rows_each = 10;
  std::size_t features = 20;
  float noise = 0.1F;           ///< of the rows of a group, whose centres are normal
  std::string identity = {};    ///< the name of a first column with the number of the group
  bool labels_by_group = true;  ///< else every row has a class of its own
  bool in_order = false;        ///< the rows of a group one after another
};

/// Groups of rows around centres, with classes at random.
Dataset made(const Made& how) {
  const std::size_t rows = how.groups * how.rows_each;
  const std::size_t first = how.identity.empty() ? 0 : 1;
  const std::size_t width = how.features + first;
  const auto values = std::make_shared<float[]>(rows * width);
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t group = how.in_order ? r / how.rows_each : r * 7 % how.groups;
    RandomStream centre(1, Purpose::generation, group);
    RandomStream own(2, Purpose::generation, r);
    const auto label = static_cast<std::int32_t>((how.labels_by_group ? centre : own).below(2));
    if (first == 1) values[r * width] = static_cast<float>(1000 + group);
    for (std::size_t c = first; c < width; ++c) {
      values[r * width + c] = static_cast<float>(centre.normal()) + how.noise * static_cast<float>(own.normal());
    }
    parts.labels.push_back(label);
  }
  std::vector<std::string> names;
  if (first == 1) names.push_back(how.identity);
  for (std::size_t c = first; c < width; ++c) names.push_back(std::to_string(c));
  parts.feature_names = FeatureNames(std::move(names));
  parts.class_names = {"a", "b"};
  parts.target_name.assign(1, 'y');
  parts.storage = DenseMatrix<float>{values, rows, width};
  return Dataset(std::move(parts));
}

std::string warning(const Dataset& data) {
  const std::vector<std::string> warnings = repeated_row_warnings(data);
  EXPECT_LE(warnings.size(), 1U);
  return warnings.empty() ? std::string() : warnings.front();
}

TEST(RepeatedRows, AreNoticedByTheirDistances) {
  for (const float noise : {0.02F, 0.1F, 0.3F}) {
    EXPECT_NE(warning(made({.noise = noise})).find("bunches of about 10"), std::string::npos) << noise;
  }
  EXPECT_NE(warning(made({.groups = 20, .rows_each = 50})).find("bunches of about 50"), std::string::npos);
  EXPECT_NE(warning(made({.groups = 2000, .rows_each = 3, .features = 300, .in_order = true})).find("bunches"),
            std::string::npos);
}

TEST(RepeatedRows, AreNotSeenInIndependentOnes) {
  for (const std::size_t features : {1U, 2U, 5U, 20U, 300U}) {
    EXPECT_EQ(warning(made({.groups = 600, .rows_each = 1, .features = features})), "") << features;
  }
  EXPECT_EQ(warning(made({.groups = 6, .rows_each = 100, .noise = 1})), "");
}

TEST(RepeatedRows, AreCountedWhereTheyAreCopies) {
  const Dataset data = made({.groups = 300, .rows_each = 2, .noise = 0});
  EXPECT_EQ(repeated_rows(data), 300U);
  EXPECT_TRUE(warning(data).starts_with("300 of 600 rows repeat another row exactly"));
  EXPECT_EQ(repeated_rows(made({})), 0U);
}

TEST(RepeatedRows, AreExpectedWhereColumnsHaveFewValues) {
  constexpr std::size_t kRows = 300;
  DatasetParts parts;
  const auto values = std::make_shared<float[]>(kRows * 4);
  RandomStream random(3, Purpose::generation);
  for (std::size_t i = 0; i < kRows * 4; ++i) values[i] = static_cast<float>(random.below(2));
  for (std::size_t r = 0; r < kRows; ++r) parts.labels.push_back(static_cast<std::int32_t>(random.below(2)));
  parts.class_names = {"a", "b"};
  parts.feature_names = FeatureNames({"u", "v", "w", "x"});
  parts.storage = DenseMatrix<float>{values, kRows, 4};
  const Dataset data(std::move(parts));
  EXPECT_GT(repeated_rows(data), 200U);
  EXPECT_EQ(warning(data), "");
}

TEST(RepeatedRows, AreNoticedByAColumnOfIdentities) {
  const std::string by_target = warning(made({.noise = 3, .identity = "number"}));
  EXPECT_TRUE(by_target.starts_with("'number' may say which rows belong together: 60 different values in 600 rows"));
  EXPECT_NE(by_target.find("--row-groups number"), std::string::npos);
  const auto named = [](const std::string& name) {
    return warning(made({.noise = 3, .identity = name, .labels_by_group = false}));
  };
  for (const std::string name : {"Patient_ID", "patient", "customer no", "visit_id", "sampleID"}) {
    EXPECT_EQ(named(name).find("' may say"), name.size() + 1) << name;
  }
  for (const std::string name : {"age", "patient_age", "acid", "user_rating", "x"}) EXPECT_EQ(named(name), "") << name;
}

TEST(RepeatedRows, AreNamedOfRealTablesOnlyWhereAHorseComesTwice) {
  const std::string folder = std::string(OBVERSE_SHARED_DATA) + "/tables/";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no tables at hand";
  for (const std::string name : {"adult.csv.gz", "german.csv", "breast-cancer.csv", "auto-imports.csv", "sonar.csv"}) {
    EXPECT_EQ(warning(read(folder + name, {.target = "-1"})), "") << name;
  }
  EXPECT_TRUE(warning(read(folder + "horse-colic.csv", {.target = "24"})).starts_with("'c3' may say"));
}

TEST(RepeatedRows, AreNoMatterWhereGroupsAreGiven) {
  const Dataset data = made({});
  DatasetParts parts{data.storage(), data.feature_names(), data.labels(), data.class_names(), "y", {}};
  for (std::size_t r = 0; r < data.rows(); ++r) parts.row_groups.push_back(static_cast<std::uint32_t>(r * 7 % 60));
  for (std::size_t g = 0; g < 60; ++g) parts.row_group_names.push_back(std::to_string(g));
  EXPECT_TRUE(repeated_row_warnings(Dataset(std::move(parts))).empty());
}

}  // namespace
}  // namespace obverse
