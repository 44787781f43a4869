// Columns as small whole numbers, and the mutual information of such columns.
//   I(a;b) = sum_ij n_ij/N log( N n_ij / (n_i n_j) )          natural logarithm, n counts of rows, or sums of their
//   weights
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "baselines/columns.h"

namespace obverse {

/// A column in bins 0 .. count-1, ascending with the values and none of them empty. Columns that are mostly zero keep
/// the rows of the others only.
struct BinnedColumn {
  std::vector<std::uint32_t> rows;  ///< empty: `bins` has an entry for every row
  std::vector<std::uint8_t> bins;
  std::uint8_t zero_bin = 0;
  std::size_t count = 0;
};

/// A column with few distinct values has a bin for each: at most 256, and at most one for each 100 rows, though 16 are
/// always few. Others have 16 bins of about equally many rows, equal values in one bin: the middle one of the ranks of
/// a value decides.
///
/// A feature of V bins and a class of C that have nothing in common still show (V-1)(C-1)/2N nats of mutual information
/// on N rows. With a hundred rows to a bin that is under (C-1)/200 whatever the column, so that columns of many values
/// are not preferred to columns of few; 16 bins follow a relation through several turns, and the 256 cells of two
/// features hold four rows each at a thousand rows. Weights move no bin.
BinnedColumn binned(const Column& column);

/// What binned columns are compared with: the number of each row, and how many rows have each number.
struct Variable {
  std::vector<std::uint32_t> numbers;  ///< (N)
  std::vector<std::uint32_t> counts;
};

Variable variable_of(std::span<const std::int32_t> labels, std::size_t classes);
Variable variable_of(const BinnedColumn& column, std::size_t rows);

/// n log n for n = 0 .. rows: all that the entropy of counts is made of.
std::vector<double> entropy_terms(std::size_t rows);

/// In nats, at least 0, of rows that count as `weights` say. `terms` are those of the number of rows.
double mutual_information(const BinnedColumn& column, const Variable& other, const RowWeights& weights,
                          std::span<const double> terms);

/// The same less what is expected of variables that have nothing in common but these counts (Vinh, Epps and Bailey
/// 2010), so that many bins gain nothing; negative where there is less. 0 where either is constant.
double excess_information(const BinnedColumn& column, const Variable& other, const RowWeights& weights,
                          std::span<const double> terms);

}  // namespace obverse
