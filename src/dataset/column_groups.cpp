#include "dataset/column_groups.h"

#include <utility>

#include "dataset/join.h"
#include "dataset/matrix_columns.h"

namespace obverse {
namespace {

template <class T>
DenseMatrix<T> arranged(const DenseMatrix<T>& matrix, const std::vector<std::size_t>& order) {
  return select(matrix, order);
}

SparseMatrix arranged(const SparseMatrix& matrix, const std::vector<std::size_t>& order) {
  std::vector<std::size_t> places(order.size());
  for (std::size_t c = 0; c < order.size(); ++c) places[order[c]] = c;
  return moved(matrix, matrix.cols, [&](std::size_t column) { return std::optional(places[column]); });
}

}  // namespace

Dataset grouped(const Dataset& data, const GroupedColumns& groups) {
  DatasetParts parts = row_parts(data);
  std::vector<std::string> columns;
  columns.reserve(groups.order.size());
  for (const std::size_t c : groups.order) columns.push_back(data.feature_names()[c]);
  parts.layout = select(data.layout(), groups.order);
  parts.layout.begin = groups.begin;
  parts.layout.column_names = std::move(columns);
  parts.storage =
      std::visit([&](const auto& matrix) -> Storage { return arranged(matrix, groups.order); }, data.storage());
  parts.feature_names = groups.names;
  return Dataset(std::move(parts));
}

}  // namespace obverse
