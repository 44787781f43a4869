// A batch of sparse rows as it is: products with it go by its entries, and nothing of the size (B,D) is ever formed.
//   x_bd = offset_d + e_bd, where e has entries for the stored values alone, so that
//   X A = E A + 1 (offset' A)     X' G = E' G + offset (1' G)
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "backend/ops.h"

namespace obverse::cpu {

/// Entries of one row or one column of the batch: x at the column, or the row, of the same number.
struct Entries {
  std::span<const std::uint32_t> at;
  std::span<const float> values;
};

class SparseBatch {
 public:
  /// The given rows of the storage, seen through the map.
  void gather(const SparseMatrix& matrix, std::span<const std::uint32_t> rows, const AffineView& scaling);

  Entries row(std::size_t r) const { return entries(row_begin_, columns_, by_row_, r); }
  Entries column(std::size_t d) const { return entries(column_begin_, rows_, by_column_, d); }
  /// (D) what a zero becomes; none where zeros stay zeros.
  std::span<const float> offset() const { return offset_; }

 private:
  static Entries entries(const std::vector<std::size_t>& begin, const std::vector<std::uint32_t>& at,
                         const std::vector<float>& values, std::size_t i) {
    const std::size_t count = begin[i + 1] - begin[i];
    return {std::span(at).subspan(begin[i], count), std::span(values).subspan(begin[i], count)};
  }

  std::vector<std::size_t> row_begin_;     // (B+1)
  std::vector<std::uint32_t> columns_;     // (entries)
  std::vector<float> by_row_;              // (entries)
  std::vector<std::size_t> column_begin_;  // (D+1)
  std::vector<std::uint32_t> rows_;        // (entries)
  std::vector<float> by_column_;           // (entries)
  std::span<const float> offset_;          // (D) or none
};

}  // namespace obverse::cpu
