// MATLAB's MAT v5 through matio: X (rows x features, dense or sparse) and Y (one label for each row).
#include <matio.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>

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

struct FreeVariable {
  void operator()(matvar_t* variable) const { Mat_VarFree(variable); }
};
using Variable = std::unique_ptr<matvar_t, FreeVariable>;

class MatFile {
 public:
  explicit MatFile(const ByteStream& bytes)
      : path_(bytes.path()),
        most_bytes_(bytes.most_bytes() * kMostInflation),
        file_(Mat_Open(path_.c_str(), MAT_ACC_RDONLY)) {
    if (!file_) refuse(path_, "the file cannot be opened as MAT v5; is it damaged?");
    std::uint64_t seen = 0;
    while (const Variable variable{Mat_VarReadNextInfo(file_.get())}) {
      if (variable->name != nullptr) names_.emplace_back(variable->name);
      if (++seen > kMostVariables) refuse(path_, "more variables than a data file has; is it damaged?");
    }
    if (names_.empty()) refuse(path_, "the file holds no variables; is it damaged or cut short?");
  }

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const { return std::find(names_.begin(), names_.end(), name) != names_.end(); }

  /// With its values. What it claims is checked before they are read.
  Variable read(const std::string& name) {
    Variable variable(Mat_VarReadInfo(file_.get(), name.c_str()));
    if (!variable) refuse(path_, cat("the variable ", name, " cannot be read; is the file damaged?"));
    if (variable->rank != 2 || variable->dims == nullptr) {
      refuse(path_, cat(name, ": expected a matrix of two dimensions, found ", variable->rank));
    }
    if (variable->isComplex != 0) refuse(path_, cat(name, ": expected real numbers, found complex ones"));
    const std::uint64_t count = checked_product(variable->dims[0], variable->dims[1], path_, name);
    if (variable->class_type != MAT_C_SPARSE && count > most_bytes_) {
      refuse(path_, cat(name, ": its header claims ", count, " values, which the file cannot hold; is it damaged?"));
    }
    if (Mat_VarReadDataAll(file_.get(), variable.get()) != 0 || variable->data == nullptr) {
      refuse(path_, cat(name, ": the values cannot be read; is the file damaged or cut short?"));
    }
    return variable;
  }

 private:
  struct Close {
    void operator()(mat_t* file) const { Mat_Close(file); }
  };
  static constexpr std::uint64_t kMostVariables = 100'000;

  std::string path_;
  std::uint64_t most_bytes_;
  std::unique_ptr<mat_t, Close> file_;
  std::vector<std::string> names_;
};

/// matio has converted the values to the class of the variable, whatever they were on disk.
NumberType number_type(const MatFile& file, const matvar_t& variable) {
  switch (variable.class_type) {
    case MAT_C_DOUBLE:
      return {NumberKind::real, 8};
    case MAT_C_SINGLE:
      return {NumberKind::real, 4};
    case MAT_C_UINT8:
      return {variable.isLogical != 0 ? NumberKind::boolean : NumberKind::unsigned_integer, 1};
    case MAT_C_INT8:
      return {NumberKind::signed_integer, 1};
    case MAT_C_UINT16:
      return {NumberKind::unsigned_integer, 2};
    case MAT_C_INT16:
      return {NumberKind::signed_integer, 2};
    case MAT_C_UINT32:
      return {NumberKind::unsigned_integer, 4};
    case MAT_C_INT32:
      return {NumberKind::signed_integer, 4};
    case MAT_C_UINT64:
      return {NumberKind::unsigned_integer, 8};
    case MAT_C_INT64:
      return {NumberKind::signed_integer, 8};
    default:
      refuse(file.path(), cat(variable.name, ": expected a matrix of numbers, found text, a cell array or a struct"));
  }
}

void check_bytes(const MatFile& file, const matvar_t& variable, std::size_t count, std::size_t size) {
  if (variable.nbytes / size >= count) return;
  refuse(file.path(), cat(variable.name, ": expected ", count, " values, found fewer; is the file damaged?"));
}

/// Column-major values into a row-major matrix, sixteen columns at a time.
template <class T>
DenseMatrix<T> dense_matrix(const matvar_t& variable, const NumberType& type) {
  constexpr std::size_t kAtOnce = 16;
  const std::size_t rows = variable.dims[0];
  const std::size_t cols = variable.dims[1];
  auto matrix = std::make_shared_for_overwrite<T[]>(rows * cols);
  std::vector<T> values(rows * std::min(kAtOnce, cols));
  std::array<std::size_t, kAtOnce> places{};
  const char* from = static_cast<const char*>(variable.data);
  for (std::size_t first = 0; first < cols; first += kAtOnce) {
    const std::size_t taken = std::min(kAtOnce, cols - first);
    for (std::size_t i = 0; i < taken; ++i) places[i] = first + i;
    convert_numbers(type, from + first * rows * type.size, rows * taken, values.data());
    scatter_columns<T>(std::span(values).first(rows * taken), rows, std::span(places).first(taken), matrix.get(), cols);
  }
  return {std::move(matrix), rows, cols};
}

SparseMatrix sparse_matrix(const MatFile& file, const matvar_t& variable) {
  const auto& sparse = *static_cast<const mat_sparse_t*>(variable.data);
  const std::size_t rows = variable.dims[0];
  const std::size_t cols = variable.dims[1];
  const auto damaged = [&] { refuse(file.path(), cat(variable.name, ": the sparse matrix is damaged")); };
  if (sparse.njc != cols + 1 || sparse.jc == nullptr || rows >= std::numeric_limits<std::uint32_t>::max()) damaged();
  const std::vector<std::size_t> begin(sparse.jc, sparse.jc + sparse.njc);
  const std::size_t count = begin.back();
  if (begin.front() != 0 || !std::is_sorted(begin.begin(), begin.end()) || count > sparse.nir || count > sparse.ndata ||
      (count > 0 && (sparse.ir == nullptr || sparse.data == nullptr))) {
    damaged();
  }
  const std::span<const mat_uint32_t> row_index(sparse.ir, count);
  if (std::any_of(row_index.begin(), row_index.end(), [&](std::size_t row) { return row >= rows; })) damaged();
  // Empty rows have no bytes of their own in the file, so that the claim is bounded here.
  if (rows > std::max<std::size_t>(std::size_t{1} << 26, count)) damaged();
  std::vector<float> values(count);
  const bool single = variable.data_type == MAT_T_SINGLE;
  if (variable.data_type != MAT_T_DOUBLE && !single) {
    refuse(file.path(), cat(variable.name, ": expected a sparse matrix of doubles; convert it with double()"));
  }
  if (count > 0) {
    convert_numbers({NumberKind::real, single ? 4U : 8U}, static_cast<const char*>(sparse.data), count, values.data());
  }
  SparseMatrix matrix = rows_from_columns(begin, row_index, values, rows);
  sort_rows(matrix);
  return matrix;
}

Storage read_storage(MatFile& file, const std::string& name) {
  const Variable variable = file.read(name);
  if (variable->dims[0] == 0 || variable->dims[1] == 0) refuse(file.path(), cat(name, " has no rows or no columns"));
  if (variable->class_type == MAT_C_SPARSE) return sparse_matrix(file, *variable);
  const NumberType type = number_type(file, *variable);
  check_bytes(file, *variable, variable->dims[0] * variable->dims[1], type.size);
  if (type.is_byte()) return dense_matrix<std::uint8_t>(*variable, type);
  return dense_matrix<float>(*variable, type);
}

LabelColumn read_labels(MatFile& file, const std::string& name) {
  const Variable variable = file.read(name);
  const std::size_t count = variable->dims[0] * variable->dims[1];
  if (std::min(variable->dims[0], variable->dims[1]) != 1) {
    refuse(file.path(), cat(name, ": expected one label for each row, found a matrix of ", variable->dims[0], " x ",
                            variable->dims[1]));
  }
  const NumberType type = number_type(file, *variable);
  check_bytes(file, *variable, count, type.size);
  std::vector<double> numbers(count);
  convert_numbers(type, static_cast<const char*>(variable->data), count, numbers.data());
  LabelCollector labels;
  labels.add(numbers);
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
  expect_uncompressed(bytes, "MAT");
  const std::string_view head = bytes.peek(128);
  if (head.starts_with("\x89HDF") || head.starts_with("MATLAB 7.3")) {
    refuse(bytes.path(), "version 7.3 (HDF5) is not read; in MATLAB, save with '-v7', or convert to NPZ");
  }
  check_mat_elements(bytes.path(), bytes.most_bytes());
  MatFile file(bytes);
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
  table.storage = read_storage(file, features);
  table.names = numbered_names("c", column_count(table.storage));
  if (!labels.empty()) {
    table.labels = read_labels(file, labels);
    table.target_name = labels;
  }
  return table;
}

}  // namespace obverse
