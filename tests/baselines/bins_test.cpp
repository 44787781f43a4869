#include "baselines/bins.h"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

namespace obverse {
namespace {

/// A column of every row in turn, the zeros left out.
class Values {
 public:
  explicit Values(const std::vector<float>& all) : rows_of_all_(all.size()) {
    for (std::size_t r = 0; r < all.size(); ++r) {
      if (all[r] == 0) continue;
      rows_.push_back(static_cast<std::uint32_t>(r));
      values_.push_back(all[r]);
    }
  }
  Column column() const { return {rows_, values_, rows_of_all_ - rows_.size()}; }
  std::vector<std::uint32_t> bins() const { return variable_of(binned(column()), rows_of_all_).numbers; }

 private:
  std::size_t rows_of_all_;
  std::vector<std::uint32_t> rows_;
  std::vector<float> values_;
};

using Bins = std::vector<std::uint32_t>;

TEST(Bins, AreTheValuesWhereTheseAreFew) {
  EXPECT_EQ(Values({5, -1, 0, 5, 7}).bins(), (Bins{2, 0, 1, 2, 3}));
  EXPECT_EQ(Values({3, 3, 3}).bins(), (Bins{0, 0, 0}));
  EXPECT_EQ(Values({0, 0}).bins(), (Bins{0, 0}));
}

TEST(Bins, HoldEquallyManyRowsWhereValuesAreMany) {
  std::vector<float> values(160);
  std::iota(values.begin(), values.end(), -40.0F);
  const Bins bins = Values(values).bins();
  for (std::size_t r = 0; r < values.size(); ++r) EXPECT_EQ(bins[r], r / 10);
}

// 160 of 200 rows are zero, with ranks 20 to 179 and so a middle of 100: bin 8 of 16. The 20 on either side fill two.
TEST(Bins, PutEqualValuesTogetherOnWhicheverSideTheyAre) {
  std::vector<float> values(200, 0.0F);
  for (std::size_t i = 0; i < 20; ++i) {
    values[i] = -1 - static_cast<float>(i);
    values[199 - i] = 1 + static_cast<float>(i);
  }
  const BinnedColumn column = binned(Values(values).column());
  EXPECT_EQ(column.count, 5U);
  EXPECT_EQ(column.zero_bin, 2U);
  EXPECT_EQ(binned(Values(std::vector<float>(values.begin(), values.begin() + 180)).column()).count, 3U);
  EXPECT_EQ(binned(Values(std::vector<float>(values.begin() + 20, values.end())).column()).count, 3U);
}

TEST(Bins, AreAsManyAsAHundredRowsEachAllow) {
  std::vector<float> values(2000);
  for (std::size_t r = 0; r < values.size(); ++r) values[r] = static_cast<float>(r % 20);
  EXPECT_EQ(binned(Values(values).column()).count, 20U);
  values[7] = 0.5F;
  EXPECT_EQ(binned(Values(values).column()).count, 16U);
}

TEST(MutualInformation, OfAColumnWithItselfIsItsEntropy) {
  const BinnedColumn column = binned(Values({1, 2, 0, 1}).column());
  const auto terms = entropy_terms(4);
  EXPECT_NEAR(mutual_information(column, variable_of(column, 4), {}, terms), 1.5 * std::log(2.0), 1e-12);
}

TEST(MutualInformation, OfIndependentOrConstantColumnsIsNothing) {
  const auto terms = entropy_terms(4);
  const Variable other = variable_of(std::vector<std::int32_t>{0, 0, 1, 1}, 3);
  EXPECT_NEAR(mutual_information(binned(Values({1, 2, 1, 2}).column()), other, {}, terms), 0, 1e-15);
  EXPECT_EQ(mutual_information(binned(Values({2, 2, 2, 2}).column()), other, {}, terms), 0);
  EXPECT_EQ(mutual_information(binned(Values({1, 2, 1, 2}).column()),
                               variable_of(std::vector<std::int32_t>{1, 1, 1, 1}, 2), {}, terms),
            0);
}

// Two bins and two classes of two rows each agree in 2 of 6 arrangements and are independent in the others.
TEST(ExcessInformation, IsThatOverTheMeanOfAllArrangements) {
  const auto terms = entropy_terms(4);
  const Variable other = variable_of(std::vector<std::int32_t>{0, 0, 1, 1}, 3);
  const double expected = std::log(2.0) / 3;
  EXPECT_NEAR(excess_information(binned(Values({1, 1, 2, 2}).column()), other, {}, terms), 2 * expected, 1e-12);
  EXPECT_NEAR(excess_information(binned(Values({1, 2, 1, 2}).column()), other, {}, terms), -expected, 1e-12);
  EXPECT_EQ(excess_information(binned(Values({2, 2, 2, 2}).column()), other, {}, terms), 0);
}

// (V-1)(C-1)/2N where there are many rows in each cell.
TEST(ExcessInformation, TakesOffWhatIsKnownForManyRows) {
  constexpr std::size_t kRows = 20000;
  std::vector<float> values(kRows);
  std::vector<std::int32_t> labels(kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    values[r] = static_cast<float>(r % 10);
    labels[r] = static_cast<std::int32_t>(r / 10 % 4);
  }
  const auto terms = entropy_terms(kRows);
  const BinnedColumn column = binned(Values(values).column());
  const double expected = 9.0 * 3 / (2 * kRows);
  EXPECT_NEAR(excess_information(column, variable_of(labels, 4), {}, terms), -expected, 0.01 * expected);
}

}  // namespace
}  // namespace obverse
