// Arrays of binary numbers, as NPY, NPZ, IDX and MAT files hold them: bytes -> float32, uint8 or double.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>

#include "readers/bytes.h"
#include "readers/table.h"

namespace obverse {

enum class NumberKind { unsigned_integer, signed_integer, real, boolean };

/// One number as it lies in the file.
struct NumberType {
  NumberKind kind = NumberKind::real;
  std::size_t size = 4;  ///< bytes: 1, 2, 4 or 8
  bool big_endian = false;

  bool is_byte() const { return kind == NumberKind::unsigned_integer && size == 1; }
};

/// An array whose numbers come next in a stream. The first dimension counts the rows.
struct ArrayLayout {
  NumberType type;
  bool fortran_order = false;  ///< the first dimension runs fastest
  std::vector<std::uint64_t> shape;
  std::uint64_t count = 1;  ///< product of the shape; set by check_array

  std::string shape_text() const;  ///< "60000 x 28 x 28"
};

/// Computes `count` and refuses what the stream cannot hold, before memory is taken.
void check_array(ArrayLayout& array, const ByteStream& bytes);

/// A matrix of shape[0] rows; bytes stay bytes, all else becomes float32.
Storage read_matrix(const ArrayLayout& array, ByteStream& bytes);

/// Values that are not a number are missing: the features of `table` are then numbers of which some are.
void find_missing(Table& table);

/// A 2-D array, or a 3-D array of pictures, as the features of `table`: storage, names, image shape.
void read_features(const ArrayLayout& array, ByteStream& bytes, Table& table);

/// All numbers in file order. To: float or double.
template <class To>
std::vector<To> read_numbers(const ArrayLayout& array, ByteStream& bytes);

extern template std::vector<float> read_numbers(const ArrayLayout&, ByteStream&);
extern template std::vector<double> read_numbers(const ArrayLayout&, ByteStream&);

/// Converts `count` numbers of `type` at `from`.
template <class To>
void convert_numbers(const NumberType& type, const char* from, std::size_t count, To* to);

extern template void convert_numbers(const NumberType&, const char*, std::size_t, float*);
extern template void convert_numbers(const NumberType&, const char*, std::size_t, double*);
extern template void convert_numbers(const NumberType&, const char*, std::size_t, std::uint8_t*);

/// Writes whole columns (each `rows` long, one after another) into a row-major matrix of `cols` columns.
/// columns[i] is the place of the i-th of them.
template <class T>
void scatter_columns(std::span<const T> values, std::size_t rows, std::span<const std::size_t> columns, T* matrix,
                     std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t i = 0; i < columns.size(); ++i) matrix[r * cols + columns[i]] = values[i * rows + r];
  }
}

/// Whole numbers in file order; throws Error for others and for those above `limit`.
std::vector<std::size_t> whole_numbers(const ArrayLayout& array, ByteStream& bytes, std::size_t limit);

/// A sparse matrix as MATLAB and scipy's csc form hold it. Entries may come in any order within a column.
struct CompressedColumns {
  std::vector<std::size_t> column_begin;  ///< (columns + 1), from 0, never falling
  std::vector<std::size_t> row_index;
  std::vector<float> values;
};

/// Compressed columns into compressed rows; row numbers were checked by the caller.
SparseMatrix rows_from_columns(const CompressedColumns& from, std::size_t rows, ReadBudget& budget);

/// Brings the columns of each row into ascending order.
void sort_rows(SparseMatrix& matrix);

}  // namespace obverse
