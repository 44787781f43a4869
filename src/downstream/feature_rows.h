// Some features of the rows of a data set, side by side, from any storage.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <obverse/dataset.h>

#include "backend/ops.h"

namespace obverse {

/// Refers to the data set; keeps its own list of features.
class FeatureRows {
 public:
  /// Without a map, values are as they are stored.
  FeatureRows(const Dataset& data, std::span<const std::size_t> features, const Affine* scaling);

  std::size_t rows() const { return data_.rows(); }
  std::size_t features() const { return features_.size(); }

  /// Row r, (features), seen through the map.
  void copy(std::size_t r, float* out) const;
  /// Row r of a storage of bytes, (features), as it is.
  void copy(std::size_t r, std::uint8_t* out) const;

 private:
  void copy_stored(const SparseMatrix& matrix, std::size_t row, float* out) const;

  const Dataset& data_;
  std::vector<std::size_t> features_;
  std::vector<float> scale_, offset_;                               // (features)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ascending_;  // column and place among the features; sparse only
};

}  // namespace obverse
