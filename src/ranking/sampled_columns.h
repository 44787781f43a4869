// The columns of some random rows, out of any storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// More rows would hardly change how similar two columns look.
inline constexpr std::size_t kMostSampledRows = 2000;

class SampledColumns {
 public:
  /// All rows, or kMostSampledRows of them by the seed.
  SampledColumns(const Dataset& data, std::uint64_t seed);

  std::size_t rows() const { return data_.rows(); }
  std::size_t features() const { return data_.features(); }
  /// (count, rows) values of the features from `first` on: those of the only column of each, of a table with the
  /// numbers of levels and NaN; zeros for a feature of several columns, which is similar to none.
  void copy(std::size_t first, std::size_t count, float* out) const;

 private:
  void turn_round(const SparseMatrix& matrix);

  Dataset data_;  // the sampled rows
  // Of sparse rows, column by column.
  std::vector<std::size_t> begin_;  // (D + 1)
  std::vector<std::uint32_t> numbers_;
  std::vector<float> values_;
};

}  // namespace obverse
