// Small tables of numbers and the storages they can have.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>

namespace obverse::test {

/// (rows, cols)
struct Table {
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::vector<float> values = {};

  float& at(std::size_t r, std::size_t d) { return values[r * cols + d]; }
};

template <class T>
DenseMatrix<T> dense_matrix(const Table& table) {
  auto values = std::make_shared<T[]>(table.values.size());
  std::transform(table.values.begin(), table.values.end(), values.get(), [](float x) { return static_cast<T>(x); });
  return {values, table.rows, table.cols};
}

inline SparseMatrix sparse_matrix(const Table& table) {
  SparseMatrix matrix{{0}, {}, {}, table.cols};
  for (std::size_t i = 0; i < table.values.size(); ++i) {
    if (table.values[i] != 0) {
      matrix.columns.push_back(static_cast<std::uint32_t>(i % table.cols));
      matrix.values.push_back(table.values[i]);
    }
    if ((i + 1) % table.cols == 0) matrix.row_begin.push_back(matrix.columns.size());
  }
  return matrix;
}

inline Dataset dataset(Storage storage, std::size_t cols) {
  DatasetParts parts;
  parts.storage = std::move(storage);
  for (std::size_t d = 0; d < cols; ++d) parts.feature_names.push_back(cat("f", d));
  return Dataset(std::move(parts));
}

/// The numbers of all features.
inline std::vector<std::size_t> all(std::size_t cols) {
  std::vector<std::size_t> features(cols);
  std::iota(features.begin(), features.end(), std::size_t{0});
  return features;
}

}  // namespace obverse::test
