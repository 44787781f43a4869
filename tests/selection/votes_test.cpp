// Nearest rows that tell the target of a row.
#include "selection/votes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>

#include "support/random.h"

namespace obverse {
namespace {

constexpr std::size_t kRows = 61;
constexpr std::size_t kClasses = 3;
constexpr std::size_t kNeighbours = 10;

DatasetParts with_one_column() {
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{std::make_shared<float[]>(kRows), kRows, 1};
  parts.feature_names = std::vector<std::string>{"x"};
  parts.target_name = "y";
  return parts;
}

Dataset classes(bool weighted) {
  DatasetParts parts = with_one_column();
  for (std::size_t r = 0; r < kRows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(r * r % 7 % kClasses));
    if (weighted) parts.weights.push_back(1 + static_cast<float>(r % 4));
  }
  parts.class_names = {"a", "b", "c"};
  return Dataset(std::move(parts));
}

/// Whole numbers, many of them equal.
std::vector<float> distances(std::uint64_t seed, std::uint32_t most) {
  RandomStream stream(seed, Purpose::generation);
  std::vector<float> out(kRows);
  for (float& one : out) one = static_cast<float>(stream.below(most));
  return out;
}

/// By the distances from row i as they are.
double vote(const Votes& votes, std::size_t i, const std::vector<float>& distance, Votes::Room& room,
            const Votes::Near* likely = nullptr) {
  votes.look_from(i, distance.data(), likely, room);
  return votes.of({}, room);
}

/// How much each row counts among the nearest of row i: 1 inside, a share of the places left to those that are tied.
std::vector<double> shares(std::size_t i, const std::vector<float>& distance) {
  std::vector<float> others;
  for (std::size_t r = 0; r < kRows; ++r) {
    if (r != i) others.push_back(distance[r]);
  }
  std::sort(others.begin(), others.end());
  const float last = others[kNeighbours - 1];
  const auto inside = std::lower_bound(others.begin(), others.end(), last) - others.begin();
  const auto tied = std::count(others.begin(), others.end(), last);
  std::vector<double> out(kRows);
  for (std::size_t r = 0; r < kRows; ++r) {
    if (r == i || distance[r] > last) continue;
    out[r] = distance[r] < last ? 1 : static_cast<double>(kNeighbours - inside) / static_cast<double>(tied);
  }
  return out;
}

TEST(Votes, OfClassesAreTheirDefinition) {
  for (const bool weighted : {false, true}) {
    const Dataset data = classes(weighted);
    const Votes votes(data);
    Votes::Room room(votes);
    for (const std::uint32_t most : {5, 40, 100000}) {
      for (std::size_t i = 0; i < kRows; ++i) {
        const std::vector<float> distance = distances(i, most);
        const std::vector<double> share = shares(i, distance);
        std::vector<double> sums(kClasses);
        double total = 0;
        for (std::size_t r = 0; r < kRows; ++r) {
          sums[static_cast<std::size_t>(data.labels()[r])] += data.weight(r) * share[r];
          total += data.weight(r) * share[r];
        }
        const double own = sums[static_cast<std::size_t>(data.labels()[i])];
        const double largest = *std::max_element(sums.begin(), sums.end());
        const auto winners = std::count_if(sums.begin(), sums.end(), [&](double s) { return largest - s < 1e-9; });
        const double wins = largest - own < 1e-9 ? 1.0 / static_cast<double>(winners) : 0;
        EXPECT_NEAR(vote(votes, i, distance, room), (own / total + wins) / 2, 1e-9) << i;
      }
    }
  }
}

TEST(Votes, OfQuantitiesAreTheLossOfTheMeanOfTheNearest) {
  DatasetParts parts = with_one_column();
  double mean = 0;
  for (std::size_t r = 0; r < kRows; ++r) {
    parts.outputs.push_back(static_cast<float>(r * r % 11));
    mean += parts.outputs.back() / static_cast<double>(kRows);
  }
  parts.output_names = {"y"};
  const std::vector<float> values = parts.outputs;
  double variance = 0;
  for (const float value : values) variance += (value - mean) * (value - mean) / static_cast<double>(kRows);
  const Votes votes{Dataset(std::move(parts))};
  Votes::Room room(votes);
  for (std::size_t i = 0; i < kRows; ++i) {
    const std::vector<float> distance = distances(i, 20);
    const std::vector<double> share = shares(i, distance);
    double told = 0;
    for (std::size_t r = 0; r < kRows; ++r) told += share[r] * values[r] / kNeighbours;
    EXPECT_NEAR(vote(votes, i, distance, room), -(told - values[i]) * (told - values[i]) / variance, 1e-5) << i;
  }
}

TEST(Votes, AreTheSameWhereTheSearchBeginsWithLikelyRows) {
  const Votes votes(classes(true));
  Votes::Room room(votes);
  for (const std::uint32_t most : {5, 40, 100000}) {
    for (std::size_t i = 0; i < kRows; ++i) {
      const std::vector<float> distance = distances(i, most);
      std::vector<float> similar = distance;  // of another feature more
      for (std::size_t r = 0; r < kRows; ++r) similar[r] += distances(i + kRows, 1 + most / 4)[r];
      votes.look_from(i, similar.data(), nullptr, room);
      const Votes::Near likely = votes.nearest(room);
      const double plain = vote(votes, i, distance, room);
      EXPECT_NEAR(vote(votes, i, distance, room, &likely), plain, 1e-12) << i;
      const Votes::Near found = votes.nearest(room);
      std::vector<std::uint32_t> order(kRows);
      std::iota(order.begin(), order.end(), 0U);
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(i));
      std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return distance[a] < distance[b]; });
      EXPECT_TRUE(std::equal(found.begin(), found.end(), order.begin())) << i;
    }
  }
}

TEST(Votes, OfAFeatureMoreOrLessAreThoseByTheDistancesWithIt) {
  const Votes votes(classes(false));
  Votes::Room room(votes);
  const std::size_t stride = padded_for_votes(kRows);
  std::vector<float> columns(2 * stride);  // of one feature
  RandomStream random(5, Purpose::generation);
  for (float& z : columns) z = static_cast<float>(random.below(8));
  for (const float sign : {1.0F, -1.0F}) {
    for (const std::size_t count : {1U, 2U}) {
      const Term term{.columns = std::span(columns).first(count * stride), .sign = sign};
      for (std::size_t i = 0; i < kRows; ++i) {
        const std::vector<float> before = distances(i, 300);
        std::vector<float> after = before;
        for (std::size_t j = 0; j < kRows; ++j) {
          for (std::size_t c = 0; c < count; ++c) {
            const float apart = columns[c * stride + j] - columns[c * stride + i];
            after[j] += sign * apart * apart;  // whole numbers: exact
          }
        }
        const double plain = vote(votes, i, after, room);
        votes.look_from(i, before.data(), nullptr, room);
        EXPECT_EQ(votes.of(term, room), plain) << i;
        const Votes::Near likely = votes.nearest(room);
        votes.look_from(i, before.data(), &likely, room);
        EXPECT_EQ(votes.of(term, room), plain) << i;
      }
    }
  }
}

TEST(Votes, GainWhenTheMeanRisesByMoreThanItsError) {
  const Votes votes(classes(false));
  std::vector<double> before(kRows, 0.5);
  std::vector<double> after = before;
  EXPECT_FALSE(votes.gains(after, before, 1));
  after[0] = 1;  // one row alone: the gain is about its own standard error
  EXPECT_FALSE(votes.gains(after, before, 1.1));
  for (std::size_t r = 0; r < 10; ++r) after[r] = 1;
  EXPECT_TRUE(votes.gains(after, before, 1));
  EXPECT_FALSE(votes.gains(before, after, 1));
  EXPECT_DOUBLE_EQ(votes.mean(after), 0.5 + 5.0 / kRows);
}

TEST(Votes, CountByWeight) {
  const Dataset data = classes(true);
  const Votes votes(data);
  std::vector<double> values(kRows);
  values[3] = 1;
  double total = 0;
  for (std::size_t r = 0; r < kRows; ++r) total += data.weight(r);
  EXPECT_DOUBLE_EQ(votes.mean(values), data.weight(3) / total);
}

}  // namespace
}  // namespace obverse
