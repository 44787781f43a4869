#include "dataset/encoding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <span>

#include "dataset/join.h"
#include "support/dates.h"

namespace obverse {
namespace {

constexpr std::size_t kNoFlag = static_cast<std::size_t>(-1);
// Larger encoded tables are kept sparse where at most so large a share of their values is not zero.
constexpr std::size_t kLargestDense = std::size_t{1} << 26;
constexpr double kSparseShare = 0.25;

using DateNumbers = std::array<double, 5>;

DateNumbers numbers_of(const std::string& date) {
  const DateParts parts = date_parts(iso_date(date).value_or(0));
  return {parts.year, parts.month, parts.weekday, parts.hour, parts.day};
}

const DenseMatrix<float>& values_of(const Dataset& table) { return std::get<DenseMatrix<float>>(table.storage()); }

/// The middle one, the mean of two; 0 where there are none.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// The values that are there.
std::vector<float> present(const Dataset& table, std::size_t column) {
  std::vector<float> values;
  values.reserve(table.rows());
  for (const std::uint32_t row : table.storage_rows()) {
    const float value = values_of(table).row(row)[column];
    if (!std::isnan(value)) values.push_back(value);
  }
  return values;
}

void learn_date(std::span<const float> values, const std::vector<std::string>& levels, ColumnEncoding& encoding) {
  std::array<std::vector<double>, std::tuple_size_v<DateNumbers>> numbers;
  for (const float value : values) {
    const DateNumbers one = numbers_of(levels[static_cast<std::size_t>(value)]);
    for (std::size_t p = 0; p < one.size(); ++p) numbers[p].push_back(one[p]);
  }
  for (std::size_t p = 0; p < numbers.size(); ++p) {
    const std::vector<double>& all = numbers[p];
    const bool varies = std::any_of(all.begin(), all.end(), [&](double x) { return x != all.front(); });
    if (!varies && p + 1 < numbers.size()) continue;
    encoding.date_parts.push_back(p);
    encoding.medians.push_back(median(all));
  }
}

/// The most frequent levels first; of equally frequent ones the first of the table.
void learn_category(std::span<const float> values, const std::vector<std::string>& levels, ColumnEncoding& encoding) {
  std::vector<std::size_t> counts(levels.size());
  for (const float value : values) ++counts[static_cast<std::size_t>(value)];
  std::vector<std::size_t> order(levels.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return counts[a] > counts[b]; });
  encoding.level_flags.assign(levels.size(), kNoFlag);
  for (std::size_t i = 0; i < order.size() && counts[order[i]] > 0; ++i) {
    const std::size_t flag = std::min(i, kMostLevels);
    encoding.level_flags[order[i]] = flag;
    if (flag == encoding.level_names.size())
      encoding.level_names.push_back(flag < kMostLevels ? levels[order[i]] : "other");
  }
  if (encoding.level_names.size() > kMostLevels) {
    std::replace(encoding.level_flags.begin(), encoding.level_flags.end(), kNoFlag, kMostLevels);
  }
  encoding.binary = encoding.level_names.size() + (encoding.missing ? 1U : 0U) == 2;
}

ColumnEncoding learn(const Dataset& table, std::size_t column) {
  const std::vector<float> values = present(table, column);
  ColumnEncoding encoding{.kind = table.layout().kinds[column], .missing = values.size() < table.rows()};
  if (encoding.kind == ColumnKind::category) {
    learn_category(values, table.layout().levels[column], encoding);
  } else if (encoding.kind == ColumnKind::date) {
    learn_date(values, table.layout().levels[column], encoding);
  } else {
    encoding.medians = {median({values.begin(), values.end()})};
  }
  return encoding;
}

/// Writes the encoded columns of one column of the table.
class ColumnWriter {
 public:
  ColumnWriter(const ColumnEncoding& encoding, const std::vector<std::string>& levels) : encoding_(encoding) {
    if (encoding.kind != ColumnKind::date) return;
    dates_.reserve(levels.size());
    for (const std::string& level : levels) dates_.push_back(numbers_of(level));
  }

  /// `out` holds zeros.
  void write(float value, float* out) const {
    if (encoding_.kind == ColumnKind::category) {
      const std::size_t flag = std::isnan(value) ? missing_flag() : flag_of(static_cast<std::size_t>(value));
      const std::size_t left_out = encoding_.binary ? 1 : 0;
      if (flag != kNoFlag && flag >= left_out) out[flag - left_out] = 1;
      return;
    }
    for (std::size_t i = 0; i < encoding_.medians.size(); ++i) {
      const double number = std::isnan(value) ? encoding_.medians[i] : number_of(value, i);
      out[i] = static_cast<float>(number);
    }
    if (encoding_.missing && std::isnan(value)) out[encoding_.medians.size()] = 1;
  }

 private:
  std::size_t missing_flag() const { return encoding_.missing ? encoding_.level_names.size() : kNoFlag; }
  /// Levels of other rows may be more than those of the table that was learned from.
  std::size_t flag_of(std::size_t level) const {
    if (level < encoding_.level_flags.size()) return encoding_.level_flags[level];
    return encoding_.level_names.size() > kMostLevels ? kMostLevels : kNoFlag;
  }
  double number_of(float value, std::size_t i) const {
    if (encoding_.kind != ColumnKind::date) return static_cast<double>(value);
    return dates_[static_cast<std::size_t>(value)][encoding_.date_parts[i]];
  }

  const ColumnEncoding& encoding_;
  std::vector<DateNumbers> dates_;  // (levels)
};

/// Whether the encoded columns are flags.
std::vector<char> flags_of(const ColumnEncoding& encoding) {
  std::vector<char> flags(encoding.columns(), 1);
  std::fill_n(flags.begin(), encoding.medians.size(), char{0});
  return flags;
}

/// The features of a table in their encoded columns.
FeatureLayout encoded_layout(const FeatureLayout& table, std::size_t features,
                             std::span<const ColumnEncoding> columns) {
  FeatureLayout layout;
  layout.begin = {0};
  for (std::size_t f = 0; f < features; ++f) {
    for (std::size_t c = table.first(f); c < table.end(f); ++c) {
      const std::vector<char> flags = flags_of(columns[c]);
      layout.flags.insert(layout.flags.end(), flags.begin(), flags.end());
    }
    layout.begin.push_back(layout.flags.size());
  }
  return layout;
}

/// Rows of a matrix that come one after another.
class RowsWriter {
 public:
  RowsWriter(std::size_t rows, std::size_t columns, bool sparse) : columns_(columns), row_(sparse ? columns : 0) {
    if (sparse) {
      sparse_.emplace();
      sparse_->cols = columns;
      sparse_->row_begin = {0};
    } else {
      dense_ = std::make_shared<float[]>(rows * columns);
      next_ = dense_.get();
    }
  }

  /// Zeros to write the next row to.
  float* row() {
    if (!sparse_) return next_;
    std::fill(row_.begin(), row_.end(), 0.0F);
    return row_.data();
  }
  void end_row() {
    if (!sparse_) {
      next_ += columns_;
      return;
    }
    for (std::size_t c = 0; c < columns_; ++c) {
      if (row_[c] == 0) continue;
      sparse_->columns.push_back(static_cast<std::uint32_t>(c));
      sparse_->values.push_back(row_[c]);
    }
    sparse_->row_begin.push_back(sparse_->columns.size());
  }
  Storage take(std::size_t rows) {
    if (sparse_) return std::move(*sparse_);
    return DenseMatrix<float>{dense_, rows, columns_};
  }

 private:
  std::size_t columns_;
  std::vector<float> row_;
  std::optional<SparseMatrix> sparse_;
  std::shared_ptr<float[]> dense_;
  float* next_ = nullptr;
};

}  // namespace

std::size_t ColumnEncoding::columns() const {
  if (kind != ColumnKind::category) return medians.size() + (missing ? 1 : 0);
  return level_names.size() + (missing ? 1 : 0) - (binary ? 1 : 0);
}

Encoding::Encoding(const Dataset& learned) {
  for (std::size_t c = 0; c < learned.columns(); ++c) columns_.push_back(learn(learned, c));
}

Dataset Encoding::apply(const Dataset& data) const {
  DatasetParts parts = row_parts(data);
  parts.feature_names = data.feature_names();
  parts.layout = encoded_layout(data.layout(), data.features(), columns_);
  const std::size_t width = parts.layout.flags.size();
  std::vector<ColumnWriter> writers;
  writers.reserve(columns_.size());
  for (std::size_t c = 0; c < columns_.size(); ++c) writers.emplace_back(columns_[c], data.layout().levels[c]);
  const bool few = static_cast<double>(columns_.size()) < kSparseShare * static_cast<double>(width);
  RowsWriter rows(data.rows(), width, few && data.rows() > kLargestDense / width);
  for (const std::uint32_t row : data.storage_rows()) {
    float* out = rows.row();
    const std::span<const float> values = values_of(data).row(row);
    for (std::size_t c = 0; c < columns_.size(); out += columns_[c].columns(), ++c) writers[c].write(values[c], out);
    rows.end_row();
  }
  parts.storage = rows.take(data.rows());
  const Dataset all(std::move(parts));
  return data.has_target() ? all : all.without_target();
}

Dataset encoded(const Dataset& data) { return data.is_table() ? Encoding(data).apply(data) : data; }

TrainTest encoded(const TrainTest& split) {
  const auto& [train, test] = split;
  if (!train.is_table()) return split;
  const Encoding encoding(train);
  if (!test.shares_values(train)) return {encoding.apply(train), encoding.apply(test)};
  const Dataset both = encoding.apply(train.followed_by(test));
  std::vector<std::uint32_t> rows(both.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  return {both.subset(std::span(rows).first(train.rows())), both.subset(std::span(rows).subspan(train.rows()))};
}

}  // namespace obverse
