// Rows as linear models see them: some features, scaled and centred, and a last column of ones for the intercept. They
// are known by their products alone, so that sparse rows stay sparse:
//   x_rd = e_rd + z_d     e: scale * value, with entries for the stored values alone     z: what a value of zero
//   becomes X V = E V + 1 (z' V)     X' R = E' R + z (1' R)
// N rows, D columns with that of the intercept, O outputs.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include <obverse/dataset.h>

#include "dataset/scaling.h"
#include "support/team.h"

namespace obverse {

/// How the products of dense rows are taken; those of sparse rows are always exact.
enum class Products {
  exact,  ///< in double
  fast    ///< in float32, a few rows at a time, and their sums in double
};

/// What a linear model sees of a column: x * scale + shift. The last is that of the intercept, 0 and 1.
struct ColumnMap {
  std::vector<double> scale;
  std::vector<double> shift;
};

/// Refers to the data set. No product depends on the size of the team.
class LinearRows {
 public:
  /// `map` has a column for each feature and that of the intercept.
  LinearRows(const Dataset& data, std::span<const std::size_t> features, ColumnMap map);
  /// As training rows: seen through the scaling, then centred by the weighted means, which moves nothing but the
  /// intercept and keeps the digits of columns far from zero. Dense rows of up to 1 GB are copied once, not in each
  /// product.
  LinearRows(const Dataset& data, std::span<const std::size_t> features, const Affine& scaling,
             std::span<const double> weights, Team& team);

  std::size_t rows() const { return data_.rows(); }
  std::size_t columns() const { return map_.scale.size(); }
  const ColumnMap& map() const { return map_; }

  /// out (N,O) = X v     v: (D,O); rows before `begin` are left out.
  void multiply(std::span<const double> v, std::size_t O, std::span<double> out, Team& team,
                std::size_t begin = 0) const;
  /// out (D,O) = X' r     r: (N,O); columns before `begin` are left out.
  void multiply_transposed(std::span<const double> r, std::size_t O, std::span<double> out, Team& team,
                           std::size_t begin = 0) const;
  /// Makes r of u = X v for some rows, (rows,O) in place; called once for each row, from all threads.
  using Between = std::function<void(std::size_t first, std::span<double> u)>;
  /// out (D,O) = X' r with r of X v, while the rows are at hand     v: (D,O)
  void multiply_both(std::span<const double> v, std::size_t O, const Between& between, std::span<double> out,
                     Team& team, Products products) const;
  /// out (D,O) = (X * X)' r, each value squared     r: (N,O)
  void multiply_squares(std::span<const double> r, std::size_t O, std::span<double> out, Team& team) const;

  /// Row r, (D).
  void copy_row(std::size_t r, float* out) const;
  /// Columns [first, first + count), (N,count).
  void copy_columns(std::size_t first, std::size_t count, std::span<double> out, Team& team) const;

 private:
  // Entries e of the lines, by row or by column.
  struct Entries {
    std::vector<std::size_t> begin;  // (lines + 1)
    std::vector<std::uint32_t> at;   // column, or row
    std::vector<float> values;
  };

  // Some dense rows side by side, (rows, width) with zeros behind D: of the copy, or made for the purpose.
  struct Block {
    const float* values;
    std::vector<float> scratch;
  };

  bool is_sparse() const { return !by_row_.begin.empty(); }
  void gather_entries();
  Block block(std::size_t first, std::size_t rows) const;
  void multiply_entries(std::span<const double> v, std::span<const double> of_zeros, std::size_t first,
                        std::size_t count, double* to) const;
  void multiply_fast(std::span<const double> v, std::size_t O, const Between& between, std::span<double> out,
                     Team& team) const;
  template <class Add>
  void sum_groups(std::size_t size, std::span<double> out, Team& team, const Add& add) const;
  template <class Value>
  void sum_entries(std::span<const double> r, std::size_t O, std::span<double> out, Team& team, std::size_t begin,
                   const Value& value) const;

  const Dataset& data_;
  std::vector<std::size_t> features_;
  ColumnMap map_;
  std::size_t width_;        // of a dense row: D and some zeros, as the products of the backend want it
  std::vector<float> kept_;  // (N,width) or none
  Entries by_row_, by_column_;
};

}  // namespace obverse
