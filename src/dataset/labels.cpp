// Only the distinct texts are looked at; rows are mapped through their numbers.
#include "dataset/labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <obverse/error.h>

#include "dataset/target_task.h"
#include "readers/columns.h"
#include "support/dates.h"
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
  const bool dates = !column.texts.empty() && iso_date(column.texts.front()).has_value();
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const std::string& text = column.texts[i];
    const std::optional<double> value = dates ? iso_date(text) : number_of_label(text);
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
