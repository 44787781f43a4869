// The rows of two data sets as one.
#include "dataset/join.h"

#include <algorithm>
#include <map>

#include <obverse/error.h>

namespace obverse {
namespace {

template <class T>
T* copy_rows(const DenseMatrix<T>& from, std::span<const std::uint32_t> rows, T* to) {
  for (const std::uint32_t row : rows) to = std::copy_n(from.row(row).data(), from.cols, to);
  return to;
}

template <class T>
DenseMatrix<T> join(const DenseMatrix<T>& first, std::span<const std::uint32_t> first_rows,
                    const DenseMatrix<T>& second, std::span<const std::uint32_t> second_rows) {
  const std::size_t rows = first_rows.size() + second_rows.size();
  const auto values = std::make_shared_for_overwrite<T[]>(rows * first.cols);
  copy_rows(second, second_rows, copy_rows(first, first_rows, values.get()));
  return {values, rows, first.cols};
}

void append_rows(const SparseMatrix& from, std::span<const std::uint32_t> rows, SparseMatrix& to) {
  for (const std::uint32_t row : rows) {
    const auto begin = static_cast<std::ptrdiff_t>(from.row_begin[row]);
    const auto end = static_cast<std::ptrdiff_t>(from.row_begin[row + 1]);
    to.columns.insert(to.columns.end(), from.columns.begin() + begin, from.columns.begin() + end);
    to.values.insert(to.values.end(), from.values.begin() + begin, from.values.begin() + end);
    to.row_begin.push_back(to.columns.size());
  }
}

SparseMatrix join(const SparseMatrix& first, std::span<const std::uint32_t> first_rows, const SparseMatrix& second,
                  std::span<const std::uint32_t> second_rows) {
  SparseMatrix both;
  both.cols = first.cols;
  both.row_begin = {0};
  append_rows(first, first_rows, both);
  append_rows(second, second_rows, both);
  return both;
}

/// Groups of one name are one group, whichever part their rows come from.
void add_groups(const Dataset& data, std::map<std::string, std::uint32_t>& known, DatasetParts& parts) {
  for (std::size_t row = 0; row < data.rows(); ++row) {
    const std::string& name = data.row_group_names()[data.row_group(row)];
    const auto [group, added] = known.emplace(name, static_cast<std::uint32_t>(known.size()));
    if (added) parts.row_group_names.push_back(name);
    parts.row_groups.push_back(group->second);
  }
}

/// Everything of these rows but their values, behind what the parts hold already. `groups` numbers those seen so far.
void append(const Dataset& data, bool weighted, std::map<std::string, std::uint32_t>& groups, DatasetParts& parts) {
  const std::vector<std::int32_t> labels = data.labels();
  parts.labels.insert(parts.labels.end(), labels.begin(), labels.end());
  for (std::size_t row = 0; row < data.rows(); ++row) {
    if (data.has_outputs()) {
      const auto outputs = data.outputs(row);
      parts.outputs.insert(parts.outputs.end(), outputs.begin(), outputs.end());
    }
    if (weighted) parts.weights.push_back(data.weight(row));
    if (data.has_times()) parts.times.push_back(data.time(row));
  }
  if (data.has_row_groups()) add_groups(data, groups, parts);
}

DatasetParts parts_without_rows(const Dataset& data) {
  DatasetParts parts;
  parts.class_names = data.class_names();
  parts.target_name = data.target_name();
  if (!data.has_outputs()) return parts;
  parts.output_names = data.output_names();
  parts.multilabel = data.task() == Task::multilabel;
  return parts;
}

}  // namespace

DatasetParts row_parts(const Dataset& data) {
  DatasetParts parts = parts_without_rows(data);
  std::map<std::string, std::uint32_t> groups;
  append(data, data.has_weights(), groups, parts);
  return parts;
}

Dataset joined(const Dataset& first, const Dataset& second) {
  if (first.feature_names() != second.feature_names() || first.class_names() != second.class_names() ||
      first.output_names() != second.output_names() || first.task() != second.task() ||
      first.layout() != second.layout()) {
    throw Error(Fault::usage, "rows can only be put together when they have the same features and targets");
  }
  if (first.has_row_groups() != second.has_row_groups() || first.has_times() != second.has_times()) {
    throw Error(Fault::usage, "rows can only be put together when both parts have groups, both have times, or neither");
  }
  if (first.storage().index() != second.storage().index()) {
    throw Error(Fault::usage,
                "rows can only be put together when both parts are bytes, both are sparse, or neither is");
  }
  Storage storage = std::visit(
      [&](const auto& matrix) -> Storage {
        const auto& other = std::get<std::remove_cvref_t<decltype(matrix)>>(second.storage());
        return join(matrix, first.storage_rows(), other, second.storage_rows());
      },
      first.storage());
  DatasetParts parts = parts_without_rows(first);
  parts.storage = std::move(storage);
  parts.feature_names = first.feature_names();
  parts.image_shape = first.image_shape();
  parts.layout = first.layout();
  std::map<std::string, std::uint32_t> groups;
  const bool weighted = first.has_weights() || second.has_weights();
  for (const Dataset* data : {&first, &second}) append(*data, weighted, groups, parts);
  return Dataset(std::move(parts));
}

}  // namespace obverse
