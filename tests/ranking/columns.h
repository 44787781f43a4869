// Columns of numbers as data sets of every storage.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>

namespace obverse::test {

using Columns = std::vector<std::vector<float>>;

inline Dataset dataset_of(Storage storage, std::size_t features, std::size_t rows) {
  std::vector<std::string> names;
  for (std::size_t f = 0; f < features; ++f) names.push_back(cat("f", f));
  std::vector<std::int32_t> labels(rows);
  for (std::size_t r = 0; r < rows; ++r) labels[r] = static_cast<std::int32_t>(r % 2);
  return Dataset({.storage = std::move(storage),
                  .feature_names = std::move(names),
                  .labels = std::move(labels),
                  .class_names = {"a", "b"},
                  .target_name = "class",
                  .image_shape = {}});
}

template <class T>
Dataset dense(const Columns& columns) {
  const std::size_t rows = columns.front().size();
  const std::shared_ptr<T[]> values(new T[rows * columns.size()]);
  for (std::size_t f = 0; f < columns.size(); ++f) {
    for (std::size_t r = 0; r < rows; ++r) values[r * columns.size() + f] = static_cast<T>(columns[f][r]);
  }
  return dataset_of(DenseMatrix<T>{values, rows, columns.size()}, columns.size(), rows);
}

/// The zeros of every other row of feature 0 are stored, as a file may do.
inline Dataset sparse(const Columns& columns) {
  const std::size_t rows = columns.front().size();
  SparseMatrix matrix;
  matrix.cols = columns.size();
  matrix.row_begin.push_back(0);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t f = 0; f < columns.size(); ++f) {
      if (columns[f][r] == 0 && (f > 0 || r % 2 == 1)) continue;
      matrix.columns.push_back(static_cast<std::uint32_t>(f));
      matrix.values.push_back(columns[f][r]);
    }
    matrix.row_begin.push_back(matrix.values.size());
  }
  return dataset_of(std::move(matrix), columns.size(), rows);
}

/// The same columns in all three storages.
inline std::vector<Dataset> storages(const Columns& columns) {
  return {dense<float>(columns), dense<std::uint8_t>(columns), sparse(columns)};
}

}  // namespace obverse::test
