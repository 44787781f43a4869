// Fours and nines: pixels and products that tell them apart, and probes that do not.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include <obverse/error.h>
#include <obverse/selector.h>

#include "dataset/generated.h"
#include "dataset/pen_digits.h"
#include "readers/files.h"

namespace obverse::test {
namespace {

std::string fault_of(const Dataset& pictures, const FournineOptions& options) {
  try {
    fournine(pictures, options);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

std::vector<float> sorted_column(const Dataset& data, std::size_t feature) {
  const std::array<std::size_t, 1> one{feature};
  std::vector<float> column = values(data, one);
  std::sort(column.begin(), column.end());
  return column;
}

/// The chance that a true feature stands before a probe.
double order_of_truth(const GeneratedData& made, std::span<const std::size_t> order) {
  double before = 0;
  double seen = 0;
  for (const std::size_t feature : order) {
    const bool is_true = std::binary_search(made.true_features.begin(), made.true_features.end(), feature);
    if (is_true) {
      ++seen;
    } else {
      before += seen;
    }
  }
  return before / (seen * (static_cast<double>(order.size()) - seen));
}

/// 14 x 14 pictures: the fours have ink at (3, 6), the nines at (4, 6), a third class at neither; all have some at
/// (5, 7), and the same at (5, 8).
Dataset tiny_pictures() {
  constexpr std::size_t kRows = 90;
  const auto pixels = std::make_shared<std::uint8_t[]>(kRows * 196);
  DatasetParts parts;
  for (std::size_t r = 0; r < kRows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(r % 3));
    if (r % 3 != 0) pixels[r * 196 + (r % 3 == 1 ? 3 : 4) * 14 + 6] = static_cast<std::uint8_t>(150 + r);
    pixels[r * 196 + 5 * 14 + 7] = static_cast<std::uint8_t>(100 + r);
    pixels[r * 196 + 5 * 14 + 8] = 200;
  }
  parts.storage = DenseMatrix<std::uint8_t>{pixels, kRows, 196};
  for (std::size_t p = 0; p < 196; ++p) parts.feature_names.push_back(cat("p", p));
  parts.class_names = {"1", "4", "9"};
  parts.image_shape = ImageShape{14, 14};
  return Dataset(std::move(parts));
}

TEST(PenDigits, AreAsManyFoursAsNinesAndNoTwoAlike) {
  const Dataset pictures = pen_digits(101, 3);
  EXPECT_EQ(pictures.class_names(), (std::vector<std::string>{"4", "9"}));
  EXPECT_EQ(pictures.class_counts(), (std::vector<std::size_t>{51, 50}));
  ASSERT_TRUE(pictures.image_shape().has_value());
  EXPECT_EQ(pictures.features(), 784U);
  std::set<std::vector<float>> different;
  std::vector<float> row(784);
  for (std::size_t r = 0; r < pictures.rows(); ++r) {
    pictures.copy_columns(r, all_features(pictures), row.data());
    different.insert(row);
  }
  EXPECT_EQ(different.size(), 101U);
  EXPECT_EQ(values(pen_digits(20, 3)), values(pen_digits(20, 3)));
  EXPECT_NE(values(pen_digits(20, 3)), values(pen_digits(20, 4)));
}

TEST(PenDigits, CanBeToldApartByTheirNeighbours) {
  const Dataset pictures = pen_digits(1000, 0);
  EXPECT_GT(accuracy(pictures, all_features(pictures)), 0.9);
}

TEST(Fournine, HasWhatWasAskedForInRandomOrder) {
  const GeneratedData made = fournine({.rows = 300, .pixels = 20, .products = 40, .probes = 70, .seed = 2});
  EXPECT_EQ(made.data.rows(), 300U);
  EXPECT_EQ(made.data.features(), 130U);
  EXPECT_EQ(made.data.class_names(), (std::vector<std::string>{"4", "9"}));
  EXPECT_EQ(made.data.target_name(), "digit");
  EXPECT_EQ(made.true_features.size(), 60U);
  EXPECT_TRUE(std::is_sorted(made.true_features.begin(), made.true_features.end()));
  EXPECT_EQ(std::set(made.true_features.begin(), made.true_features.end()).size(), 60U);
  EXPECT_GT(made.true_features.back(), 65U);
  for (const float value : values(made.data)) {
    EXPECT_EQ(value, std::round(value));
    EXPECT_GE(value, 0.0F);
    EXPECT_LE(value, 999.0F);
  }
  EXPECT_TRUE(constant_features(made.data).empty());
}

TEST(Fournine, IsTheSameFromTheSameSeedAndDifferentFromAnother) {
  const FournineOptions options{.rows = 100, .pixels = 10, .products = 10, .probes = 20, .seed = 5};
  FournineOptions other = options;
  other.seed = 6;
  const GeneratedData once = fournine(options);
  const GeneratedData again = fournine(options);
  EXPECT_EQ(values(once.data), values(again.data));
  EXPECT_EQ(once.data.labels(), again.data.labels());
  EXPECT_EQ(once.true_features, again.true_features);
  EXPECT_NE(values(once.data), values(fournine(other).data));
  EXPECT_NE(once.true_features, fournine(other).true_features);
}

TEST(Fournine, EveryProbeIsATrueColumnInAnotherOrder) {
  const GeneratedData made = fournine({.rows = 200, .pixels = 15, .products = 25, .probes = 40});
  std::multiset<std::vector<float>> true_columns;
  std::multiset<std::vector<float>> probe_columns;
  for (const std::size_t f : made.true_features) true_columns.insert(sorted_column(made.data, f));
  for (const std::size_t f : other_features(made)) probe_columns.insert(sorted_column(made.data, f));
  EXPECT_EQ(true_columns, probe_columns);
}

TEST(Fournine, ProbesArePermutedEachOnItsOwn) {
  // One pixel and two probes of it: neither equal to the pixel nor to each other.
  const GeneratedData made = fournine({.rows = 200, .pixels = 1, .products = 0, .probes = 2});
  std::vector<std::vector<float>> columns;
  for (std::size_t f = 0; f < 3; ++f) columns.push_back(values(made.data, std::array<std::size_t, 1>{f}));
  EXPECT_NE(columns[0], columns[1]);
  EXPECT_NE(columns[0], columns[2]);
  EXPECT_NE(columns[1], columns[2]);
}

TEST(Fournine, TrueFeaturesTellTheClassAndProbesDoNot) {
  const GeneratedData made = fournine();
  EXPECT_GT(accuracy(made.data, made.true_features), 0.85);
  EXPECT_NEAR(accuracy(made.data, other_features(made)), 0.5, 0.08);  // 3 deviations of 500 fair coins: 0.07
  // 250 correlations of 2,000 rows, deviation 1/sqrt(2000) = 0.022: the largest is near 3 deviations.
  for (const double r : correlations_with_label(made.data, other_features(made))) EXPECT_LT(std::abs(r), 0.1);
  const auto informative = correlations_with_label(made.data, made.true_features);
  EXPECT_GT(std::count_if(informative.begin(), informative.end(), [](double r) { return std::abs(r) > 0.1; }), 125);
}

TEST(Fournine, RankersPutTrueFeaturesBeforeProbes) {
  const GeneratedData made = fournine({.rows = 1000, .pixels = 30, .products = 70, .probes = 100});
  SelectOptions forest = not_repeated();
  forest.method = "rf";
  EXPECT_GT(order_of_truth(made, Selector(forest).fit(made.data).ranking.order), 0.8);
  SelectOptions network = not_repeated();
  network.gamma = {1};
  network.recipes.front().train.epochs = 60;
  EXPECT_GT(order_of_truth(made, Selector(network).fit(made.data).ranking.order), 0.65);
}

TEST(Fournine, TakesPicturesOfFoursAndNinesAndLeavesOthersOut) {
  // Three pixels vary, and two of them tell the classes apart.
  const GeneratedData made = fournine(tiny_pictures(), {.rows = 60, .pixels = 3, .products = 0, .probes = 3});
  EXPECT_EQ(made.data.rows(), 60U);
  EXPECT_EQ(made.data.class_counts(), (std::vector<std::size_t>{30, 30}));
  EXPECT_EQ(accuracy(made.data, made.true_features), 1.0);
}

TEST(Fournine, SaysWhatIsWrongWithThePictures) {
  EXPECT_NE(fault_of(tiny_pictures(), {.rows = 61}).find("2 to 60 rows"), std::string::npos);
  EXPECT_NE(fault_of(tiny_pictures(), {.rows = 60, .pixels = 4}).find("1 to 3 pixels"), std::string::npos);
  EXPECT_NE(fault_of(tiny_pictures(), {.rows = 60, .pixels = 3, .products = 3}).find("at most 2 products"),
            std::string::npos);
  EXPECT_NE(fault_of(fournine({.rows = 50}).data, {}).find("height and width"), std::string::npos);
  EXPECT_NE(fault_of(drawn_digits({.rows = 100}).data.subset({}), {}).find("rows"), std::string::npos);
  EXPECT_THROW(fournine({.rows = 0}), Error);
  EXPECT_THROW(fournine({.rows = 100, .pixels = 0}), Error);
  EXPECT_THROW(fournine({.rows = 100, .pixels = 5000}), Error);
}

TEST(FournineSlow, ComesInTheSizeOfTheChallenge) {
  const GeneratedData made = fournine({.rows = 6000, .pixels = 150, .products = 2350, .probes = 2500});
  EXPECT_EQ(made.data.features(), 5000U);
  EXPECT_EQ(made.true_features.size(), 2500U);
}

TEST(FournineSlow, IsMadeOfMnist) {
  if (shared_data().empty()) GTEST_SKIP() << "the benchmark data is not at hand";
  const Dataset pictures = read(shared_data() + "/mnist/train-images-idx3-ubyte.gz");
  const GeneratedData made = fournine(pictures, {});
  EXPECT_EQ(made.data.rows(), 2000U);
  EXPECT_GT(accuracy(made.data, made.true_features), 0.85);
  EXPECT_NEAR(accuracy(made.data, other_features(made)), 0.5, 0.08);
}

}  // namespace
}  // namespace obverse::test
