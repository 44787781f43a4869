// Dense rows are picked by column. A sparse row and the ascending features are walked together.
#include "downstream/feature_rows.h"

#include <algorithm>

namespace obverse {

FeatureRows::FeatureRows(const Dataset& data, std::span<const std::size_t> features, const Affine* scaling)
    : data_(data), features_(features.begin(), features.end()) {
  for (const std::size_t feature : features_) {
    scale_.push_back(scaling == nullptr ? 1.0F : scaling->scale[feature]);
    offset_.push_back(scaling == nullptr ? 0.0F : scaling->offset[feature]);
  }
  if (!std::holds_alternative<SparseMatrix>(data.storage())) return;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    ascending_.emplace_back(static_cast<std::uint32_t>(features_[i]), static_cast<std::uint32_t>(i));
  }
  std::sort(ascending_.begin(), ascending_.end());
}

void FeatureRows::copy(std::size_t r, float* out) const {
  const std::size_t row = data_.storage_rows()[r];
  if (const auto* sparse = std::get_if<SparseMatrix>(&data_.storage())) return copy_stored(*sparse, row, out);
  const auto pick = [&](const auto* values) {
    for (std::size_t i = 0; i < features_.size(); ++i) {
      out[i] = static_cast<float>(values[features_[i]]) * scale_[i] + offset_[i];
    }
  };
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&data_.storage())) {
    pick(floats->row(row).data());
  } else {
    pick(std::get<DenseMatrix<std::uint8_t>>(data_.storage()).row(row).data());
  }
}

void FeatureRows::copy(std::size_t r, std::uint8_t* out) const {
  const auto& matrix = std::get<DenseMatrix<std::uint8_t>>(data_.storage());
  const std::uint8_t* values = matrix.row(data_.storage_rows()[r]).data();
  for (std::size_t i = 0; i < features_.size(); ++i) out[i] = values[features_[i]];
}

void FeatureRows::copy_stored(const SparseMatrix& matrix, std::size_t row, float* out) const {
  std::copy(offset_.begin(), offset_.end(), out);  // what a value of zero becomes
  auto feature = ascending_.begin();
  for (std::size_t i = matrix.row_begin[row]; i < matrix.row_begin[row + 1]; ++i) {
    while (feature != ascending_.end() && feature->first < matrix.columns[i]) ++feature;
    for (; feature != ascending_.end() && feature->first == matrix.columns[i]; ++feature) {
      out[feature->second] = matrix.values[i] * scale_[feature->second] + offset_[feature->second];
    }
  }
}

}  // namespace obverse
