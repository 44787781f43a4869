// Dense rows are gathered in blocks of columns, sparse rows are turned around once: neither is ever made dense.
#include "baselines/columns.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace obverse {
namespace {

using Body = std::function<void(std::size_t number, const Column& column)>;

constexpr std::size_t kLine = 64;                           // bytes of a row that are fetched together
constexpr std::size_t kBlockValues = std::size_t{1} << 23;  // most values gathered by a thread: 64 MB with their rows
constexpr std::size_t kSparseBlock = 64;                    // columns of one task

template <class T>
void each_of(const DenseMatrix<T>& matrix, std::span<const std::uint32_t> rows, Team& team, const Body& body) {
  const std::size_t N = rows.size();
  const std::size_t width = std::clamp<std::size_t>(kBlockValues / N, 1, kLine / sizeof(T));
  team.run((matrix.cols + width - 1) / width, [&](std::size_t block) {
    const std::size_t first = block * width;
    const std::size_t count = std::min(width, matrix.cols - first);
    const auto numbers = std::make_unique_for_overwrite<std::uint32_t[]>(count * N);
    const auto values = std::make_unique_for_overwrite<float[]>(count * N);
    std::vector<std::size_t> used(count);
    for (std::size_t r = 0; r < N; ++r) {
      const auto row = matrix.row(rows[r]).subspan(first, count);
      for (std::size_t c = 0; c < count; ++c) {
        if (row[c] == 0) continue;
        const std::size_t at = c * N + used[c]++;
        numbers[at] = static_cast<std::uint32_t>(r);
        values[at] = static_cast<float>(row[c]);
      }
    }
    for (std::size_t c = 0; c < count; ++c) {
      body(first + c, {{numbers.get() + c * N, used[c]}, {values.get() + c * N, used[c]}, N - used[c]});
    }
  });
}

/// Sparse rows turned around.
class SparseColumns {
 public:
  SparseColumns(const SparseMatrix& matrix, std::span<const std::uint32_t> rows)
      : rows_(rows.size()), begin_(matrix.cols + 1) {
    const auto each_value = [&](auto&& visit) {
      for (std::size_t r = 0; r < rows.size(); ++r) {
        for (std::size_t i = matrix.row_begin[rows[r]]; i < matrix.row_begin[rows[r] + 1]; ++i) {
          if (matrix.values[i] != 0) visit(static_cast<std::uint32_t>(r), matrix.columns[i], matrix.values[i]);
        }
      }
    };
    each_value([&](std::uint32_t, std::uint32_t column, float) { ++begin_[column + 1]; });
    for (std::size_t c = 0; c < matrix.cols; ++c) begin_[c + 1] += begin_[c];
    numbers_.resize(begin_.back());
    values_.resize(begin_.back());
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    each_value([&](std::uint32_t row, std::uint32_t column, float value) {
      numbers_[next[column]] = row;
      values_[next[column]++] = value;
    });
  }

  Column operator[](std::size_t c) const {
    const std::size_t used = begin_[c + 1] - begin_[c];
    return {std::span(numbers_).subspan(begin_[c], used), std::span(values_).subspan(begin_[c], used), rows_ - used};
  }

 private:
  std::size_t rows_;
  std::vector<std::size_t> begin_;  // (columns + 1)
  std::vector<std::uint32_t> numbers_;
  std::vector<float> values_;
};

void each_of(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, Team& team, const Body& body) {
  const SparseColumns columns(matrix, rows);
  team.run((matrix.cols + kSparseBlock - 1) / kSparseBlock, [&](std::size_t block) {
    const std::size_t end = std::min(matrix.cols, (block + 1) * kSparseBlock);
    for (std::size_t c = block * kSparseBlock; c < end; ++c) body(c, columns[c]);
  });
}

/// A few columns of dense rows; they take the memory of what is not zero.
template <class T>
class DenseReader {
 public:
  DenseReader(const DenseMatrix<T>& matrix, std::span<const std::uint32_t> rows) : matrix_(matrix), rows_(rows) {}

  std::span<const Column> read(std::size_t first, std::size_t count) {
    numbers_.resize(std::max(numbers_.size(), count));
    values_.resize(numbers_.size());
    for (std::size_t c = 0; c < count; ++c) {
      numbers_[c].clear();
      values_[c].clear();
    }
    for (std::size_t r = 0; r < rows_.size(); ++r) {
      const auto row = matrix_.row(rows_[r]).subspan(first, count);
      for (std::size_t c = 0; c < count; ++c) {
        if (row[c] == 0) continue;
        numbers_[c].push_back(static_cast<std::uint32_t>(r));
        values_[c].push_back(static_cast<float>(row[c]));
      }
    }
    columns_.clear();
    for (std::size_t c = 0; c < count; ++c) {
      columns_.push_back({numbers_[c], values_[c], rows_.size() - values_[c].size()});
    }
    return columns_;
  }

 private:
  const DenseMatrix<T>& matrix_;
  std::span<const std::uint32_t> rows_;
  std::vector<std::vector<std::uint32_t>> numbers_;
  std::vector<std::vector<float>> values_;
  std::vector<Column> columns_;
};

class SparseReader {
 public:
  explicit SparseReader(const SparseColumns& all) : all_(all) {}

  std::span<const Column> read(std::size_t first, std::size_t count) {
    columns_.clear();
    for (std::size_t c = first; c < first + count; ++c) columns_.push_back(all_[c]);
    return columns_;
  }

 private:
  const SparseColumns& all_;
  std::vector<Column> columns_;
};

}  // namespace

bool is_constant(const Column& column) {
  if (column.values.empty()) return true;
  const float first = column.values.front();
  return column.zeros == 0 &&
         std::all_of(column.values.begin(), column.values.end(), [first](float value) { return value == first; });
}

RowWeights::RowWeights(const Dataset& data) : total_(static_cast<double>(data.rows())) {
  if (!data.has_weights()) return;
  double sum = 0;
  for (std::size_t r = 0; r < data.rows(); ++r) sum += static_cast<double>(data.weight(r));
  const double rows = total_;
  total_ = 0;
  mean_square_ = 0;
  for (std::size_t r = 0; r < data.rows(); ++r) {
    weights_.push_back(static_cast<double>(data.weight(r)) * rows / sum);
    total_ += weights_.back();
    mean_square_ += weights_.back() * weights_.back() / rows;
  }
}

double RowWeights::of_zeros(const Column& column) const {
  if (column.zeros == 0 || weights_.empty()) return static_cast<double>(column.zeros);
  double others = 0;
  for (const std::uint32_t row : column.rows) others += weights_[row];
  return std::max(0.0, total_ - others);
}

void each_column(const Dataset& data, Team& team, const Body& body) {
  std::visit([&](const auto& matrix) { each_of(matrix, data.storage_rows(), team, body); }, data.storage());
}

void each_feature(const Dataset& data, Team& team,
                  const std::function<void(std::size_t feature, const ColumnReader& read)>& body) {
  const auto run = [&](const auto& make_reader) {
    team.run(data.features(), [&](std::size_t feature) {
      auto reader = make_reader();
      body(feature, [&](std::size_t first, std::size_t count) { return reader.read(first, count); });
    });
  };
  if (const auto* sparse = std::get_if<SparseMatrix>(&data.storage())) {
    const SparseColumns columns(*sparse, data.storage_rows());
    run([&] { return SparseReader(columns); });
  } else if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data.storage())) {
    run([&] { return DenseReader<std::uint8_t>(*bytes, data.storage_rows()); });
  } else {
    const auto& floats = std::get<DenseMatrix<float>>(data.storage());
    run([&] { return DenseReader<float>(floats, data.storage_rows()); });
  }
}

}  // namespace obverse
