// The same numbers in every storage, and the scores of a baseline on them.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "baselines/baselines.h"
#include "reference/reference.h"

namespace obverse::test {

/// A data set before its storage is chosen: values (rows, features), row major.
struct Numbers {
  std::vector<float> values;
  std::vector<std::int32_t> labels;

  std::size_t features() const { return values.size() / labels.size(); }
};

inline Numbers numbers_of(const Reference& reference, const std::string& name) {
  return {reference.floats(name + ".X"), reference.integers<std::int32_t>(name + ".y")};
}

inline Dataset dataset_of(const Numbers& numbers, Storage storage) {
  DatasetParts parts;
  parts.storage = std::move(storage);
  for (std::size_t d = 0; d < numbers.features(); ++d) parts.feature_names.push_back(cat("f", d));
  parts.labels = numbers.labels;
  const std::int32_t classes = 1 + *std::max_element(numbers.labels.begin(), numbers.labels.end());
  for (std::int32_t c = 0; c < classes; ++c) parts.class_names.push_back(cat(c));
  parts.target_name = "class";
  return Dataset(std::move(parts));
}

template <class T>
Dataset dense(const Numbers& numbers) {
  const std::shared_ptr<T[]> copy(new T[numbers.values.size()]);
  std::transform(numbers.values.begin(), numbers.values.end(), copy.get(), [](float x) { return static_cast<T>(x); });
  return dataset_of(numbers, DenseMatrix<T>{copy, numbers.labels.size(), numbers.features()});
}

/// Every other zero of the first feature is stored, as a file may do.
inline Dataset sparse(const Numbers& numbers) {
  SparseMatrix matrix;
  matrix.cols = numbers.features();
  matrix.row_begin.push_back(0);
  for (std::size_t i = 0; i < numbers.values.size(); ++i) {
    const std::size_t column = i % matrix.cols;
    if (numbers.values[i] != 0 || (column == 0 && i / matrix.cols % 2 == 0)) {
      matrix.columns.push_back(static_cast<std::uint32_t>(column));
      matrix.values.push_back(numbers.values[i]);
    }
    if (column + 1 == matrix.cols) matrix.row_begin.push_back(matrix.values.size());
  }
  return dataset_of(numbers, std::move(matrix));
}

using Scores = std::vector<double> (*)(const Dataset&, const BaselineOptions&, Team&);

inline std::vector<double> scores_of(Scores scores, const Dataset& data, std::size_t threads = 2, std::size_t k = 4) {
  Team team(threads);
  return scores(data, {.k = k, .seed = 3}, team);
}

}  // namespace obverse::test
