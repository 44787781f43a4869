// The data set itself: what its parts must fulfil, subsets of its rows, and single features out of any storage.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <numeric>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "dataset/flushed.h"

namespace obverse {
namespace {

[[noreturn]] void refuse(const std::string& message) { throw Error(Fault::input, message); }

struct Shape {
  std::size_t rows = 0;
  std::size_t cols = 0;
};

Shape shape(const Storage& storage) {
  if (const auto* sparse = std::get_if<SparseMatrix>(&storage)) return {sparse->rows(), sparse->cols};
  if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&storage)) return {bytes->rows, bytes->cols};
  const auto& floats = std::get<DenseMatrix<float>>(storage);
  return {floats.rows, floats.cols};
}

/// Exponent bits all set: NaN or infinite. Integer code, so that the compiler makes vector code of the loop.
bool all_finite(std::span<const float> values) {
  std::uint32_t found = 0;
  for (const float value : values) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    found |= static_cast<std::uint32_t>((bits & 0x7F800000U) == 0x7F800000U);
  }
  return found == 0;
}

std::size_t first_not_finite(std::span<const float> values) {
  const auto it = std::find_if(values.begin(), values.end(), [](float v) { return !std::isfinite(v); });
  return static_cast<std::size_t>(it - values.begin());
}

/// The feature that a column belongs to.
std::size_t feature_of(const FeatureLayout& layout, std::size_t column) {
  if (layout.begin.empty()) return column;
  return static_cast<std::size_t>(std::upper_bound(layout.begin.begin(), layout.begin.end(), column) -
                                  layout.begin.begin()) -
         1;
}

[[noreturn]] void refuse_value(const DatasetParts& parts, std::size_t row, std::size_t column, float value) {
  const FeatureNames& columns = parts.layout.column_names;
  refuse(cat("row ", row + 1, ", column '",
             columns.empty() ? parts.feature_names[feature_of(parts.layout, column)] : columns[column],
             "': expected a finite number, found ",
             std::isnan(value) ? "NaN" : "an infinite value (float32 ends at 3.4e38)",
             "; remove the row, fill the cell, or leave the column out"));
}

/// A value of a table is missing, a number, or the number of a level.
bool fits(const FeatureLayout& layout, std::size_t column, float value) {
  if (std::isnan(value)) return true;
  const std::vector<std::string>& levels = layout.levels[column];
  const bool coded = layout.kinds[column] == ColumnKind::category || layout.kinds[column] == ColumnKind::date;
  if (!coded) return std::isfinite(value);
  return value >= 0 && value < static_cast<float>(levels.size()) && value == std::floor(value);
}

void check_table(const DatasetParts& parts, const DenseMatrix<float>& matrix) {
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.cols; ++c) {
      const float value = matrix.row(r)[c];
      if (!fits(parts.layout, c, value)) refuse_value(parts, r, c, value);
    }
  }
}

void check_values(const DatasetParts& parts, const DenseMatrix<float>& matrix) {
  if (parts.layout.is_table()) return check_table(parts, matrix);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    if (all_finite(matrix.row(r))) continue;
    const std::size_t column = first_not_finite(matrix.row(r));
    refuse_value(parts, r, column, matrix.row(r)[column]);
  }
}

void check_values(const DatasetParts&, const DenseMatrix<std::uint8_t>&) {}

void check_values(const DatasetParts& parts, const SparseMatrix& matrix) {
  if (all_finite(matrix.values)) return;
  const std::size_t at = first_not_finite(matrix.values);
  const auto after = std::upper_bound(matrix.row_begin.begin(), matrix.row_begin.end(), at);
  const auto row = static_cast<std::size_t>(after - matrix.row_begin.begin()) - 1;
  refuse_value(parts, row, matrix.columns[at], matrix.values[at]);
}

void check_structure(const SparseMatrix& matrix) {
  const auto& begin = matrix.row_begin;
  if (begin.front() != 0 || begin.back() != matrix.columns.size() || begin.back() != matrix.values.size() ||
      !std::is_sorted(begin.begin(), begin.end())) {
    refuse("sparse rows: the row boundaries do not fit the number of values; is the file damaged?");
  }
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    for (std::size_t i = begin[r]; i < begin[r + 1]; ++i) {
      if (matrix.columns[i] >= matrix.cols || (i > begin[r] && matrix.columns[i] <= matrix.columns[i - 1])) {
        refuse(cat("sparse row ", r + 1, ": expected ascending columns up to ", matrix.cols, ", found column ",
                   matrix.columns[i] + std::size_t{1}, i > begin[r] ? cat(" after ", matrix.columns[i - 1] + 1ULL) : "",
                   "; is the file damaged?"));
      }
    }
  }
}

void check_layout(const DatasetParts& parts, std::size_t cols) {
  const FeatureLayout& layout = parts.layout;
  if (!layout.begin.empty() &&
      (layout.begin.front() != 0 || layout.begin.back() != cols ||
       std::adjacent_find(layout.begin.begin(), layout.begin.end(), std::greater_equal<>()) != layout.begin.end())) {
    refuse("the features do not fit the columns: expected at least one column for each, side by side");
  }
  const std::size_t features = layout.begin.empty() ? cols : layout.begin.size() - 1;
  if (parts.feature_names.size() != features) {
    refuse(cat("expected a name for each of the ", features, " columns, found ", parts.feature_names.size()));
  }
  if (!layout.column_names.empty() && layout.column_names.size() != cols) {
    refuse(cat("expected a name for each of the ", cols, " columns of the groups, found ", layout.column_names.size()));
  }
  if (!layout.is_table()) return;
  if (layout.kinds.size() != cols || layout.levels.size() != cols ||
      !std::holds_alternative<DenseMatrix<float>>(parts.storage)) {
    refuse("a table has float32 values, with a kind and a list of levels for each column");
  }
}

void check_names(const FeatureNames& names) {
  if (names.by_position()) return;
  std::unordered_set<std::string> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (!seen.insert(name).second) refuse(cat("two columns are called '", name, "'; give each its own name"));
  }
}

void check_labels(const DatasetParts& parts, std::size_t rows) {
  if (parts.labels.empty()) return;
  if (parts.labels.size() != rows) {
    refuse(cat("expected one label for each of the ", rows, " rows, found ", parts.labels.size(), " labels"));
  }
  const auto classes = static_cast<std::int32_t>(parts.class_names.size());
  for (std::size_t r = 0; r < rows; ++r) {
    if (parts.labels[r] < 0 || parts.labels[r] >= classes) {
      refuse(cat("row ", r + 1, ": expected a label from 0 to ", classes - 1, ", found ", parts.labels[r]));
    }
  }
}

void check_outputs(const DatasetParts& parts, std::size_t rows) {
  const std::size_t count = parts.output_names.size();
  if (!parts.labels.empty() && count > 0) refuse("expected labels or outputs for the rows, found both");
  if (parts.outputs.size() != rows * count) {
    refuse(
        cat("expected ", count, " outputs for each of the ", rows, " rows, found ", parts.outputs.size(), " in all"));
  }
  if (count == 0) return;
  for (std::size_t i = 0; i < parts.outputs.size(); ++i) {
    const float value = parts.outputs[i];
    if (parts.multilabel ? value == 0 || value == 1 : std::isfinite(value)) continue;
    refuse(cat("row ", i / count + 1, ", target '", parts.output_names[i % count], "': expected ",
               parts.multilabel ? "0 or 1" : "a finite number", ", found ", value));
  }
}

void check_weights(const DatasetParts& parts, std::size_t rows) {
  if (parts.weights.empty()) return;
  if (parts.weights.size() != rows) {
    refuse(cat("expected one weight for each of the ", rows, " rows, found ", parts.weights.size()));
  }
  double sum = 0;
  for (std::size_t r = 0; r < rows; ++r) {
    if (!(parts.weights[r] >= 0) || !std::isfinite(parts.weights[r])) {
      refuse(cat("row ", r + 1, ": expected a weight of 0 or more, found ", parts.weights[r]));
    }
    sum += static_cast<double>(parts.weights[r]);
  }
  if (sum == 0) refuse("every row has a weight of 0; some must count");
}

void check_split_keys(const DatasetParts& parts, std::size_t rows) {
  if (!parts.row_groups.empty() && !parts.times.empty()) {
    refuse("expected groups of rows or their times, found both: a split goes by one of them");
  }
  for (const auto& [count, what] :
       {std::pair(parts.row_groups.size(), "group"), std::pair(parts.times.size(), "time")}) {
    if (count > 0 && count != rows) refuse(cat("expected a ", what, " for each of the ", rows, " rows, found ", count));
  }
  const auto known = [&](std::uint32_t group) { return group < parts.row_group_names.size(); };
  if (!std::all_of(parts.row_groups.begin(), parts.row_groups.end(), known)) {
    refuse(cat("expected groups below ", parts.row_group_names.size(), ", the number of their names"));
  }
  for (std::size_t r = 0; r < parts.times.size(); ++r) {
    if (!std::isfinite(parts.times[r])) refuse(cat("row ", r + 1, ": expected a time, found ", parts.times[r]));
  }
}

void check(const DatasetParts& parts) {
  const auto [rows, cols] = shape(parts.storage);
  if (rows == 0) refuse("the data has no rows");
  if (cols == 0) refuse("the data has no features: every column is the target or left out");
  if (rows > std::numeric_limits<std::uint32_t>::max()) refuse(cat("expected fewer than 2^32 rows, found ", rows));
  if (cols > std::numeric_limits<std::uint32_t>::max()) refuse(cat("expected fewer than 2^32 columns, found ", cols));
  check_layout(parts, cols);
  if (parts.image_shape && parts.image_shape->height * parts.image_shape->width != cols) {
    refuse(cat("pictures of ", parts.image_shape->height, " x ", parts.image_shape->width, " pixels do not fit ", cols,
               " columns"));
  }
  check_names(parts.feature_names);
  check_names(parts.layout.column_names);
  check_labels(parts, rows);
  check_outputs(parts, rows);
  check_weights(parts, rows);
  check_split_keys(parts, rows);
  if (const auto* sparse = std::get_if<SparseMatrix>(&parts.storage)) check_structure(*sparse);
  std::visit([&](const auto& matrix) { check_values(parts, matrix); }, parts.storage);
}

/// The numbers below `count` that are not among `some`, which ascend.
std::vector<std::size_t> others(const std::vector<std::size_t>& some, std::size_t count) {
  std::vector<std::size_t> rest;
  rest.reserve(count - some.size());
  auto next = some.begin();
  for (std::size_t i = 0; i < count; ++i) {
    if (next != some.end() && *next == i) {
      ++next;
    } else {
      rest.push_back(i);
    }
  }
  return rest;
}

template <class T>
void copy_row(const DenseMatrix<T>& matrix, std::size_t row, std::span<const std::size_t> features, float* out) {
  const auto values = matrix.row(row);
  for (const std::size_t feature : features) *out++ = static_cast<float>(values[feature]);
}

void copy_row(const SparseMatrix& matrix, std::size_t row, std::span<const std::size_t> features, float* out) {
  const auto first = matrix.columns.begin() + static_cast<std::ptrdiff_t>(matrix.row_begin[row]);
  const auto last = matrix.columns.begin() + static_cast<std::ptrdiff_t>(matrix.row_begin[row + 1]);
  for (const std::size_t feature : features) {
    const auto it = std::lower_bound(first, last, feature);
    *out++ = it != last && *it == feature ? matrix.values[static_cast<std::size_t>(it - matrix.columns.begin())] : 0.0F;
  }
}

/// Columns that are still constant shrink fast, so that most columns are looked at in a few rows only.
bool differ(float a, float b) { return flushed(a) != flushed(b) && !(std::isnan(a) && std::isnan(b)); }
bool differ(std::uint8_t a, std::uint8_t b) { return a != b; }

template <class T>
std::vector<std::size_t> varying_columns(const DenseMatrix<T>& matrix, std::span<const std::uint32_t> rows) {
  std::vector<std::size_t> constant(matrix.cols);
  std::iota(constant.begin(), constant.end(), std::size_t{0});
  for (const std::uint32_t r : rows) {
    const auto first = matrix.row(rows.front());
    const auto row = matrix.row(r);
    std::erase_if(constant, [&](std::size_t c) { return differ(row[c], first[c]); });
    if (constant.empty()) break;
  }
  return others(constant, matrix.cols);
}

/// A column is constant where no row has a value other than zero, or all have the same one.
std::vector<std::size_t> varying_columns(const SparseMatrix& matrix, std::span<const std::uint32_t> rows) {
  struct Seen {
    std::size_t count = 0;
    float first = 0;
    bool varies = false;
  };
  std::unordered_map<std::uint32_t, Seen> seen;
  for (const std::uint32_t r : rows) {
    for (std::size_t i = matrix.row_begin[r]; i < matrix.row_begin[r + 1]; ++i) {
      const float value = flushed(matrix.values[i]);
      if (value == 0) continue;
      Seen& column = seen[matrix.columns[i]];
      if (column.count++ == 0) column.first = value;
      column.varies |= column.first != value;
    }
  }
  std::vector<std::size_t> varying;
  for (const auto& [column, values] : seen) {
    if (values.count < rows.size() || values.varies) varying.push_back(column);
  }
  std::sort(varying.begin(), varying.end());
  return varying;
}

}  // namespace

Dataset::Dataset(DatasetParts parts) {
  check(parts);
  rows_.resize(shape(parts.storage).rows);
  std::iota(rows_.begin(), rows_.end(), std::uint32_t{0});
  if (!parts.weights.empty()) weights_ = std::make_shared<const std::vector<float>>(std::move(parts.weights));
  parts_ = std::make_shared<const DatasetParts>(std::move(parts));
}

std::size_t Dataset::columns() const { return shape(parts_->storage).cols; }

std::vector<std::size_t> Dataset::columns_of(std::span<const std::size_t> features) const {
  std::vector<std::size_t> columns;
  columns.reserve(features.size());
  for (const std::size_t feature : features) {
    for (std::size_t c = layout().first(feature); c < layout().end(feature); ++c) columns.push_back(c);
  }
  return columns;
}

Task Dataset::task() const {
  if (has_labels()) return Task::classification;
  if (!has_outputs()) return Task::reconstruction;
  return parts_->multilabel ? Task::multilabel : Task::regression;
}

Dataset Dataset::without_target() const {
  Dataset bare(*this);
  bare.target_hidden_ = true;
  return bare;
}

Dataset Dataset::weighted(std::span<const float> weights) const {
  if (weights.size() != rows()) {
    throw Error(Fault::usage, cat("expected one weight for each of ", rows(), " rows, found ", weights.size()));
  }
  std::vector<float> by_row(shape(parts_->storage).rows, 1.0F);
  for (std::size_t r = 0; r < rows(); ++r) by_row[rows_[r]] = weights[r];
  Dataset weighted(*this);
  weighted.weights_ = std::make_shared<const std::vector<float>>(std::move(by_row));
  return weighted;
}

Dataset Dataset::of_positive_weight() const {
  std::vector<std::uint32_t> positive;
  for (std::uint32_t r = 0; r < rows(); ++r) {
    if (weight(r) > 0) positive.push_back(r);
  }
  return positive.size() == rows() ? *this : subset(positive);
}

std::vector<float> Dataset::weights() const {
  std::vector<float> weights;
  if (!has_weights()) return weights;
  weights.reserve(rows());
  for (std::size_t r = 0; r < rows(); ++r) weights.push_back(weight(r));
  return weights;
}

std::vector<std::int32_t> Dataset::labels() const {
  std::vector<std::int32_t> labels;
  if (!has_labels()) return labels;
  labels.reserve(rows());
  for (const std::uint32_t row : rows_) labels.push_back(parts_->labels[row]);
  return labels;
}

std::vector<std::size_t> Dataset::class_counts() const {
  std::vector<std::size_t> counts(classes());
  for (const std::int32_t label : labels()) ++counts[static_cast<std::size_t>(label)];
  return counts;
}

Dataset Dataset::subset(std::span<const std::uint32_t> rows) const {
  Dataset part(*this);
  part.rows_.clear();
  part.rows_.reserve(rows.size());
  for (const std::uint32_t row : rows) {
    if (row >= rows_.size()) {
      throw Error(Fault::usage, cat("expected row numbers below ", rows_.size(), " in a subset, found ", row));
    }
    part.rows_.push_back(rows_[row]);
  }
  return part;
}

Dataset Dataset::followed_by(const Dataset& other) const {
  if (parts_ != other.parts_) throw Error(Fault::usage, "rows can only be put together when they share their values");
  Dataset both(*this);
  both.rows_.insert(both.rows_.end(), other.rows_.begin(), other.rows_.end());
  return both;
}

void Dataset::copy_columns(std::size_t row, std::span<const std::size_t> columns, float* out) const {
  std::visit([&](const auto& matrix) { copy_row(matrix, rows_[row], columns, out); }, parts_->storage);
}

namespace {

std::vector<std::size_t> numbers_below(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

std::vector<std::size_t> all_features(const Dataset& data) { return numbers_below(data.features()); }
std::vector<std::size_t> all_columns(const Dataset& data) { return numbers_below(data.columns()); }

std::vector<std::vector<std::string>> columns_of_groups(const Dataset& data) {
  const FeatureLayout& layout = data.layout();
  std::vector<std::vector<std::string>> groups;
  if (layout.column_names.empty()) return groups;
  groups.resize(data.features());
  for (std::size_t f = 0; f < groups.size(); ++f) {
    const bool single =
        layout.end(f) - layout.first(f) == 1 && layout.column_names[layout.first(f)] == data.feature_names()[f];
    for (std::size_t c = layout.first(f); c < layout.end(f) && !single; ++c)
      groups[f].push_back(layout.column_names[c]);
  }
  return groups;
}

std::vector<std::size_t> varying_features(const Dataset& data) {
  std::vector<std::size_t> varying =
      std::visit([&](const auto& matrix) { return varying_columns(matrix, data.storage_rows()); }, data.storage());
  if (data.layout().begin.empty()) return varying;
  for (std::size_t& column : varying) column = feature_of(data.layout(), column);
  varying.erase(std::unique(varying.begin(), varying.end()), varying.end());
  return varying;
}

std::vector<std::size_t> constant_features(const Dataset& data) {
  return others(varying_features(data), data.features());
}

}  // namespace obverse
