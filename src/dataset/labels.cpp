// Only the distinct texts are looked at; rows are mapped through their numbers.
#include "dataset/labels.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include <obverse/error.h>

#include "readers/columns.h"
#include "support/text.h"

namespace obverse {
namespace {

std::optional<double> number_of(std::string_view text) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  return number_in<double>(text);
}

std::size_t first_row_of(const LabelColumn& column, std::size_t code) {
  const auto it = std::find(column.codes.begin(), column.codes.end(), code);
  return static_cast<std::size_t>(it - column.codes.begin()) + 1;
}

void check_present(const LabelColumn& column, const std::string& where) {
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const auto number = number_of(column.texts[i]);
    if (!column.texts[i].empty() && (!number || std::isfinite(*number))) continue;
    throw Error(Fault::input, cat(where, ": row ", first_row_of(column, i), ": expected a label, found ",
                                  column.texts[i].empty() ? "nothing" : column.texts[i], "; remove the row"));
  }
}

/// The texts as numbers, or nothing if one of them is none.
std::optional<std::vector<double>> all_numbers(const std::vector<std::string>& texts) {
  std::vector<double> numbers;
  for (const std::string& text : texts) {
    const auto number = number_of(text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  return numbers;
}

/// More values than classes could have: fractions in great number, or hardly a value that occurs twice.
void check_classes(std::size_t classes, std::size_t rows, bool fractions, const std::string& where) {
  constexpr std::size_t kMostFractions = 20;
  constexpr std::size_t kFewRows = 50;
  const bool quantity = fractions && classes > kMostFractions;
  const bool all_different = rows > kFewRows && classes > rows / 2;
  if (!quantity && !all_different) return;
  throw Error(Fault::input,
              cat(where, ": expected a class for each row, found ", classes, " different ",
                  fractions ? "numbers" : "values", " in ", rows,
                  " rows: this looks like a quantity or an identifier; say --task regression for a quantity, or "
                  "choose another target"));
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

std::vector<float> encode_quantities(const LabelColumn& column, const std::string& where) {
  std::vector<float> values;
  for (std::size_t i = 0; i < column.texts.size(); ++i) {
    const auto number = number_of(column.texts[i]);
    values.push_back(number ? static_cast<float>(*number) : 0.0F);
    if (number && std::isfinite(values.back())) continue;
    const std::string& text = column.texts[i];
    throw Error(Fault::input, cat(where, ": row ", first_row_of(column, i), ": expected a number, found ",
                                  text.empty() ? "nothing" : cat("'", excerpt(text), "'"),
                                  "; remove the row, or leave --task regression out where these are classes"));
  }
  std::vector<float> quantities;
  quantities.reserve(column.codes.size());
  for (const std::uint32_t code : column.codes) quantities.push_back(values[code]);
  return quantities;
}

EncodedLabels encode_labels(const LabelColumn& column, const std::string& where) {
  check_present(column, where);
  EncodedLabels encoded;
  bool fractions = false;
  if (const auto numbers = all_numbers(column.texts)) {
    fractions = std::any_of(numbers->begin(), numbers->end(), [](double x) { return x != std::trunc(x); });
    encoded = encode_sorted<double>(column, *numbers, [](const double& x) { return number_text(x); });
  } else {
    encoded = encode_sorted<std::string>(column, column.texts, [](const std::string& text) { return text; });
  }
  check_classes(encoded.class_names.size(), column.codes.size(), fractions, where);
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
      const auto number = number_of(text);
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
