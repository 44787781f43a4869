// Only the distinct texts are looked at; rows are mapped through their numbers.
#include "dataset/labels.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <map>
#include <unordered_map>

#include <obverse/error.h>

#include "dataset/target_task.h"
#include "readers/columns.h"
#include "support/text.h"

namespace obverse {
namespace {

std::size_t first_row_of(const LabelColumn& column, std::size_t code) {
  const auto it = std::find(column.codes.begin(), column.codes.end(), code);
  return static_cast<std::size_t>(it - column.codes.begin()) + 1;
}

void check_present(const LabelColumn& column, const std::string& where) {
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const auto number = number_of_label(column.texts[i]);
    if (!column.texts[i].empty() && (!number || std::isfinite(*number))) continue;
    throw Error(Fault::input, cat(where, ": row ", first_row_of(column, i), ": expected a label, found ",
                                  column.texts[i].empty() ? "nothing" : column.texts[i], "; remove the row"));
  }
}

/// The texts as numbers, or nothing if one of them is none.
std::optional<std::vector<double>> all_numbers(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    const auto number = number_of_label(text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// Digits at the front of a text, as many as asked for; they are taken off.
std::optional<int> take_digits(std::string_view& text, std::size_t count) {
  int number = 0;
  if (text.size() < count) return std::nullopt;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + count, number);
  if (fault != std::errc() || end != text.data() + count || text[0] == '-') return std::nullopt;
  text.remove_prefix(count);
  return number;
}

bool take_one(std::string_view& text, std::string_view any) {
  if (text.empty() || any.find(text[0]) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Seconds of the day: 12:30, 12:30:05, 12:30:05.25.
std::optional<double> time_of_day(std::string_view text) {
  const auto hour = take_digits(text, 2);
  if (!hour || *hour > 23 || !take_one(text, ":")) return std::nullopt;
  const auto minute = take_digits(text, 2);
  if (!minute || *minute > 59) return std::nullopt;
  double seconds = *hour * 3600.0 + *minute * 60.0;
  if (!take_one(text, ":")) return text.empty() ? std::optional(seconds) : std::nullopt;
  const auto second = text.starts_with('-') ? std::nullopt : number_in<double>(text);
  if (!second || text.size() < 2 || !(*second < 61)) return std::nullopt;
  return seconds + *second;
}

/// Seconds since 1970.
std::optional<double> date_of(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take_one(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take_one(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date(std::chrono::year(*year), std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day)));
  if (!date.ok()) return std::nullopt;
  const double midnight = 86400.0 * static_cast<double>(std::chrono::sys_days(date).time_since_epoch().count());
  if (text.empty()) return midnight;
  if (!take_one(text, "T ")) return std::nullopt;
  if (text.ends_with('Z')) text.remove_suffix(1);
  const auto seconds = time_of_day(text);
  return seconds ? std::optional(midnight + *seconds) : std::nullopt;
}

template <class Key>
EncodedLabels encode_sorted(const LabelColumn& column, const std::vector<Key>& keys, std::string (*name)(const Key&)) {
  std::map<Key, std::int32_t> classes;
  for (const Key& key : keys) classes.emplace(key, 0);
  EncodedLabels encoded;
  for (auto& [key, number] : classes) {
    number = static_cast<std::int32_t>(encoded.class_names.size());
    encoded.class_names.push_back(name(key));
  }
  std::vector<std::int32_t> numbers;
  numbers.reserve(keys.size());
  for (const Key& key : keys) numbers.push_back(classes.at(key));
  encoded.labels.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes) encoded.labels.push_back(numbers[code]);
  return encoded;
}

}  // namespace

std::optional<double> number_of_label(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return number_in<double>(text);
}

std::vector<float> encode_quantities(const LabelColumn& column, const std::string& where) {
  std::vector<float> values;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const auto number = number_of_label(column.texts[i]);
    values.push_back(number ? static_cast<float>(*number) : 0.0F);
    if (number && std::isfinite(values.back())) continue;
    const std::string& text = column.texts[i];
    throw Error(Fault::input, cat(where, ": row ", first_row_of(column, i), ": expected a number, found ",
                                  text.empty() ? "nothing" : cat("'", excerpt(text), "'"),
                                  "; remove the row, or say --task classification if these are classes"));
  }
  std::vector<float> quantities;
  quantities.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes) quantities.push_back(values[code]);
  return quantities;
}

std::vector<double> encode_times(const LabelColumn& column, const std::string& where) {
  std::vector<double> values;
  const bool dates = !column.texts.empty() && date_of(column.texts.front()).has_value();
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const std::string& text = column.texts[i];
    const std::optional<double> value = dates ? date_of(text) : number_of_label(text);
    values.push_back(value.value_or(0));
    if (value && std::isfinite(*value)) continue;
    throw Error(Fault::input, cat(where, ": row ", first_row_of(column, i), ": expected ",
                                  dates ? "a date such as 2024-03-01 or 2024-03-01T12:30, as in the first row"
                                        : "a number, or in all rows a date such as 2024-03-01 or 2024-03-01T12:30",
                                  ", found ", text.empty() ? "nothing" : cat("'", excerpt(text), "'"),
                                  "; write it so or remove the row"));
  }
  std::vector<double> times;
  times.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes) times.push_back(values[code]);
  return times;
}

EncodedLabels encode_labels(const LabelColumn& column, const std::string& where) {
  check_present(column, where);
  EncodedLabels encoded;
  LabelKind kind = LabelKind::words;
  if (const auto numbers = all_numbers(column.texts)) {
    const bool whole = std::all_of(numbers->begin(), numbers->end(), [](double x) { return x == std::trunc(x); });
    kind = whole ? LabelKind::whole_numbers : LabelKind::fractions;
    encoded = encode_sorted<double>(column, *numbers, [](const double& x) { return number_text(x); });
  } else {
    encoded = encode_sorted<std::string>(column, column.texts, [](const std::string& text) { return text; });
  }
  require_repeated_labels(encoded.class_names.size(), column.codes.size(), kind, where);
  return encoded;
}

std::vector<std::int32_t> encode_labels_as(const LabelColumn& column, const std::vector<std::string>& class_names,
                                           const std::string& where) {
  std::unordered_map<std::string, std::int32_t> known;
  for (const std::string& name : class_names) known.emplace(name, static_cast<std::int32_t>(known.size()));
  std::vector<std::int32_t> numbers;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const std::string& text = column.texts[i];
    auto it = known.find(text);
    if (it == known.end()) {
      const auto number = number_of_label(text);
      if (number) it = known.find(number_text(*number));
    }
    if (it == known.end()) {
      throw Error(Fault::input,
                  cat(where, ": row ", first_row_of(column, i), ": expected one of the ", class_names.size(),
                      " known classes (", short_list(class_names), "), found '", excerpt(text), "'"));
    }
    numbers.push_back(it->second);
  }
  std::vector<std::int32_t> labels;
  labels.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes) labels.push_back(numbers[code]);
  return labels;
}

}  // namespace obverse
