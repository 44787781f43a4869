// Columns of matrices in another order, some of them perhaps left out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include <obverse/dataset.h>

#include "readers/numbers.h"

namespace obverse {

/// The given columns, in their order.
template <class T>
DenseMatrix<T> select(const DenseMatrix<T>& matrix, const std::vector<std::size_t>& columns) {
  auto values = std::make_shared_for_overwrite<T[]>(matrix.rows * columns.size());
  T* out = values.get();
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    const auto row = matrix.row(r);
    for (const std::size_t c : columns) *out++ = row[c];
  }
  return {std::move(values), matrix.rows, columns.size()};
}

/// Gives each entry the column that `place` has for its own, or leaves it out. Takes memory for the entries alone.
template <class Place>
SparseMatrix moved(const SparseMatrix& matrix, std::size_t cols, const Place& place) {
  std::unordered_map<std::uint32_t, std::optional<std::size_t>> known;
  SparseMatrix moved;
  moved.cols = cols;
  moved.row_begin = {0};
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    for (std::size_t i = matrix.row_begin[r]; i < matrix.row_begin[r + 1]; ++i) {
      const auto [it, added] = known.try_emplace(matrix.columns[i]);
      if (added) it->second = place(matrix.columns[i]);
      if (!it->second) continue;
      moved.columns.push_back(static_cast<std::uint32_t>(*it->second));
      moved.values.push_back(matrix.values[i]);
    }
    moved.row_begin.push_back(moved.columns.size());
  }
  sort_rows(moved);
  return moved;
}

/// The kinds and levels of the given columns, in their order.
inline FeatureLayout select(const FeatureLayout& layout, const std::vector<std::size_t>& columns) {
  FeatureLayout selected;
  if (!layout.is_table()) return selected;
  for (const std::size_t c : columns) {
    selected.kinds.push_back(layout.kinds[c]);
    selected.levels.push_back(layout.levels[c]);
  }
  return selected;
}

}  // namespace obverse
