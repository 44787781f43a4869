#include "backend/cpu/sparse_batch.h"

#include <algorithm>

namespace obverse::cpu {

void SparseBatch::gather(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, const AffineView& scaling) {
  row_begin_.assign(1, 0);
  columns_.clear();
  by_row_.clear();
  column_begin_.assign(matrix.cols + 1, 0);
  for (const std::uint32_t row : rows) {
    for (std::size_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
      const std::uint32_t d = matrix.columns[i];
      columns_.push_back(d);
      by_row_.push_back(matrix.values[i] * scaling.scale[d]);
      ++column_begin_[d + 1];
    }
    row_begin_.push_back(columns_.size());
  }
  const bool centred = std::any_of(scaling.offset.begin(), scaling.offset.end(), [](float x) { return x != 0; });
  offset_ = centred ? scaling.offset : std::span<const float>();

  // The same by columns: rows ascend within each.
  for (std::size_t d = 0; d < matrix.cols; ++d) column_begin_[d + 1] += column_begin_[d];
  rows_.resize(columns_.size());
  by_column_.resize(columns_.size());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::size_t i = row_begin_[r]; i < row_begin_[r + 1]; ++i) {
      const std::size_t place = column_begin_[columns_[i]]++;
      rows_[place] = static_cast<std::uint32_t>(r);
      by_column_[place] = by_row_[i];
    }
  }
  // Every beginning has moved to its end, which is the beginning of the next.
  std::copy_backward(column_begin_.begin(), column_begin_.end() - 1, column_begin_.end());
  column_begin_[0] = 0;
}

}  // namespace obverse::cpu
