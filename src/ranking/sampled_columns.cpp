#include "ranking/sampled_columns.h"

#include <algorithm>
#include <numeric>
#include <span>

#include "dataset/flushed.h"
#include "support/random.h"

namespace obverse {
namespace {

constexpr std::uint64_t kStream = 1;  // of the random numbers for sampling; others take 0

Dataset sampled(const Dataset& data, std::uint64_t seed) {
  if (data.rows() <= kMostSampledRows) return data;
  std::vector<std::uint32_t> rows(data.rows());
  std::iota(rows.begin(), rows.end(), 0U);
  RandomStream(seed, Purpose::sampling, kStream).shuffle(std::span(rows));
  rows.resize(kMostSampledRows);
  std::sort(rows.begin(), rows.end());
  return data.subset(rows);
}

template <class T>
void copy_columns(const DenseMatrix<T>& matrix, std::span<const std::uint32_t> rows, std::size_t first,
                  std::size_t count, float* out) {
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto row = matrix.row(rows[r]).subspan(first, count);
    for (std::size_t c = 0; c < count; ++c) out[c * rows.size() + r] = static_cast<float>(flushed(row[c]));
  }
}

}  // namespace

SampledColumns::SampledColumns(const Dataset& data, std::uint64_t seed) : data_(sampled(data, seed)) {
  if (const auto* matrix = std::get_if<SparseMatrix>(&data_.storage())) turn_round(*matrix);
}

void SampledColumns::turn_round(const SparseMatrix& matrix) {
  const std::span<const std::uint32_t> rows = data_.storage_rows();
  begin_.assign(matrix.cols + 1, 0);
  for (const std::uint32_t r : rows) {
    for (std::size_t i = matrix.row_begin[r]; i < matrix.row_begin[r + 1]; ++i) ++begin_[matrix.columns[i] + 1];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  numbers_.resize(begin_.back());
  values_.resize(begin_.back());
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = matrix.row_begin[rows[row]]; i < matrix.row_begin[rows[row] + 1]; ++i) {
      const std::size_t at = next[matrix.columns[i]]++;
      numbers_[at] = static_cast<std::uint32_t>(row);
      values_[at] = flushed(matrix.values[i]);
    }
  }
}

void SampledColumns::copy(std::size_t first, std::size_t count, float* out) const {
  const std::span<const std::uint32_t> rows = data_.storage_rows();
  const FeatureLayout& layout = data_.layout();
  if (!layout.begin.empty() && (count > 1 || layout.end(first) - layout.first(first) > 1)) {
    if (count == 1) return static_cast<void>(std::fill_n(out, rows.size(), 0.0F));
    for (std::size_t f = 0; f < count; ++f) copy(first + f, 1, out + f * rows.size());
    return;
  }
  first = layout.first(first);
  if (const auto* floats = std::get_if<DenseMatrix<float>>(&data_.storage())) {
    return copy_columns(*floats, rows, first, count, out);
  }
  if (const auto* bytes = std::get_if<DenseMatrix<std::uint8_t>>(&data_.storage())) {
    return copy_columns(*bytes, rows, first, count, out);
  }
  std::fill_n(out, count * rows.size(), 0.0F);
  for (std::size_t c = 0; c < count; ++c) {
    for (std::size_t i = begin_[first + c]; i < begin_[first + c + 1]; ++i) {
      out[c * rows.size() + numbers_[i]] = values_[i];
    }
  }
}

}  // namespace obverse
