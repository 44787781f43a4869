// Small data sets with classes in turn.
#pragma once

#include <memory>
#include <utility>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "support/random.h"

namespace obverse {

struct SampleOptions {
  std::size_t rows = 60;
  std::size_t features = 3;
  std::size_t classes = 2;
};

/// Row r is of class r modulo the classes. The first feature is the class, all others are none of its business.
inline DatasetParts parts_of(const SampleOptions& options) {
  auto values = std::make_shared<float[]>(options.rows * options.features);
  DatasetParts parts;
  for (std::size_t r = 0; r < options.rows; ++r) {
    parts.labels.push_back(static_cast<std::int32_t>(r % options.classes));
    values[r * options.features] = static_cast<float>(r % options.classes);
    for (std::size_t f = 1; f < options.features; ++f) {
      values[r * options.features + f] = static_cast<float>((r / options.classes) * (f + 3) % 11);
    }
  }
  parts.storage = DenseMatrix<float>{values, options.rows, options.features};
  for (std::size_t f = 0; f < options.features; ++f) parts.feature_names.push_back(cat("f", f + 1));
  for (std::size_t c = 0; c < options.classes; ++c) parts.class_names.push_back(cat("class ", c + 1));
  parts.target_name = "kind";
  return parts;
}

inline Dataset labelled(const SampleOptions& options) { return Dataset(parts_of(options)); }

/// Noise, but for two features that shift in the rare class: one row in `every`.
inline Dataset rare_class(std::size_t rows, std::size_t every) {
  constexpr std::size_t kFeatures = 12;
  auto values = std::make_shared<float[]>(rows * kFeatures);
  DatasetParts parts;
  RandomStream random(5, Purpose::sampling);
  for (std::size_t r = 0; r < rows; ++r) {
    const bool rare = r % every == 0;
    parts.labels.push_back(rare ? 1 : 0);
    for (std::size_t f = 0; f < kFeatures; ++f) {
      values[r * kFeatures + f] = static_cast<float>(random.normal() + (rare && f < 2 ? 2.5 : 0));
    }
  }
  parts.storage = DenseMatrix<float>{values, rows, kFeatures};
  for (std::size_t f = 0; f < kFeatures; ++f) parts.feature_names.push_back(cat("f", f + 1));
  parts.class_names = {"well", "ill"};
  parts.target_name = "state";
  return Dataset(std::move(parts));
}

}  // namespace obverse
