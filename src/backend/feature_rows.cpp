// Dense rows are picked by column. A sparse row and the ascending features are walked together.
#include "backend/feature_rows.h"

#include <algorithm>
#include <type_traits>

namespace obverse {

namespace {

constexpr std::size_t kRowsTogether = 96;  // copied by one thread

}  // namespace

FeatureRows::FeatureRows(const Dataset& data, std::span<const std::size_t> features, const AffineView& scaling)
    : data_(data), features_(features.begin(), features.end()) {
  for (const std::size_t feature : features_) {
    scale_.push_back(scaling.scale.empty() ? 1.0F : scaling.scale[feature]);
    offset_.push_back(scaling.offset.empty() ? 0.0F : scaling.offset[feature]);
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

template <class Value>
std::vector<Value> FeatureRows::copy_all(std::size_t width, Team& team) const {
  std::vector<Value> values(rows() * width);
  team.run((rows() + kRowsTogether - 1) / kRowsTogether, [&](std::size_t block) {
    const std::size_t end = std::min(rows(), (block + 1) * kRowsTogether);
    for (std::size_t r = block * kRowsTogether; r < end; ++r) {
      const std::span<Value> row(values.data() + r * width, width);
      copy(r, row.data());
      // The sum is zero where the processor would take a number too small for normal form as zero.
      if constexpr (std::is_same_v<Value, float>) std::for_each(row.begin(), row.end(), [](float& x) { x += 0.0F; });
    }
  });
  return values;
}
template std::vector<float> FeatureRows::copy_all(std::size_t width, Team& team) const;
template std::vector<std::uint8_t> FeatureRows::copy_all(std::size_t width, Team& team) const;

}  // namespace obverse
