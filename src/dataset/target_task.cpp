// Fractions are a quantity, as in scikit-learn. Whole numbers are classes or a quantity; how often they occur tells
// which:
//
//   up to 20 different ones   classes: digits, ratings, codes of diagnoses. Only where hardly any of them occurs twice,
//                             eight in ten rows, nothing could be learned of a class.
//   more                      a quantity if more than 5 % of them are rare: they have one row, or less than a tenth of
//                             an even share (rows / different values).
//
// Rare values are what separates the two. Classes are collected on purpose, about the same number of each (40 people
// with 10 pictures each), or as skewed as words in a text: by Zipf's law the rarest of D classes has 1 / ln(D) of an
// even share, which is more than a tenth for any D below 20,000. What is measured or counted (ages, years, prices,
// visits) has tails that fall off faster, and values in them that occur once. An even quantity with many rows of each
// value, such as a percentage in 100,000 rows, looks like classes; the note says how to ask for the other task.
#include "dataset/target_task.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <obverse/error.h>

#include "dataset/labels.h"
#include "readers/decimal.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kFewValues = 20;
constexpr std::size_t kHandful = 5;       // of values say nothing, however few rows there are
constexpr double kRare = 0.1;             // of an even share
constexpr double kMostRareValues = 0.05;  // of all values

bool any_fraction(std::span<const double> values) {
  return std::any_of(values.begin(), values.end(), [](double x) { return x != std::trunc(x); });
}

std::size_t sum(std::span<const std::size_t> rows) {
  std::size_t all = 0;
  for (const std::size_t count : rows) all += count;
  return all;
}

bool hardly_repeat(std::size_t values, std::size_t rows) { return values > kHandful && values > rows / 2; }

bool have_a_tail(std::span<const std::size_t> rows) {
  const double even = static_cast<double>(sum(rows)) / static_cast<double>(rows.size());
  const auto rare = std::count_if(rows.begin(), rows.end(), [&](std::size_t count) {
    return count == 1 || static_cast<double>(count) < kRare * even;
  });
  return static_cast<double>(rare) > kMostRareValues * static_cast<double>(rows.size());
}

/// NA, ? and their like, NaN and infinities.
bool is_missing(std::string_view text) {
  float ignored = 0;
  const CellFault fault = parse_cell(text, ignored);
  return fault == CellFault::missing || fault == CellFault::not_finite;
}

}  // namespace

TargetTask task_of_numbers(std::span<const double> values, std::span<const std::size_t> rows) {
  const std::size_t all = sum(rows);
  const bool fractions = any_fraction(values);
  const bool many = values.size() > kFewValues;
  const bool quantity = fractions || hardly_repeat(values.size(), all) || (many && have_a_tail(rows));
  if (!quantity && !many) return {};
  return {.task = quantity ? Task::regression : Task::classification,
          .reason = cat("has ", with_commas(values.size()), " different numbers", fractions ? ", with fractions," : "",
                        " in ", with_commas(all), " rows: taken as ", quantity ? "a quantity" : "classes")};
}

TargetTask task_of(const LabelColumn& column) {
  if (column.declared_classes) return {};
  std::vector<std::size_t> rows_of_text(column.texts.size());
  for (const std::uint32_t code : column.codes) ++rows_of_text[code];
  std::map<double, std::size_t> rows_of_number;  // 1 and 1.0 are one of them
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    if (is_missing(column.texts[i])) continue;  // refused with its row when the labels are encoded
    const auto number = number_of_label(column.texts[i]);
    if (!number) return {};
    rows_of_number[*number] += rows_of_text[i];
  }
  std::vector<double> values;
  std::vector<std::size_t> rows;
  for (const auto& [value, count] : rows_of_number) {
    values.push_back(value);
    rows.push_back(count);
  }
  return task_of_numbers(values, rows);
}

Task other_task(const TargetTask& target) {
  return target.task == Task::regression ? Task::classification : Task::regression;
}

std::string task_note(const TargetTask& target, std::string_view name, std::string_view option) {
  if (target.reason.empty()) return {};
  return cat("target '", name, "' ", target.reason, "; say ", option,
             target.task == Task::regression ? " if these are classes" : " if it is a quantity");
}

void require_repeated_labels(std::size_t classes, std::size_t rows, LabelKind kind, const std::string& where) {
  constexpr std::size_t kFewRows = 50;
  const bool many_fractions = kind == LabelKind::fractions && classes > kFewValues;
  const bool all_different = rows > kFewRows && classes > rows / 2;
  if (!many_fractions && !all_different) return;
  throw Error(Fault::input,
              cat(where, ": expected a class for each row, found ", classes, " different ",
                  kind == LabelKind::words ? "texts" : "numbers", " in ", rows, " rows: this looks like ",
                  kind == LabelKind::words
                      ? "an identifier; choose another target"
                      : "a quantity or an identifier; say --task regression for a quantity, or choose another target"));
}

}  // namespace obverse
