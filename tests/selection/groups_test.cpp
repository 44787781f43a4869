// Selections from groups of columns: many columns are no advantage, and what they tell together is found.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include <obverse/error.h>
#include <obverse/selector.h>

#include "dataset/scaling.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kNumbers = 8;

/// A group of columns in front of eight numbers. Without `told` all of it is noise; with it the sum of the first five
/// columns of the group tells the class.
Dataset grouped(std::size_t rows, std::size_t columns, bool told, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::generation);
  const std::size_t width = columns + kNumbers;
  const auto values = std::make_shared<float[]>(rows * width);
  DatasetParts parts;
  for (std::size_t r = 0; r < rows; ++r) {
    float* row = values.get() + r * width;
    double sum = 0;
    for (std::size_t c = 0; c < width; ++c) {
      row[c] = static_cast<float>(stream.normal());
      if (c < 5) sum += row[c];
    }
    parts.labels.push_back((told ? sum + stream.normal() : stream.normal()) > 0 ? 1 : 0);
  }
  parts.storage = DenseMatrix<float>{values, rows, width};
  parts.class_names = {"no", "yes"};
  parts.target_name = "class";
  parts.feature_names.push_back("group");
  parts.layout.begin = {0};
  for (std::size_t f = 0; f < kNumbers; ++f) {
    parts.feature_names.push_back(cat("n", f + 1));
    parts.layout.begin.push_back(columns + f);
  }
  parts.layout.begin.push_back(width);
  for (std::size_t c = 0; c < width; ++c) parts.layout.column_names.push_back(cat("c", c));
  return Dataset(std::move(parts));
}

SelectOptions one_model(const std::string& method) {
  SelectOptions options = not_repeated();
  options.method = method;
  options.k = 1;
  if (trains_networks(method)) options.gamma = {1};
  return options;
}

TEST(GroupsOfColumns, AreFoundByWhatTheirColumnsTellTogether) {
  for (const char* method : {"cfm", "fm", "stg", "rf", "ert", "anova", "mutual-info", "mrmr", "relieff", "rfe"}) {
    const Selection selection = Selector(one_model(method)).fit(grouped(500, 10, true, 3));
    EXPECT_EQ(selection.ranking.order.front(), 0U) << method;
    EXPECT_EQ(selection.ranking.columns.front().size(), 10U) << method;
    EXPECT_EQ(selection.ranking.names.size(), kNumbers + 1);
  }
}

TEST(GroupsOfColumns, VaryTogetherAsOneNumber) {
  const Dataset data = grouped(500, 20, false, 1);
  const Affine map = fit_scaling(data, Scaling::automatic);
  std::vector<float> row(data.columns());
  double group = 0;
  double number = 0;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    data.copy_columns(r, all_columns(data), row.data());
    for (std::size_t c = 0; c < row.size(); ++c) {
      const double x = row[c] * map.scale[c] + map.offset[c];
      (c < 20 ? group : number) += x * x / static_cast<double>(data.rows());
    }
  }
  EXPECT_NEAR(group, 1, 1e-3);
  EXPECT_NEAR(number, kNumbers, 1e-2);
}

TEST(GroupsOfColumns, OfPixelsKeepTheirUnitAndVaryTogetherAsOneOfThem) {
  DatasetParts parts;
  const auto values = std::make_shared<std::uint8_t[]>(20);
  for (std::size_t i = 0; i < 20; ++i) values[i] = static_cast<std::uint8_t>(i % 3 == 0 ? 255 : i);
  parts.storage = DenseMatrix<std::uint8_t>{values, 4, 5};
  parts.labels = {0, 1, 0, 1};
  parts.class_names = {"no", "yes"};
  parts.feature_names = std::vector<std::string>{"patch", "pixel"};
  parts.layout.begin = {0, 4, 5};
  const Affine map = fit_scaling(Dataset(std::move(parts)), Scaling::automatic);
  EXPECT_FLOAT_EQ(map.scale[4], 1.0F / 255.0F);
  EXPECT_FLOAT_EQ(map.scale[0], 0.5F / 255.0F);
}

/// In how many of the seeds a noise group of 20 columns comes before the first noise number.
int seeds_before(const std::string& method, std::uint64_t seeds) {
  int before = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SelectOptions options = one_model(method);
    options.seed = seed;
    const Selection selection = Selector(options).fit(grouped(300, 20, false, 1000 + seed));
    const auto& order = selection.ranking.order;
    const auto place = [&](std::size_t f) { return std::find(order.begin(), order.end(), f); };
    before += place(0) < place(1 + seed % kNumbers) ? 1 : 0;
  }
  return before;
}

TEST(GroupsOfColumnsSlow, OfNoiseAreNoBetterThanANumberOfNoise) {
  for (const char* method : {"cfm", "anova", "mutual-info", "mrmr", "relieff", "rfe", "variance"}) {
    const int before = seeds_before(method, 100);
    EXPECT_GE(before, 40) << method;
    EXPECT_LE(before, 60) << method;
  }
}

}  // namespace
}  // namespace obverse
