// Conversion goes through a small buffer, so that only the final matrix takes memory of its size.
#include "readers/numbers.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>
#include <tuple>

#include <obverse/error.h>

#include "readers/columns.h"

namespace obverse {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{256} << 10;

template <class From>
From swapped(From value) {
  std::array<char, sizeof(From)> bytes{};
  std::memcpy(bytes.data(), &value, sizeof value);
  std::reverse(bytes.begin(), bytes.end());
  std::memcpy(&value, bytes.data(), sizeof value);
  return value;
}

template <class From, class To>
void convert_as(bool swap, const char* from, std::size_t count, To* to) {
  for (std::size_t i = 0; i < count; ++i) {
    From value{};
    std::memcpy(&value, from + i * sizeof value, sizeof value);
    to[i] = static_cast<To>(swap ? swapped(value) : value);
  }
}

template <class To, class Integer1, class Integer2, class Integer4, class Integer8>
void convert_integer(std::size_t size, bool swap, const char* from, std::size_t count, To* to) {
  if (size == 1) return convert_as<Integer1>(false, from, count, to);
  if (size == 2) return convert_as<Integer2>(swap, from, count, to);
  if (size == 4) return convert_as<Integer4>(swap, from, count, to);
  convert_as<Integer8>(swap, from, count, to);
}

/// Rows follow each other in the file.
template <class T>
void read_rows(const ArrayLayout& array, ByteStream& bytes, T* out) {
  std::vector<char> buffer(kBufferBytes);
  const std::size_t at_once = kBufferBytes / array.type.size;
  for (std::uint64_t done = 0; done < array.count;) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, array.count - done));
    bytes.read_exactly(std::span(buffer).first(count * array.type.size), "the array " + array.shape_text());
    convert_numbers(array.type, buffer.data(), count, out + done);
    done += count;
  }
}

/// Columns follow each other in the file: sixteen at a time, so that each row is written in whole cache lines.
template <class T>
void read_columns(const ArrayLayout& array, ByteStream& bytes, T* out) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t rows = array.shape[0];
  const std::size_t cols = array.count / rows;
  const std::size_t height = array.shape.size() > 1 ? array.shape[1] : 1;
  const std::size_t width = cols / height;
  std::vector<char> raw;
  std::vector<T> values;
  std::vector<std::size_t> places;
  for (std::size_t first = 0; first < cols; first += kAtOnce) {
    const std::size_t taken = std::min(kAtOnce, cols - first);
    raw.resize(rows * taken * array.type.size);
    values.resize(rows * taken);
    places.resize(taken);
    // The second dimension runs faster than the third, while pixels are kept row by row.
    for (std::size_t i = 0; i < taken; ++i) places[i] = (first + i) % height * width + (first + i) / height;
    bytes.read_exactly(raw, "the array " + array.shape_text());
    convert_numbers(array.type, raw.data(), values.size(), values.data());
    scatter_columns<T>(values, rows, places, out, cols);
  }
}

template <class T>
DenseMatrix<T> read_dense(const ArrayLayout& array, ByteStream& bytes) {
  bytes.budget().take(array.count, sizeof(T), "the array " + array.shape_text());
  auto values = std::make_shared_for_overwrite<T[]>(array.count);
  const bool by_columns = array.fortran_order && array.shape.size() > 1;
  by_columns ? read_columns(array, bytes, values.get()) : read_rows(array, bytes, values.get());
  return {std::move(values), array.shape[0], array.count / array.shape[0]};
}

}  // namespace

template <class To>
void convert_numbers(const NumberType& type, const char* from, std::size_t count, To* to) {
  const bool swap = type.big_endian != (std::endian::native == std::endian::big);
  if (type.kind == NumberKind::real && type.size == 4) return convert_as<float>(swap, from, count, to);
  if (type.kind == NumberKind::real) return convert_as<double>(swap, from, count, to);
  if (type.kind == NumberKind::signed_integer) {
    return convert_integer<To, std::int8_t, std::int16_t, std::int32_t, std::int64_t>(type.size, swap, from, count, to);
  }
  convert_integer<To, std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>(type.size, swap, from, count, to);
}

template void convert_numbers(const NumberType&, const char*, std::size_t, float*);
template void convert_numbers(const NumberType&, const char*, std::size_t, double*);
template void convert_numbers(const NumberType&, const char*, std::size_t, std::uint8_t*);

std::string ArrayLayout::shape_text() const {
  std::string text;
  for (const std::uint64_t size : shape) text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text.empty() ? "of one number" : text;
}

void check_array(ArrayLayout& array, const ByteStream& bytes) {
  const std::string what = "an array of " + array.shape_text() + " numbers";
  array.count = 1;
  for (const std::uint64_t size : array.shape) {
    array.count = checked_product(array.count, size, bytes.path(), what);
  }
  check_claim(bytes, array.count, array.type.size, what);
}

Storage read_matrix(const ArrayLayout& array, ByteStream& bytes) {
  if (array.count == 0 || array.shape.empty()) {
    throw Error(Fault::input, cat(bytes.path(), ": expected rows and columns, found an array of ", array.shape_text()));
  }
  if (array.type.is_byte()) return read_dense<std::uint8_t>(array, bytes);
  return read_dense<float>(array, bytes);
}

void find_missing(Table& table) {
  const auto* const matrix = std::get_if<DenseMatrix<float>>(&table.storage);
  if (matrix == nullptr) return;
  const auto values = std::span(matrix->values.get(), matrix->rows * matrix->cols);
  if (std::none_of(values.begin(), values.end(), [](float value) { return std::isnan(value); })) return;
  table.layout.kinds.assign(matrix->cols, ColumnKind::number);
  table.layout.levels.resize(matrix->cols);
}

void read_features(const ArrayLayout& array, ByteStream& bytes, Table& table) {
  const auto& shape = array.shape;
  if (shape.size() != 2 && shape.size() != 3) {
    throw Error(
        Fault::input,
        cat(bytes.path(), ": expected rows x columns or pictures x height x width, found an array of ",
            array.shape_text(),
            shape.size() == 1 ? "; if these are labels, give them with --labels" : "; reshape it to two dimensions"));
  }
  table.storage = read_matrix(array, bytes);
  find_missing(table);
  if (shape.size() == 3) {
    table.image_shape = ImageShape{shape[1], shape[2]};
    table.names = FeatureNames::pixels(shape[1], shape[2]);
  } else {
    table.names = FeatureNames::numbered("c", shape[1]);
  }
}

template <class To>
std::vector<To> read_numbers(const ArrayLayout& array, ByteStream& bytes) {
  bytes.budget().take(array.count, sizeof(To), "the array " + array.shape_text());
  std::vector<To> numbers(array.count);
  read_rows(array, bytes, numbers.data());
  return numbers;
}

template std::vector<float> read_numbers(const ArrayLayout&, ByteStream&);
template std::vector<double> read_numbers(const ArrayLayout&, ByteStream&);

SparseMatrix rows_from_columns(const CompressedColumns& from, std::size_t rows, ReadBudget& budget) {
  const std::size_t count = from.row_index.size();
  // Empty rows and columns have no bytes of their own in the file.
  budget.take(rows + 1, sizeof(std::size_t), cat("a sparse matrix of ", rows, " rows"));
  budget.take(count, sizeof(std::uint32_t) + sizeof(float), "a sparse matrix");
  const WorkingMemory next_place(budget, rows, sizeof(std::size_t), cat("a sparse matrix of ", rows, " rows"));
  SparseMatrix matrix;
  matrix.cols = from.column_begin.size() - 1;
  matrix.row_begin.assign(rows + 1, 0);
  matrix.columns.resize(count);
  matrix.values.resize(count);
  for (const std::size_t row : from.row_index) ++matrix.row_begin[row + 1];
  std::partial_sum(matrix.row_begin.begin(), matrix.row_begin.end(), matrix.row_begin.begin());
  std::vector<std::size_t> next(matrix.row_begin.begin(), matrix.row_begin.end() - 1);
  for (std::size_t c = 0; c < matrix.cols; ++c) {
    for (std::size_t i = from.column_begin[c]; i < from.column_begin[c + 1]; ++i) {
      const std::size_t place = next[from.row_index[i]]++;
      matrix.columns[place] = static_cast<std::uint32_t>(c);
      matrix.values[place] = from.values[i];
    }
  }
  return matrix;
}

std::vector<std::size_t> whole_numbers(const ArrayLayout& array, ByteStream& bytes, std::size_t limit) {
  const std::string what = "the array " + array.shape_text();
  bytes.budget().take(array.count, sizeof(std::size_t), what);
  std::vector<std::size_t> numbers(array.count);
  std::vector<char> buffer(kBufferBytes);
  std::vector<double> values(kBufferBytes);
  const std::size_t at_once = kBufferBytes / array.type.size;
  for (std::uint64_t done = 0; done < array.count;) {
    const std::size_t count = static_cast<std::size_t>(std::min<std::uint64_t>(at_once, array.count - done));
    bytes.read_exactly(std::span(buffer).first(count * array.type.size), what);
    convert_numbers(array.type, buffer.data(), count, values.data());
    for (std::size_t i = 0; i < count; ++i) {
      if (!(values[i] >= 0 && values[i] <= static_cast<double>(limit) && values[i] == std::trunc(values[i]))) {
        throw Error(Fault::input, cat(bytes.path(), ": expected whole numbers from 0 to ", limit, ", found ",
                                      number_text(values[i]), "; is it damaged?"));
      }
      numbers[done + i] = static_cast<std::size_t>(values[i]);
    }
    done += count;
  }
  return numbers;
}

void sort_rows(SparseMatrix& matrix) {
  std::vector<std::pair<std::uint32_t, float>> row;
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    const std::size_t begin = matrix.row_begin[r];
    const std::size_t end = matrix.row_begin[r + 1];
    const auto columns = std::span(matrix.columns).subspan(begin, end - begin);
    if (std::is_sorted(columns.begin(), columns.end())) continue;
    row.clear();
    for (std::size_t i = begin; i < end; ++i) row.emplace_back(matrix.columns[i], matrix.values[i]);
    std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = begin; i < end; ++i) std::tie(matrix.columns[i], matrix.values[i]) = row[i - begin];
  }
}

}  // namespace obverse
