// Selections from tables: one entry for each column, whatever it is made of.
#include <cmath>
#include <limits>
#include <memory>

#include <gtest/gtest.h>

#include <obverse/error.h>
#include <obverse/selector.h>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kRows = 500;
constexpr std::size_t kNumbers = 8;
constexpr std::size_t kWord = kNumbers;  // the only category

enum class Truth { numbers, word };

/// Numbers, some of them missing, and a category. The first two numbers or the category tell the class.
Dataset table(Truth truth, std::size_t levels, std::uint64_t seed) {
  RandomStream stream(seed, Purpose::generation);
  const auto values = std::make_shared<float[]>(kRows * (kNumbers + 1));
  DatasetParts parts;
  for (std::size_t r = 0; r < kRows; ++r) {
    float* row = values.get() + r * (kNumbers + 1);
    for (std::size_t c = 0; c < kNumbers; ++c) row[c] = static_cast<float>(stream.normal());
    const std::size_t level = stream.next() % levels;
    row[kWord] = static_cast<float>(level);
    const double told = truth == Truth::word ? (level * 7 % levels < levels / 2 ? 1.5 : -1.5) : row[0] + row[1];
    parts.labels.push_back(told + stream.normal() > 0 ? 1 : 0);
    if (r % 10 == 3) row[2] = std::numeric_limits<float>::quiet_NaN();
  }
  parts.storage = DenseMatrix<float>{values, kRows, kNumbers + 1};
  parts.class_names = {"no", "yes"};
  parts.target_name = "class";
  for (std::size_t c = 0; c < kNumbers; ++c) parts.feature_names.push_back("n" + std::to_string(c + 1));
  parts.feature_names.push_back("word");
  parts.layout.kinds.assign(kNumbers + 1, ColumnKind::number);
  parts.layout.kinds.back() = ColumnKind::category;
  parts.layout.levels.resize(kNumbers + 1);
  for (std::size_t level = 0; level < levels; ++level) parts.layout.levels.back().push_back(cat("w", level));
  return Dataset(std::move(parts));
}

SelectOptions one_model() {
  SelectOptions options = not_repeated();
  options.k = 2;
  options.gamma = {1};
  return options;
}

TEST(Tables, ACategoryOfManyLevelsIsOneFeatureAndRanksFirstWhereItTellsTheClass) {
  for (const char* method : {"cfm", "stg", "rf", "mutual-info"}) {
    SelectOptions options = one_model();
    options.method = method;
    if (!trains_networks(method)) options.gamma = {};
    const Selection selection = Selector(options).fit(table(Truth::word, 40, 1));
    EXPECT_EQ(selection.ranking.names.size(), kNumbers + 1) << method;
    EXPECT_EQ(selection.ranking.order.front(), kWord) << method;
  }
}

TEST(Tables, ACategoryOfNoiseDoesNotWinByItsManyLevels) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Selection selection = Selector(one_model()).fit(table(Truth::numbers, 60, seed));
    EXPECT_NE(selection.ranking.order[0], kWord) << seed;
    EXPECT_NE(selection.ranking.order[1], kWord) << seed;
  }
}

TEST(Tables, AreMeasuredOnPartsOfTheRows) {
  SelectOptions options = one_model();
  options.resample = Resample::on;
  const Selection selection = Selector(options).fit(table(Truth::word, 40, 2));
  ASSERT_TRUE(selection.evidence);
  EXPECT_TRUE(selection.evidence->verdict.signal);
  EXPECT_GT(selection.evidence->verdict.score, selection.evidence->verdict.base_rate);
  options.task = Task::reconstruction;
  EXPECT_TRUE(Selector(options).fit(table(Truth::word, 40, 2)).evidence);
}

TEST(Tables, GiveTheSameBitsWithAnyNumberOfThreads) {
  SelectOptions options = one_model();
  options.threads = 1;
  const Selection one = Selector(options).fit(table(Truth::word, 20, 4));
  options.threads = 3;
  EXPECT_EQ(one.ranking.scores, Selector(options).fit(table(Truth::word, 20, 4)).ranking.scores);
}

}  // namespace
}  // namespace obverse
