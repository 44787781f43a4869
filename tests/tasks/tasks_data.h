// Data with known truths for every task beside classification.
#pragma once

#include <memory>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "support/random.h"

namespace obverse::test {

/// Columns of independent normal numbers.
inline DatasetParts noise(std::size_t rows, std::size_t features, std::uint64_t seed = 0) {
  RandomStream stream(seed, Purpose::generation);
  auto values = std::make_shared<float[]>(rows * features);
  for (std::size_t i = 0; i < rows * features; ++i) values[i] = static_cast<float>(stream.normal());
  DatasetParts parts;
  parts.storage = DenseMatrix<float>{values, rows, features};
  for (std::size_t d = 0; d < features; ++d) parts.feature_names.push_back(cat("f", d));
  return parts;
}

inline std::span<const float> row_of(const DatasetParts& parts, std::size_t row) {
  return std::get<DenseMatrix<float>>(parts.storage).row(row);
}

/// y = 2 f3 + f7^2, in a scale far from one.
inline Dataset quantities(std::size_t rows = 600) {
  DatasetParts parts = noise(rows, 20);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto x = row_of(parts, r);
    parts.outputs.push_back(1000 + 50 * (2 * x[3] + x[7] * x[7]));
  }
  parts.output_names = {"price"};
  parts.target_name = "price";
  return Dataset(parts);
}

/// Labels of f1 + f2 and of f9.
inline Dataset labels(std::size_t rows = 600) {
  DatasetParts parts = noise(rows, 20);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto x = row_of(parts, r);
    parts.outputs.push_back(x[1] + x[2] > 0 ? 1.0F : 0.0F);
    parts.outputs.push_back(x[9] > 0.5F ? 1.0F : 0.0F);
  }
  parts.output_names = {"red", "green"};
  parts.target_name = "red, green";
  parts.multilabel = true;
  return Dataset(parts);
}

/// f0 and f1 are behind f2 .. f11, all else is noise.
inline Dataset copies(std::size_t rows = 600) {
  DatasetParts parts = noise(rows, 20);
  auto values = std::make_shared<float[]>(rows * 20);
  for (std::size_t r = 0; r < rows; ++r) {
    const auto x = row_of(parts, r);
    for (std::size_t d = 0; d < 20; ++d) {
      values[r * 20 + d] = d >= 2 && d < 12 ? x[d % 2] + 0.3F * x[d] : x[d];
    }
  }
  parts.storage = DenseMatrix<float>{values, rows, 20};
  return Dataset(parts);
}

}  // namespace obverse::test
