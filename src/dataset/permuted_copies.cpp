#include "dataset/permuted_copies.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "dataset/join.h"
#include "support/random.h"

namespace obverse {
namespace {

using Rows = std::span<const std::uint32_t>;

/// Row r is the row `rows[r]` of the matrix, and behind it the row `copied[r]`.
template <class T>
DenseMatrix<T> side_by_side(const DenseMatrix<T>& matrix, Rows rows, Rows copied) {
  const auto values = std::make_shared_for_overwrite<T[]>(rows.size() * 2 * matrix.cols);
  T* to = values.get();
  for (std::size_t r = 0; r < rows.size(); ++r) {
    to = std::copy_n(matrix.row(rows[r]).data(), matrix.cols, to);
    to = std::copy_n(matrix.row(copied[r]).data(), matrix.cols, to);
  }
  return {values, rows.size(), 2 * matrix.cols};
}

void append_row(const SparseMatrix& from, std::uint32_t row, std::size_t first_column, SparseMatrix& to) {
  for (std::size_t i = from.row_begin[row]; i < from.row_begin[row + 1]; ++i) {
    to.columns.push_back(static_cast<std::uint32_t>(first_column + from.columns[i]));
    to.values.push_back(from.values[i]);
  }
}

SparseMatrix side_by_side(const SparseMatrix& matrix, Rows rows, Rows copied) {
  SparseMatrix both;
  both.cols = 2 * matrix.cols;
  both.row_begin = {0};
  for (std::size_t r = 0; r < rows.size(); ++r) {
    append_row(matrix, rows[r], 0, both);
    append_row(matrix, copied[r], matrix.cols, both);
    both.row_begin.push_back(both.columns.size());
  }
  return both;
}

/// No name of a feature ends as those of the copies do.
std::vector<std::string> names_with_copies(std::vector<std::string> names) {
  std::string ending = " (permuted)";
  const auto is_taken = [&](const std::string& name) { return name.ends_with(ending); };
  while (std::any_of(names.begin(), names.end(), is_taken)) ending += '*';
  const std::size_t features = names.size();
  names.reserve(2 * features);
  for (std::size_t f = 0; f < features; ++f) names.push_back(names[f] + ending);
  return names;
}

/// Twice the same features; the columns of groups go without names.
FeatureLayout layout_with_copies(FeatureLayout layout) {
  layout.column_names = {};
  const auto twice = [](auto& list) {
    list.reserve(2 * list.size());
    list.insert(list.end(), list.begin(), list.end());
  };
  twice(layout.kinds);
  twice(layout.levels);
  twice(layout.flags);
  if (layout.begin.empty()) return layout;
  const std::size_t columns = layout.begin.back();
  const std::vector<std::size_t> begin = layout.begin;
  for (auto next = begin.begin() + 1; next != begin.end(); ++next) layout.begin.push_back(columns + *next);
  return layout;
}

}  // namespace

Dataset with_permuted_copies(const Dataset& data, std::uint64_t seed) {
  const Rows rows = data.storage_rows();
  std::vector<std::uint32_t> copied(rows.begin(), rows.end());
  RandomStream(seed, Purpose::copies).shuffle(std::span(copied));
  DatasetParts parts = row_parts(data);
  parts.storage =
      std::visit([&](const auto& matrix) -> Storage { return side_by_side(matrix, rows, copied); }, data.storage());
  parts.feature_names = FeatureNames(names_with_copies(data.feature_names().list()));
  parts.layout = layout_with_copies(data.layout());
  return Dataset(std::move(parts));
}

}  // namespace obverse
