// MATLAB's MAT v5: X (rows x features, dense or sparse) and Y (one label for each row). The file is read by our own
// code: what it claims meets the budget of the reader before memory is taken for it.
#include <algorithm>
#include <array>
#include <limits>

#include <obverse/error.h>

#include "readers/columns.h"
#include "readers/formats.h"
#include "readers/mat_elements.h"
#include "readers/numbers.h"

namespace obverse {
namespace {

constexpr std::array kFeatureNames{"X", "x", "data", "fea", "features"};
constexpr std::array kLabelNames{"Y", "y", "labels", "label", "gnd", "target"};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Fault::input, cat(path, ": MAT: ", why));
}

void check_matrix(const std::string& path, const MatVariable& variable) {
  if (variable.dimensions.size() != 2) {
    refuse(path, cat(variable.name, ": expected a matrix of two dimensions, found ", variable.dimensions.size()));
  }
  if (variable.complex) refuse(path, cat(variable.name, ": expected real numbers, found complex ones"));
  if (variable.kind < MatClass::sparse) {
    refuse(path, cat(variable.name, ": expected a matrix of numbers, found text, a cell array or a struct"));
  }
}

/// The values of a dense matrix come next. Numbers of any class may be stored in a smaller type; bytes stay bytes only
/// where the class says so.
ArrayLayout dense_values(MatParts& parts, const std::string& path) {
  const MatVariable& variable = parts.variable();
  ArrayLayout array = parts.next_numbers("the values");
  const std::uint64_t stored = array.count;
  array.shape = variable.dimensions;
  array.fortran_order = true;
  check_array(array, parts.stream());
  if (array.count != stored) {
    refuse(path,
           cat(variable.name, ": expected ", array.shape_text(), " values, found ", stored, "; is the file damaged?"));
  }
  const bool bytes = variable.kind == MatClass::uint8 && !variable.logical;
  if (array.type.is_byte() && !bytes) array.type.kind = NumberKind::boolean;
  return array;
}

std::vector<float> sparse_values(MatParts& parts) {
  const ArrayLayout array = parts.next_numbers("the values of a sparse matrix");
  std::vector<float> values = read_numbers<float>(array, parts.stream());
  parts.close_numbers();
  return values;
}

std::vector<std::size_t> sparse_index(MatParts& parts, const std::string& what) {
  const ArrayLayout array = parts.next_numbers(what);
  std::vector<std::size_t> index = whole_numbers(array, parts.stream(), std::numeric_limits<std::uint32_t>::max() - 1);
  parts.close_numbers();
  return index;
}

SparseMatrix sparse_matrix(MatParts& parts, const std::string& path) {
  const std::string& name = parts.variable().name;
  const std::uint64_t rows = parts.variable().dimensions[0];
  const std::uint64_t cols = parts.variable().dimensions[1];
  const auto damaged = [&](const std::string& why) {
    refuse(path, cat(name, ": the sparse matrix is damaged: ", why));
  };
  CompressedColumns from;
  from.row_index = sparse_index(parts, "the rows of a sparse matrix");
  from.column_begin = sparse_index(parts, "the columns of a sparse matrix");
  from.values = sparse_values(parts);
  const auto& begin = from.column_begin;
  if (begin.size() != cols + 1) damaged(cat("expected ", cols + 1, " column boundaries, found ", begin.size()));
  if (begin.front() != 0 || !std::is_sorted(begin.begin(), begin.end())) damaged("its column boundaries do not ascend");
  const std::size_t count = begin.back();
  if (count > from.row_index.size() || count > from.values.size()) {
    damaged(cat("expected ", count, " entries, found ", std::min(from.row_index.size(), from.values.size())));
  }
  from.row_index.resize(count);  // a file may have room for more
  from.values.resize(count);
  const auto outside =
      std::find_if(from.row_index.begin(), from.row_index.end(), [&](auto row) { return row >= rows; });
  if (outside != from.row_index.end()) damaged(cat("an entry lies in row ", *outside + 1, " of ", rows));
  SparseMatrix matrix = rows_from_columns(from, rows, parts.stream().budget());
  sort_rows(matrix);
  return matrix;
}

void read_matrix_variable(const MatFile& file, const std::string& name, Table& table) {
  MatParts parts = file.open(name);
  const MatVariable& variable = parts.variable();
  check_matrix(file.path(), variable);
  if (variable.dimensions[0] == 0 || variable.dimensions[1] == 0) {
    refuse(file.path(), cat(name, " has no rows or no columns"));
  }
  if (variable.kind == MatClass::sparse) {
    table.storage = sparse_matrix(parts, file.path());
  } else {
    table.storage = read_matrix(dense_values(parts, file.path()), parts.stream());
    parts.close_numbers();
    find_missing(table);
  }
  table.names = FeatureNames::numbered("c", column_count(table.storage));
  parts.expect_end();
}

LabelColumn read_labels(const MatFile& file, const std::string& name) {
  MatParts parts = file.open(name);
  const MatVariable& variable = parts.variable();
  check_matrix(file.path(), variable);
  const auto& size = variable.dimensions;
  if (std::min(size[0], size[1]) != 1 || variable.kind == MatClass::sparse) {
    refuse(file.path(), cat(name, ": expected one label for each row, found a ",
                            variable.kind == MatClass::sparse ? "sparse " : "", "matrix of ", size[0], " x ", size[1]));
  }
  const ArrayLayout array = dense_values(parts, file.path());
  LabelCollector labels(parts.stream().budget());
  labels.add(read_numbers<double>(array, parts.stream()));
  parts.stream().budget().give_back(array.count, sizeof(double));
  parts.close_numbers();
  parts.expect_end();
  return labels.take();
}

template <std::size_t N>
std::string first_present(const MatFile& file, const std::array<const char*, N>& names) {
  for (const char* name : names) {
    if (file.has(name)) return name;
  }
  return {};
}

/// The variable that is named as target; empty where the target is a column of the features, or nothing.
std::string label_variable(const MatFile& file, const Request& request) {
  const std::string& target = request.options.target;
  if (file.has(target)) return target;
  if (!target.empty() && !request.target_may_be_missing) return {};
  return request.options.labels.empty() ? first_present(file, kLabelNames) : std::string{};
}

}  // namespace

bool is_mat(std::string_view head) {
  constexpr std::size_t kHeader = 128;
  if (head.starts_with("\x89HDF\r\n\x1A\n") || head.starts_with("MATLAB 7.3 MAT-file")) return true;
  const std::string_view order = head.size() >= kHeader ? head.substr(126, 2) : std::string_view{};
  return (order == "IM" && head.substr(124, 2) == std::string_view("\0\1", 2)) ||
         (order == "MI" && head.substr(124, 2) == std::string_view("\1\0", 2));
}

Table read_mat(ByteStream& bytes, const Request& request) {
  const std::string_view head = bytes.peek(128);
  if (head.starts_with("\x89HDF") || head.starts_with("MATLAB 7.3")) {
    refuse(bytes.path(), "version 7.3 (HDF5) is not read; in MATLAB, save with '-v7', or convert to NPZ");
  }
  const MatFile file(bytes);
  Table table;
  table.format = "MAT v5";
  std::string labels = label_variable(file, request);
  if (request.labels_only) {
    if (labels.empty() && file.names().size() == 1) labels = file.names().front();
    if (labels.empty()) refuse(file.path(), cat("expected labels in a variable Y, found ", short_list(file.names())));
    table.labels = read_labels(file, labels);
    return table;
  }
  const std::string features = first_present(file, kFeatureNames);
  if (features.empty()) refuse(file.path(), cat("expected features in a variable X, found ", short_list(file.names())));
  read_matrix_variable(file, features, table);
  if (!labels.empty()) {
    table.labels = read_labels(file, labels);
    table.target_name = labels;
  }
  if (const std::string& key = split_key(request.options); file.has(key)) table.split_keys = read_labels(file, key);
  return table;
}

}  // namespace obverse
