#include "downstream/neighbours.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <obverse/error.h>

#include "downstream/tables.h"
#include "support/random.h"

namespace obverse {
namespace {

using test::all;
using test::Table;

Table table(std::size_t rows, std::size_t cols, const std::function<double(RandomStream&)>& draw,
            std::uint64_t index = 0) {
  RandomStream stream(8, Purpose::generation, index);
  Table made{rows, cols, std::vector<float>(rows * cols)};
  for (float& value : made.values) value = static_cast<float>(draw(stream));
  return made;
}

double normal(RandomStream& stream) { return stream.normal(); }
double byte(RandomStream& stream) { return stream.below(256); }
double digit(RandomStream& stream) { return stream.below(5); }

template <class T>
Dataset dense(const Table& table) {
  return test::dataset(test::dense_matrix<T>(table), table.cols);
}

Dataset sparse(const Table& table) { return test::dataset(test::sparse_matrix(table), table.cols); }

Affine identity(std::size_t cols) { return {std::vector<float>(cols, 1.0F), std::vector<float>(cols, 0.0F)}; }

// The definition: differences summed in double, all rows sorted by (distance, row).
std::vector<std::uint32_t> plain_rows(const NeighbourQuery& query) {
  const Dataset& test = query.test == nullptr ? *query.train : *query.test;
  const auto point = [&](const Dataset& data, std::size_t r) {
    std::vector<float> row(query.features.size());
    data.copy_columns(r, query.features, row.data());
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = row[i] * query.scaling->scale[query.features[i]] + query.scaling->offset[query.features[i]];
    }
    return row;
  };
  std::vector<std::vector<float>> rows;
  for (std::size_t r = 0; r < query.train->rows(); ++r) rows.push_back(point(*query.train, r));
  std::vector<std::uint32_t> found;
  for (std::size_t t = 0; t < test.rows(); ++t) {
    const std::vector<float> a = point(test, t);
    std::vector<std::pair<double, std::uint32_t>> order;
    for (std::uint32_t r = 0; r < rows.size(); ++r) {
      if (query.test == nullptr && r == t) continue;
      double sum = 0;
      for (std::size_t d = 0; d < a.size(); ++d) {
        const double difference = static_cast<double>(a[d]) - static_cast<double>(rows[r][d]);
        sum += difference * difference;
      }
      order.emplace_back(sum, r);
    }
    std::sort(order.begin(), order.end());
    for (std::size_t i = 0; i < query.neighbours; ++i) found.push_back(order[i].second);
  }
  return found;
}

void expect_plain(const NeighbourQuery& query) {
  Team team(2);
  EXPECT_EQ(nearest_rows(query, team), plain_rows(query));
}

void expect_plain(const Dataset& train, const Dataset& test, std::size_t neighbours = 5) {
  const auto features = all(train.features());
  const Affine scaling = identity(train.features());
  expect_plain({&train, &test, features, &scaling, neighbours});
  expect_plain({&train, nullptr, features, &scaling, std::min(neighbours, train.rows() - 1)});
}

TEST(Neighbours, OfFloatsAreThoseOfTheDefinition) {
  for (const std::size_t cols : {1, 3, 17, 100}) {
    for (const std::size_t rows : {6, 33, 1700}) {
      expect_plain(dense<float>(table(rows, cols, normal, 1)), dense<float>(table(203, cols, normal, 2)));
    }
  }
}

TEST(Neighbours, OfBytesAreThoseOfTheDefinition) {
  for (const std::size_t cols : {1, 2, 4, 78}) {
    for (const std::size_t rows : {6, 33, 700}) {
      expect_plain(dense<std::uint8_t>(table(rows, cols, byte, 1)), dense<std::uint8_t>(table(203, cols, byte, 2)));
    }
  }
}

TEST(Neighbours, OfSparseRowsAreThoseOfTheDefinition) {
  const auto draw = [](RandomStream& stream) { return stream.below(10) < 8 ? 0.0 : stream.normal(); };
  const Dataset train = sparse(table(500, 60, draw, 1));
  const Dataset test = sparse(table(150, 60, draw, 2));
  expect_plain(train, test);
  const Affine scaling = fit_scaling(train, Scaling::standardise);
  const std::vector<std::size_t> features{41, 7, 59, 0, 13};
  expect_plain({&train, &test, features, &scaling});
}

TEST(Neighbours, SeeTheChosenFeaturesThroughTheScaling) {
  Table wide = table(400, 20, normal, 1);
  for (std::size_t r = 0; r < wide.rows; ++r) wide.at(r, 4) *= 1000;
  const Dataset floats = dense<float>(wide);
  const Dataset bytes = dense<std::uint8_t>(table(400, 20, byte, 2));
  const std::vector<std::size_t> features{4, 19, 2, 7};
  for (const Scaling kind : {Scaling::automatic, Scaling::standardise, Scaling::minmax, Scaling::none}) {
    for (const Dataset* data : {&floats, &bytes}) {
      const Affine scaling = fit_scaling(*data, kind);
      if (data == &bytes && kind == Scaling::automatic) continue;  // ranked as bytes, not as rounded 255ths
      expect_plain({data, nullptr, features, &scaling});
    }
  }
}

TEST(Neighbours, OfBytesDoNotChangeWhenAllAreDividedAlike) {
  const Dataset train = dense<std::uint8_t>(table(300, 9, byte, 1));
  const auto features = all(9);
  const Affine divided = fit_scaling(train, Scaling::automatic);
  const Affine as_they_are = identity(9);
  Team team(1);
  EXPECT_EQ(nearest_rows({&train, nullptr, features, &divided}, team),
            plain_rows({&train, nullptr, features, &as_they_are}));
}

TEST(Neighbours, AmongEqualDistancesHaveTheLowerRowNumber) {
  const Table train = table(1500, 3, digit, 1), test = table(150, 3, digit, 2);
  expect_plain(dense<float>(train), dense<float>(test));
  expect_plain(dense<std::uint8_t>(train), dense<std::uint8_t>(test));
  expect_plain(sparse(train), sparse(test));
}

TEST(Neighbours, AmongEqualRowsAreTheFirst) {
  Table repeated = table(900, 7, normal, 1);
  for (std::size_t r = 3; r < repeated.rows; ++r) {
    for (std::size_t d = 0; d < repeated.cols; ++d) repeated.at(r, d) = repeated.at(r % 3, d);
  }
  expect_plain(dense<float>(repeated), dense<float>(table(40, 7, normal, 2)));
  for (float& value : repeated.values) value = std::round(50 + 10 * value);
  expect_plain(dense<std::uint8_t>(repeated), dense<std::uint8_t>(table(40, 7, byte, 2)));
}

// Nearer to each other than bounds of few digits can tell.
TEST(Neighbours, AreFoundInTightClustersFarApart) {
  Table train = table(2000, 30, normal, 1), test = table(200, 30, normal, 2);
  for (Table* rows : {&train, &test}) {
    for (std::size_t r = 0; r < rows->rows; ++r) {
      for (std::size_t d = 0; d < 30; ++d)
        rows->at(r, d) = 1e-4F * rows->at(r, d) + static_cast<float>(r % 4 * (d % 7));
    }
  }
  expect_plain(dense<float>(train), dense<float>(test));
}

TEST(Neighbours, AreFoundBehindALargeOffset) {
  for (const double offset : {1e4, -3e6, 1e8}) {
    const auto draw = [&](RandomStream& stream) { return offset + stream.normal() * std::abs(offset) * 1e-5; };
    expect_plain(dense<float>(table(800, 12, draw, 1)), dense<float>(table(60, 12, draw, 2)));
  }
}

// Squares of these leave the range of float.
TEST(Neighbours, AreFoundAmongVerySmallAndVeryLargeValues) {
  for (const double unit : {1e-33, 1e-25, 1e25, 1e37}) {
    const auto draw = [&](RandomStream& stream) { return unit * stream.normal(); };
    expect_plain(dense<float>(table(300, 5, draw, 1)), dense<float>(table(40, 5, draw, 2)));
  }
  Table train = table(1000, 5, normal, 1), test = table(40, 5, normal, 2);
  train.at(501, 2) = 1e30F;
  train.at(777, 2) = 2e30F;
  test.at(13, 2) = 1.2e30F;
  test.at(14, 3) = 1e18F;
  expect_plain(dense<float>(train), dense<float>(test));
}

TEST(Neighbours, MayBeAllRows) {
  const Table train = table(130, 4, byte, 1), test = table(30, 4, byte, 2);
  expect_plain(dense<float>(train), dense<float>(test), 130);
  expect_plain(dense<std::uint8_t>(train), dense<std::uint8_t>(test), 130);
}

// More features than sums of 32 bits hold, and more values than are kept at once.
TEST(Neighbours, OfVeryLongRowsAreThoseOfTheDefinition) {
  const Table rows = table(40, 33000, byte, 1);
  expect_plain(dense<std::uint8_t>(rows), dense<std::uint8_t>(rows));
  const auto draw = [](RandomStream& stream) { return stream.below(1000) < 997 ? 0.0 : stream.normal(); };
  const Dataset longer = sparse(table(200, 120000, draw, 2));
  const Dataset few = longer.subset(std::vector<std::uint32_t>{3, 150, 160, 199});
  const auto features = all(120000);
  const Affine scaling = identity(120000);
  expect_plain({&longer, &few, features, &scaling});
}

TEST(Neighbours, DoNotDependOnTheNumberOfThreads) {
  const Dataset floats = dense<float>(table(1000, 20, normal, 1));
  const Dataset bytes = dense<std::uint8_t>(table(1000, 20, byte, 1));
  const auto features = all(20);
  const Affine scaling = identity(20);
  for (const Dataset* data : {&floats, &bytes}) {
    const NeighbourQuery query{data, nullptr, features, &scaling};
    Team alone(1), two(2), five(5);
    const auto rows = nearest_rows(query, alone);
    EXPECT_EQ(nearest_rows(query, two), rows);
    EXPECT_EQ(nearest_rows(query, five), rows);
  }
}

TEST(Neighbours, LeaveTheRowItselfOut) {
  // Pairs of equal rows with unlike labels: with itself left out a row finds its twin first.
  Table twins{40, 1, std::vector<float>(40)};
  Target target{2, std::vector<std::int32_t>(40), {}};
  for (std::size_t r = 0; r < 40; ++r) {
    const std::size_t pair = r / 2;
    twins.at(r, 0) = 100.0F * static_cast<float>(pair);
    target.labels[r] = static_cast<std::int32_t>(r % 2);
  }
  const Dataset data = dense<float>(twins);
  const auto features = all(1);
  const Affine scaling = identity(1);
  Team team(2);
  const Prediction prediction = neighbour_prediction({&data, nullptr, features, &scaling, 1}, target, team);
  for (std::size_t r = 0; r < 40; ++r) EXPECT_EQ(prediction.label(r), 1 - target.labels[r]);
}

// Worked by hand: rows 0, 1, 2, 3, 10 on a line; the three nearest of 1.9 are 2, 1 and 3.
TEST(Neighbours, PredictSharesOfClassesAndMeansOfValues) {
  const Dataset train = dense<float>({5, 1, {0, 1, 2, 3, 10}});
  const Dataset test = dense<float>({2, 1, {1.9F, 8.0F}});
  const auto features = all(1);
  const Affine scaling = identity(1);
  const NeighbourQuery query{&train, &test, features, &scaling, 3};
  Team team(2);
  const Prediction classes = neighbour_prediction(query, {3, {0, 2, 1, 2, 1}, {}}, team);
  EXPECT_EQ(classes.outputs, 3U);
  EXPECT_EQ(classes.values, (std::vector<float>{0, 1 / 3.0F, 2 / 3.0F, 0, 2 / 3.0F, 1 / 3.0F}));
  const Prediction values = neighbour_prediction(query, {0, {}, {7, 1, 2.5F, 4, -0.5F}}, team);
  EXPECT_EQ(values.outputs, 1U);
  EXPECT_EQ(values.values, (std::vector<float>{2.5F, 2}));
}

TEST(Neighbours, VoteAndBreakTiesByTheFirstClass) {
  const Dataset train = dense<float>({4, 1, {1, 2, 3, 4}});
  const Dataset test = dense<float>({1, 1, {1}});
  const auto features = all(1);
  const Affine scaling = identity(1);
  Team team(1);
  const NeighbourQuery query{&train, &test, features, &scaling, 4};
  const Target tied{3, {1, 1, 0, 0}, {}}, clear{3, {2, 1, 0, 1}, {}};
  EXPECT_EQ(neighbour_prediction(query, tied, team).label(0), 0);
  EXPECT_EQ(neighbour_prediction(query, clear, team).label(0), 1);
}

TEST(Neighbours, VoteByTheWeightsOfTheirRows) {
  const Dataset train = dense<float>({4, 1, {1, 2, 3, 9}});
  const Dataset test = dense<float>({1, 1, {1}});
  const auto features = all(1);
  const Affine scaling = identity(1);
  Team team(1);
  const NeighbourQuery query{&train, &test, features, &scaling, 3};
  const Target classes{2, {1, 0, 0, 1}, {}, 1, {6, 1, 1, 50}};
  EXPECT_EQ(neighbour_prediction(query, classes, team).values, (std::vector<float>{0.25F, 0.75F}));
  const Target values{0, {}, {8, 4, 0, 100}, 1, {6, 1, 1, 50}};
  EXPECT_EQ(neighbour_prediction(query, values, team).values, std::vector<float>{6.5F});
  const Dataset weighted = train.weighted(std::vector<float>{6, 1, 1, 50});
  const NeighbourQuery of_features{&weighted, &test, features, &scaling, 3};
  EXPECT_EQ(feature_prediction(of_features, team).values, std::vector<float>{11.0F / 8});
  const Target silent{2, {1, 0, 0, 1}, {}, 1, {1, 0, 1, 1}};
  EXPECT_THROW(neighbour_prediction(query, silent, team), Error);
}

std::string fault_of(const NeighbourQuery& query, const Target& target = {}) {
  Team team(1);
  try {
    if (target.rows() > 0) {
      neighbour_prediction(query, target, team);
    } else {
      nearest_rows(query, team);
    }
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    return error.what();
  }
  return "";
}

TEST(Neighbours, RefuseWhatCannotBeAnswered) {
  const Dataset train = dense<float>(table(3, 2, normal, 1));
  const Dataset other = dense<float>(table(9, 4, normal, 1));
  const auto features = all(2);
  const std::vector<std::size_t> beyond{0, 2};
  const Affine scaling = identity(4);
  EXPECT_EQ(fault_of({&train, &train, features, &scaling, 5}),
            "asks for 5 neighbours, but there are only 3 training rows; ask for fewer neighbours or give more rows");
  EXPECT_EQ(fault_of({&train, nullptr, features, &scaling, 3}),
            "asks for 3 neighbours, but there are only 2 other rows; ask for fewer neighbours or give more rows");
  EXPECT_EQ(fault_of({&train, nullptr, features, &scaling, 2}), "");
  EXPECT_NE(fault_of({&train, nullptr, features, &scaling, 0}), "");
  EXPECT_NE(fault_of({&train, nullptr, {}, &scaling, 1}), "");
  EXPECT_EQ(fault_of({&train, nullptr, beyond, &scaling, 1}), "expected columns below 2 for the neighbours, found 2");
  EXPECT_NE(fault_of({&train, &other, features, &scaling, 1}), "");
  EXPECT_EQ(fault_of({&train, nullptr, features, &scaling, 1}, {0, {}, {1, 2}}),
            "expected a target for each of the 3 training rows, found 2");
}

}  // namespace
}  // namespace obverse
