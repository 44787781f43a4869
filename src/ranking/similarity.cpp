#include "ranking/similarity.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace obverse {
namespace {

constexpr double kLevel = 1e-3;  // that any of all pairs passes by chance
// (1 - r^2)^((rows - 2) / 2) bounds the tail of a correlation of normal values; that of ranks is heavier.
constexpr double kTail = 0.8;
constexpr std::size_t kMostCodes = 16;    // distinct values of a code
constexpr std::size_t kRowsOfACode = 50;  // at least, on the mean: fewer would make any two codes look alike
// Two codes of two values each that share enough information have a larger correlation.
constexpr double kLeastOfTwoValues = 0.5;

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kPasses = 3;

/// Whole numbers in the order of the values.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & 0x80000000U) != 0 ? ~bits : bits | 0x80000000U;
}

std::uint32_t value_of(std::uint64_t key) { return static_cast<std::uint32_t>(key >> 32); }
std::uint32_t row_of(std::uint64_t key) { return static_cast<std::uint32_t>(key); }

/// The most that Linfoot's coefficient can be, squared.
double most_informative(double entropy) { return 1 - std::exp(-2 * entropy); }

void make_code(std::span<const std::uint64_t> keys, ComparedColumn& column) {
  column.codes.resize(keys.size());
  std::size_t code = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (i > 0 && value_of(keys[i]) != value_of(keys[i - 1])) ++code;
    column.codes[row_of(keys[i])] = static_cast<std::uint8_t>(code);
  }
  const auto most = std::max_element(column.counts.begin(), column.counts.end());
  column.frequent = static_cast<std::uint8_t>(most - column.counts.begin());
  for (std::uint32_t row = 0; row < column.codes.size(); ++row) {
    if (column.codes[row] != column.frequent) column.rare.push_back(row);
  }
  const auto rows = static_cast<double>(keys.size());
  for (const std::uint32_t count : column.counts) column.entropy -= count / rows * std::log(count / rows);
}

}  // namespace

ColumnRanker::ColumnRanker(std::size_t rows) : keys_(rows), spare_(rows), log_factorials_(rows + 1) {
  for (std::size_t n = 2; n <= rows; ++n)
    log_factorials_[n] = log_factorials_[n - 1] + std::log(static_cast<double>(n));
}

// By digits from the lowest on: five times as fast as comparing, which would take most of the time.
void ColumnRanker::sort(std::span<const float> values) {
  std::array<std::array<std::uint32_t, kDigits>, kPasses> places{};
  const auto digit = [](std::uint64_t key, int pass) {
    return static_cast<std::size_t>(key >> (32 + pass * kDigitBits)) & (kDigits - 1);
  };
  for (std::size_t r = 0; r < values.size(); ++r) {
    keys_[r] = std::uint64_t{ordered_bits(values[r])} << 32 | r;
    for (int pass = 0; pass < kPasses; ++pass) ++places[static_cast<std::size_t>(pass)][digit(keys_[r], pass)];
  }
  for (int pass = 0; pass < kPasses; ++pass) {
    auto& place = places[static_cast<std::size_t>(pass)];
    if (place[digit(keys_.front(), pass)] == values.size()) continue;  // all have this digit
    std::exclusive_scan(place.begin(), place.end(), place.begin(), 0U);
    for (const std::uint64_t key : keys_) spare_[place[digit(key, pass)]++] = key;
    std::swap(keys_, spare_);
  }
}

ComparedColumn ColumnRanker::rank(std::span<const float> values, float* ranks) {
  ComparedColumn column;
  const std::size_t rows = values.size();
  std::fill_n(ranks, rows, 0.0F);
  if (rows < 2) return column;
  sort(values);
  const std::size_t most_codes = std::min(kMostCodes, rows / kRowsOfACode);
  const double middle = static_cast<double>(rows - 1) / 2;
  column.arrangements = log_factorials_[rows];
  double squares = 0;
  std::size_t distinct = 0;
  for (std::size_t begin = 0, end = 0; begin < rows; begin = end, ++distinct) {
    while (end < rows && value_of(keys_[end]) == value_of(keys_[begin])) ++end;
    const auto ties = static_cast<double>(end - begin);
    const double rank = static_cast<double>(begin + end - 1) / 2 - middle;
    squares += ties * rank * rank;
    column.arrangements -= log_factorials_[end - begin];
    if (distinct < most_codes) column.counts.push_back(static_cast<std::uint32_t>(end - begin));
    for (std::size_t i = begin; i < end; ++i) ranks[row_of(keys_[i])] = static_cast<float>(rank);
  }
  const double scale = distinct > 1 ? 1 / std::sqrt(squares) : 0;
  for (std::size_t r = 0; r < rows; ++r) ranks[r] = static_cast<float>(ranks[r] * scale);
  if (distinct > 1 && distinct <= most_codes) {
    make_code(keys_, column);
  } else {
    column.counts.clear();
  }
  return column;
}

Similarity::Similarity(std::size_t rows, const SimilarityBounds& bounds)
    : rows_(static_cast<double>(rows)),
      least_(bounds.least),
      log_level_(std::log(kLevel / (2 * std::fmax(bounds.comparisons, 1)))),
      least_correlation_(std::numeric_limits<double>::infinity()),
      terms_(rows + 1) {
  if (rows > 2) least_correlation_ = std::sqrt(1 - std::exp(2 * log_level_ / (kTail * (rows_ - 2))));
  for (std::size_t n = 1; n <= rows; ++n) terms_[n] = static_cast<double>(n) * std::log(static_cast<double>(n));
}

double Similarity::of(const ComparedColumn& a, const ComparedColumn& b, double correlation) const {
  const double similarity = std::fmin(1, std::fabs(correlation));
  const bool codes = a.is_code() && b.is_code();
  const bool two_values = a.counts.size() == 2 && b.counts.size() == 2;
  const double least = codes ? (two_values ? kLeastOfTwoValues : 0) : std::fmax(least_, least_correlation_);
  if (similarity < least) return 0;
  // Where a column has few arrangements, such as a single value other than zero, another one matches it by chance.
  if (std::fmin(a.arrangements, b.arrangements) < std::log(2) - log_level_) return 0;
  return codes ? of_codes(a, b) : similarity;
}

// Only rows in which one of them has a rare value are counted; the others follow from the counts of both.
double Similarity::information(const ComparedColumn& a, const ComparedColumn& b) const {
  if (a.rare.size() < b.rare.size()) return information(b, a);
  std::array<std::uint32_t, kMostCodes * kMostCodes> cells{};
  for (const std::uint32_t row : b.rare) ++cells[a.codes[row] * kMostCodes + b.codes[row]];
  double sum = terms_.back();
  for (std::size_t i = 0; i < a.counts.size(); ++i) {
    std::uint32_t left = a.counts[i];
    for (std::size_t j = 0; j < b.counts.size(); ++j) left -= cells[i * kMostCodes + j];
    cells[i * kMostCodes + b.frequent] = left;
    for (std::size_t j = 0; j < b.counts.size(); ++j) sum += terms_[cells[i * kMostCodes + j]];
    sum -= terms_[a.counts[i]];
  }
  for (const std::uint32_t count : b.counts) sum -= terms_[count];
  return std::fmax(0, sum / rows_);
}

double Similarity::of_codes(const ComparedColumn& a, const ComparedColumn& b) const {
  const double most = most_informative(std::fmax(a.entropy, b.entropy));
  if (most_informative(std::fmin(a.entropy, b.entropy)) < least_ * least_ * most) return 0;
  const double nats = information(a, b);
  const double similarity = std::fmin(1, std::sqrt((1 - std::exp(-2 * nats)) / most));
  if (similarity < least_) return 0;
  // Chernoff's bound of the tail of chi squared, which 2 N I follows where they have nothing in common.
  const auto freedom = static_cast<double>((a.counts.size() - 1) * (b.counts.size() - 1));
  const double statistic = 2 * rows_ * nats;
  if (statistic <= freedom) return 0;
  const double log_p = (freedom - statistic + freedom * std::log(statistic / freedom)) / 2;
  return log_p <= log_level_ ? similarity : 0;
}

}  // namespace obverse
