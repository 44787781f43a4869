// Some features of the rows of a data set, side by side, from any storage.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <obverse/dataset.h>

#include "backend/affine.h"
#include "support/team.h"

namespace obverse {

/// Refers to the data set; keeps its own list of features.
class FeatureRows {
 public:
  FeatureRows(const Dataset& data, std::span<const std::size_t> features, const AffineView& scaling);

  std::size_t rows() const { return data_.rows(); }
  std::size_t features() const { return features_.size(); }

  /// Row r, (features), seen through the map.
  void copy(std::size_t r, float* out) const;
  /// Row r of a storage of bytes, (features), as it is.
  void copy(std::size_t r, std::uint8_t* out) const;
  /// All of them, float or bytes, (rows, width) with zeros behind the features. Numbers too small for normal form are
  /// zeros.
  template <class Value>
  std::vector<Value> copy_all(std::size_t width, Team& team) const;

 private:
  void copy_stored(const SparseMatrix& matrix, std::size_t row, float* out) const;

  const Dataset& data_;
  std::vector<std::size_t> features_;
  std::vector<float> scale_, offset_;                               // (features)
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ascending_;  // column and place among the features; sparse only
};

}  // namespace obverse
