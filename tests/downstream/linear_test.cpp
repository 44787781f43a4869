#include "downstream/linear.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include <obverse/error.h>

#include "downstream/logistic.h"
#include "downstream/ridge.h"
#include "downstream/tables.h"
#include "reference/reference.h"
#include "support/random.h"

namespace obverse {
namespace {

using test::all;
using test::Table;

enum class Kind { floats, bytes, sparse };
constexpr Kind kKinds[] = {Kind::floats, Kind::bytes, Kind::sparse};

Dataset dataset(const Table& table, Kind kind = Kind::floats) {
  if (kind == Kind::bytes) return test::dataset(test::dense_matrix<std::uint8_t>(table), table.cols);
  if (kind == Kind::sparse) return test::dataset(test::sparse_matrix(table), table.cols);
  return test::dataset(test::dense_matrix<float>(table), table.cols);
}

/// One case of linear.txt.
struct Case {
  Table train, test;
  Affine scaling;
  Target target;
  std::vector<double> predicted;
};

Case reference(const std::string& name) {
  static const test::Reference kReference("linear");
  const auto key = [&](const char* tensor) { return cat(name, ".", tensor); };
  Case made;
  made.scaling = {kReference.floats(key("scale")), kReference.floats(key("offset"))};
  const std::size_t cols = made.scaling.scale.size();
  const auto table = [&](const char* tensor) {
    Table rows{0, cols, kReference.floats(key(tensor))};
    rows.rows = rows.values.size() / cols;
    return rows;
  };
  made.train = table("X");
  made.test = table("X_test");
  made.predicted = kReference[key("predicted")];
  made.target.classes = made.predicted.size() / made.test.rows;
  if (name.starts_with("values")) {
    made.target.classes = 0;
    made.target.values = kReference.floats(key("y"));
  } else {
    made.target.labels = kReference.integers<std::int32_t>(key("y"));
  }
  if (kReference.has(key("weights"))) made.target.weights = kReference.floats(key("weights"));
  return made;
}

Prediction predicted(const Case& made, Kind kind = Kind::floats, std::size_t threads = 2) {
  const Dataset train = dataset(made.train, kind);
  const auto features = all(made.train.cols);
  Team team(threads);
  const LinearModel model({&train, features, &made.scaling, &made.target}, team);
  EXPECT_TRUE(model.converged());
  return model.predict(dataset(made.test, kind), team);
}

double largest_difference(const Prediction& prediction, const std::vector<double>& expected) {
  EXPECT_EQ(prediction.values.size(), expected.size());
  double largest = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(static_cast<double>(prediction.values[i]) - expected[i]));
  }
  return largest;
}

TEST(Linear, ProbabilitiesAreThoseOfScikitLearn) {
  for (const std::string name : {"two", "four", "pixels", "wide", "separable", "weighted", "one_feature"}) {
    EXPECT_LT(largest_difference(predicted(reference(name)), reference(name).predicted), 2e-6) << name;
  }
}

TEST(Linear, ValuesAreThoseOfScikitLearn) {
  for (const std::string name : {"values", "values_wide", "values_weighted"}) {
    const Case made = reference(name);
    double unit = 0;
    for (const double value : made.predicted) unit = std::max(unit, std::abs(value));
    EXPECT_LT(largest_difference(predicted(made), made.predicted), 1e-6 * unit) << name;
  }
}

TEST(Linear, StoragesAgree) {
  for (const std::string name : {"pixels", "wide", "values_wide", "values_weighted"}) {
    const Case made = reference(name);
    const Prediction floats = predicted(made, Kind::floats);
    EXPECT_EQ(predicted(made, Kind::bytes).values, floats.values) << name;
    const std::vector<double> expected(floats.values.begin(), floats.values.end());
    double unit = 1;
    for (const double value : expected) unit = std::max(unit, std::abs(value));
    EXPECT_LT(largest_difference(predicted(made, Kind::sparse), expected), 1e-6 * unit) << name;
  }
}

/// Mostly zeros, and classes that lean on the first features.
Case noisy(std::size_t rows, std::size_t cols, std::size_t classes, std::uint64_t index = 0) {
  RandomStream stream(4, Purpose::generation, index);
  Case made;
  made.train = {rows, cols, std::vector<float>(rows * cols)};
  made.scaling = {std::vector<float>(cols, 0.02F), std::vector<float>(cols, -0.1F)};
  made.target.classes = classes;
  for (float& x : made.train.values) x = stream.below(3) == 0 ? static_cast<float>(stream.below(256)) : 0.0F;
  for (std::size_t r = 0; r < rows; ++r) {
    const float* x = made.train.values.data() + r * cols;
    const double lean = static_cast<double>(x[0]) / 128 + static_cast<double>(x[cols / 2]) / 256 + stream.normal() / 2;
    if (classes == 0) {
      made.target.values.push_back(static_cast<float>(lean));
    } else {
      const double most = static_cast<double>(classes) - 1;
      made.target.labels.push_back(static_cast<std::int32_t>(std::clamp(2 * lean, 0.0, most)));
    }
  }
  made.test = made.train;
  return made;
}

TEST(Linear, DoesNotDependOnTheNumberOfThreads) {
  for (const std::size_t classes : {0, 2, 4}) {
    for (const Kind kind : {Kind::floats, Kind::sparse}) {
      const Case made = noisy(5000, 30, classes);
      const Prediction alone = predicted(made, kind, 1);
      EXPECT_EQ(predicted(made, kind, 2).values, alone.values);
      EXPECT_EQ(predicted(made, kind, 5).values, alone.values);
    }
  }
}

TEST(Linear, SampledAndDiagonalPreconditionersLeadToTheSameOptimum) {
  // More rows than a sample has; then the same columns among many that are constant.
  const Case few = noisy(6000, 12, 3);
  Case many = few;
  many.train = {6000, 1100, std::vector<float>(6000 * 1100)};
  many.scaling = {std::vector<float>(1100, 0.02F), std::vector<float>(1100, -0.1F)};
  for (std::size_t r = 0; r < 6000; ++r) {
    std::copy_n(few.train.values.data() + r * 12, 12, many.train.values.data() + r * 1100);
  }
  many.test = many.train;
  const Prediction expected = predicted(few, Kind::sparse);
  EXPECT_LT(largest_difference(predicted(many, Kind::sparse), {expected.values.begin(), expected.values.end()}), 2e-5);
}

TEST(Linear, WeightsCountAsRepeatedRows) {
  for (const std::size_t classes : {0, 2, 3}) {
    Case weighted = noisy(120, 5, classes, 1), repeated = weighted;
    repeated.train.values.clear();
    repeated.target.labels.clear();
    repeated.target.values.clear();
    for (std::size_t r = 0; r < 120; ++r) {
      const std::size_t times = r % 4;
      weighted.target.weights.push_back(static_cast<float>(times));
      for (std::size_t i = 0; i < times; ++i) {
        const float* row = weighted.train.values.data() + r * 5;
        repeated.train.values.insert(repeated.train.values.end(), row, row + 5);
        if (classes == 0) repeated.target.values.push_back(weighted.target.values[r]);
        if (classes > 0) repeated.target.labels.push_back(weighted.target.labels[r]);
      }
    }
    repeated.train.rows = repeated.train.values.size() / 5;
    const Prediction expected = predicted(repeated);
    EXPECT_LT(largest_difference(predicted(weighted), {expected.values.begin(), expected.values.end()}), 2e-6);
  }
}

TEST(Linear, SeesTheFeaturesInAnyOrderAndTwice) {
  Case made = reference("pixels");
  const std::vector<std::size_t> forward{2, 3, 11, 17}, backward{17, 2, 11, 3}, twice{2, 2, 3};
  Team team(2);
  for (const Kind kind : kKinds) {
    const Dataset train = dataset(made.train, kind), test = dataset(made.test, kind);
    const auto ask = [&](std::span<const std::size_t> features) {
      return LinearModel({&train, features, &made.scaling, &made.target}, team).predict(test, team);
    };
    const Prediction expected = ask(forward);
    EXPECT_LT(largest_difference(ask(backward), {expected.values.begin(), expected.values.end()}), 2e-6);
    EXPECT_TRUE(std::isfinite(ask(twice).values[0]));
  }
}

/// F at a point, by its formula.
double plain_loss(const Case& made, const LinearRows& rows, std::span<const double> point, std::size_t outputs) {
  double loss = 0;
  std::vector<float> x(rows.columns());
  for (std::size_t r = 0; r < rows.rows(); ++r) {
    rows.copy_row(r, x.data());
    std::vector<double> z(outputs == 1 ? 2 : outputs);
    for (std::size_t d = 0; d < x.size(); ++d) {
      for (std::size_t o = 0; o < outputs; ++o)
        z[outputs == 1 ? 1 : o] += static_cast<double>(x[d]) * point[d * outputs + o];
    }
    double sum = 0;
    for (const double one : z) sum += std::exp(one);
    loss += static_cast<double>(made.target.weights[r]) *
            (std::log(sum) - z[static_cast<std::size_t>(made.target.labels[r])]);
  }
  for (std::size_t i = 0; i + outputs < point.size(); ++i) loss += point[i] * point[i] / 2;
  return loss;
}

TEST(LogisticLoss, HasTheGradientAndTheHessianOfCentralDifferences) {
  for (const std::size_t classes : {2, 3}) {
    for (const Kind kind : {Kind::floats, Kind::sparse}) {
      Case made = noisy(90, 4, classes, 2);
      for (std::size_t r = 0; r < 90; ++r) made.target.weights.push_back(0.5F + static_cast<float>(r % 3));
      const std::vector<double> weights(made.target.weights.begin(), made.target.weights.end());
      const Dataset data = dataset(made.train, kind);
      const auto features = all(4);
      Team team(2);
      const LinearRows rows(data, features, made.scaling, weights, team);
      LogisticLoss loss(rows, made.target.labels, classes, weights, team);
      const std::size_t size = rows.columns() * loss.outputs();
      RandomStream stream(4, Purpose::generation, 9);
      std::vector<double> point(size), along(size), gradient(size), product(size), above(size), below(size);
      for (double& value : point) value = stream.normal() / 4;
      for (double& value : along) value = stream.normal();
      EXPECT_NEAR(loss.move(point, gradient), plain_loss(made, rows, point, loss.outputs()), 1e-4);
      loss.multiply_hessian(along, product);
      constexpr double kStep = 1e-4;
      for (std::size_t i = 0; i < size; ++i) {
        auto moved = point;
        moved[i] += kStep;
        const double more = loss.move(moved, above);
        moved[i] -= 2 * kStep;
        EXPECT_NEAR((more - loss.move(moved, below)) / (2 * kStep), gradient[i], 1e-5);
      }
      auto moved = point;
      for (std::size_t i = 0; i < size; ++i) moved[i] = point[i] + kStep * along[i];
      loss.move(moved, above);
      for (std::size_t i = 0; i < size; ++i) moved[i] = point[i] - kStep * along[i];
      loss.move(moved, below);
      // The products with the Hessian are of float32.
      for (std::size_t i = 0; i < size; ++i) EXPECT_NEAR((above[i] - below[i]) / (2 * kStep), product[i], 1e-3);
    }
  }
}

TEST(LinearRows, ProductsAreThoseOfTheDefinition) {
  for (const Kind kind : kKinds) {
    const Case made = noisy(2100, 9, 2, 3);
    const Dataset data = dataset(made.train, kind);
    const auto features = all(9);
    const std::vector<double> weights(2100, 1.0);
    Team team(3);
    const LinearRows rows(data, features, made.scaling, weights, team);
    constexpr std::size_t kOutputs = 5;
    RandomStream stream(4, Purpose::generation, 5);
    std::vector<double> v(10 * kOutputs), r(2100 * kOutputs);
    for (double& value : v) value = stream.normal();
    for (double& value : r) value = stream.normal();
    std::vector<double> seen(r.size()), back(v.size()), squares(v.size()), columns(2100 * 3);
    std::vector<double> both_seen(r.size()), fast_seen(r.size()), both_back(v.size()), fast_back(v.size());
    const auto swap_with = [&](std::vector<double>& kept) {
      return [&](std::size_t first, std::span<double> u) {
        for (std::size_t i = 0; i < u.size(); ++i) {
          kept[first * kOutputs + i] = u[i];
          u[i] = r[first * kOutputs + i];
        }
      };
    };
    rows.multiply(v, kOutputs, seen, team);
    rows.multiply_transposed(r, kOutputs, back, team);
    rows.multiply_both(v, kOutputs, swap_with(both_seen), both_back, team, Products::exact);
    rows.multiply_both(v, kOutputs, swap_with(fast_seen), fast_back, team, Products::fast);
    EXPECT_EQ(both_seen, seen);
    EXPECT_EQ(both_back, back);
    rows.multiply_squares(r, kOutputs, squares, team);
    rows.copy_columns(7, 3, columns, team);
    std::vector<double> plain_back(v.size()), plain_squares(v.size());
    std::vector<float> x(10);
    double sum = 0;
    for (std::size_t i = 0; i < 2100; ++i) {
      rows.copy_row(i, x.data());
      sum += static_cast<double>(x[0]);
      EXPECT_EQ(x[9], 1);
      for (std::size_t j = 0; j < 3; ++j) ASSERT_NEAR(columns[i * 3 + j], x[7 + j], 1e-6);
      for (std::size_t o = 0; o < kOutputs; ++o) {
        double plain = 0;
        for (std::size_t d = 0; d < 10; ++d) {
          const auto value = static_cast<double>(x[d]);
          plain += value * v[d * kOutputs + o];
          plain_back[d * kOutputs + o] += value * r[i * kOutputs + o];
          plain_squares[d * kOutputs + o] += value * value * r[i * kOutputs + o];
        }
        ASSERT_NEAR(seen[i * kOutputs + o], plain, 2e-6);
        ASSERT_NEAR(fast_seen[i * kOutputs + o], plain, 1e-4);
      }
    }
    EXPECT_NEAR(sum, 0, 1e-3);
    for (std::size_t i = 0; i < v.size(); ++i) {
      EXPECT_NEAR(back[i], plain_back[i], 1e-4);
      EXPECT_NEAR(fast_back[i], plain_back[i], 1e-2);
      EXPECT_NEAR(squares[i], plain_squares[i], 1e-3);
    }
  }
}

// Larger than the systems that are factored, so that conjugate gradients answer: the gradient is zero at the optimum.
TEST(Ridge, OfManyRowsAndColumnsIsSolvedByProducts) {
  constexpr std::size_t kRows = 2200, kCols = 2100;
  RandomStream stream(4, Purpose::generation, 12);
  Table table{kRows, kCols, std::vector<float>(kRows * kCols)};
  for (std::size_t i = 0; i < 20 * kRows; ++i) table.values[stream.below(kRows * kCols)] = 1;
  const Dataset data = dataset(table, Kind::sparse);
  const Affine scaling{std::vector<float>(kCols, 2.0F), std::vector<float>(kCols, 0.0F)};
  std::vector<float> values(kRows);
  for (float& value : values) value = static_cast<float>(5 + stream.normal());
  const std::vector<double> weights(kRows, 1.0);
  Team team(2);
  const LinearRows rows(data, all(kCols), scaling, weights, team);
  const std::vector<double> found = fit_ridge(rows, values, weights, team);
  std::vector<double> missed(kRows), slope(kCols + 1);
  rows.multiply(found, 1, missed, team);
  for (std::size_t r = 0; r < kRows; ++r) missed[r] -= static_cast<double>(values[r]);
  rows.multiply_transposed(missed, 1, slope, team);
  for (std::size_t d = 0; d < kCols; ++d) EXPECT_NEAR(slope[d] + found[d], 0, 1e-5);
  EXPECT_NEAR(slope[kCols], 0, 1e-6);
}

TEST(Linear, AnOnlyClassIsCertain) {
  Case made = noisy(20, 3, 3, 4);
  std::fill(made.target.labels.begin(), made.target.labels.end(), 2);
  const Prediction prediction = predicted(made);
  for (std::size_t r = 0; r < 20; ++r) {
    EXPECT_EQ(prediction.label(r), 2);
    EXPECT_EQ(prediction.values[3 * r + 2], 1);
  }
}

TEST(Linear, ClassesThatDoNotOccurHaveNoProbability) {
  Case two = noisy(60, 3, 2, 5), among_four = two;
  among_four.target.classes = 4;
  for (std::int32_t& label : among_four.target.labels) label = label == 0 ? 1 : 3;
  const Prediction expected = predicted(two), found = predicted(among_four);
  for (std::size_t r = 0; r < 60; ++r) {
    EXPECT_EQ(found.values[4 * r], 0);
    EXPECT_EQ(found.values[4 * r + 1], expected.values[2 * r]);
    EXPECT_EQ(found.values[4 * r + 2], 0);
    EXPECT_EQ(found.values[4 * r + 3], expected.values[2 * r + 1]);
  }
}

// Nothing but the intercept can learn: shares of the classes, and the mean.
TEST(Linear, ConstantColumnsLeaveTheShares) {
  for (const Kind kind : kKinds) {
    Case made;
    made.train = made.test = {8, 2, std::vector<float>(16, 3)};
    made.scaling = {{1, 1}, {0, -3}};
    made.target = {3, {0, 0, 0, 0, 1, 1, 2, 2}, {}};
    EXPECT_LT(largest_difference(predicted(made, kind),
                                 std::vector<double>{.5, .25, .25, .5, .25, .25, .5, .25, .25, .5, .25, .25,
                                                     .5, .25, .25, .5, .25, .25, .5, .25, .25, .5, .25, .25}),
              1e-6);
    made.target = {0, {}, {1, 2, 3, 4, 5, 6, 7, 8}};
    EXPECT_LT(largest_difference(predicted(made, kind), std::vector<double>(8, 4.5)), 1e-6);
  }
}

TEST(Linear, OneRowIsItsOwnAnswer) {
  Case made;
  made.train = made.test = {1, 2, {3, 4}};
  made.scaling = {{1, 1}, {0, 0}};
  made.target = {0, {}, {7}};
  EXPECT_EQ(predicted(made).values, std::vector<float>{7});
  made.target = {2, {1}, {}};
  EXPECT_EQ(predicted(made).values, (std::vector<float>{0, 1}));
}

// Far outside of what scaled columns hold; no number to compare with, but an end and probabilities.
TEST(Linear, ComesToAnEndWithVeryLargeAndVerySmallValues) {
  for (const float unit : {1e-30F, 1e-10F, 1e10F, 1e30F, 3e38F}) {
    for (const std::size_t classes : {0, 2, 3}) {
      Case made = noisy(300, 6, classes, 6);
      for (float& x : made.train.values) x = x / 256 * unit;
      made.scaling = {std::vector<float>(6, 1.0F), std::vector<float>(6, 0.0F)};
      const Dataset train = dataset(made.train);
      const auto features = all(6);
      Team team(2);
      const LinearModel model({&train, features, &made.scaling, &made.target}, team);
      for (const float value : model.predict(train, team).values) ASSERT_TRUE(std::isfinite(value)) << unit;
    }
  }
}

TEST(Linear, RefusesWhatCannotBeLearned) {
  const Case made = noisy(10, 3, 2, 7);
  const Dataset train = dataset(made.train);
  const auto features = all(3);
  const std::vector<std::size_t> beyond{1, 3};
  const Target shorter{2, {0, 1}, {}};
  const std::vector<float> few(4, 1.0F), none(10, 0.0F), negative(10, -1.0F);
  Team team(1);
  const auto fault_of = [&](const LinearQuery& query) {
    try {
      LinearModel(query, team);
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(fault_of({&train, features, &made.scaling, &made.target}), "");
  EXPECT_NE(fault_of({&train, {}, &made.scaling, &made.target}), "");
  EXPECT_EQ(fault_of({&train, beyond, &made.scaling, &made.target}),
            "expected columns below 3 for a linear model, found 3");
  EXPECT_EQ(fault_of({&train, features, &made.scaling, &shorter}),
            "a linear model needs one target for each of 10 rows, found 1 for 2");
  for (const auto* weights : {&few, &none, &negative}) {
    Target wrong = made.target;
    wrong.weights = *weights;
    EXPECT_NE(fault_of({&train, features, &made.scaling, &wrong}), "");
  }
}

}  // namespace
}  // namespace obverse
