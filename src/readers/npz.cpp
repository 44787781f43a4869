// NPZ: a zip file of NPY arrays. Features and labels are found by the names of the arrays; what
// scipy.sparse.save_npz writes stays sparse.
#include <unistd.h>
#include <zip.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>

#include <obverse/error.h>

#include "readers/columns.h"
#include "readers/formats.h"
#include "readers/npy.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::array kFeatureNames{"X", "x", "data", "X_train", "x_train", "features"};
constexpr std::array kLabelNames{"y", "Y", "labels", "label", "target", "y_train"};

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Fault::input, cat(path, ": NPZ: ", why));
}

class Archive {
 public:
  explicit Archive(const ByteStream& bytes) : path_(bytes.path()), budget_(bytes.shared_budget()) {
    const std::string& path = path_;
    int code = 0;
    const int descriptor = open_descriptor(path);
    zip_ = zip_fdopen(descriptor, 0, &code);
    if (zip_ == nullptr) {
      ::close(descriptor);
      zip_error_t error;
      zip_error_init_with_code(&error, code);
      const std::string why = zip_error_strerror(&error);
      zip_error_fini(&error);
      refuse(path, cat("the zip file cannot be opened (", why, "); is it damaged or cut short?"));
    }
    const zip_int64_t count = zip_get_num_entries(zip_, 0);
    for (zip_int64_t i = 0; i < count; ++i) {
      const char* entry = zip_get_name(zip_, static_cast<zip_uint64_t>(i), 0);
      std::string name = entry != nullptr ? entry : "";
      if (name.ends_with(".npy")) members_.emplace(name.substr(0, name.size() - 4), static_cast<zip_uint64_t>(i));
    }
    if (!members_.empty()) return;
    zip_discard(zip_);
    refuse(path, "the zip file holds no arrays; if it is a spreadsheet or zipped text, unpack it or save it as CSV");
  }
  ~Archive() { zip_discard(zip_); }
  Archive(const Archive&) = delete;
  Archive& operator=(const Archive&) = delete;

  bool has(const std::string& name) const { return members_.contains(name); }
  const std::map<std::string, zip_uint64_t>& members() const { return members_; }
  const std::string& path() const { return path_; }
  const std::shared_ptr<ReadBudget>& budget() const { return budget_; }
  zip_t* zip() const { return zip_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& member : members_) names.push_back(member.first);
    return names;
  }

 private:
  std::string path_;
  std::shared_ptr<ReadBudget> budget_;
  zip_t* zip_ = nullptr;
  std::map<std::string, zip_uint64_t> members_;
};

/// One array of the archive.
class MemberStream final : public ByteStream {
 public:
  MemberStream(const Archive& archive, const std::string& name)
      : ByteStream(archive.path() + "(" + name + ")", archive.budget()) {
    const zip_uint64_t index = archive.members().at(name);
    zip_stat_t status;
    zip_stat_init(&status);
    if (zip_stat_index(archive.zip(), index, 0, &status) == 0 && (status.valid & ZIP_STAT_COMP_SIZE) != 0) {
      packed_ = status.comp_size;
      const auto most = std::numeric_limits<std::uint64_t>::max() / kMostInflation;
      most_bytes_ = std::min<std::uint64_t>(status.comp_size, most) * kMostInflation;
      if (status.comp_method == ZIP_CM_STORE) most_bytes_ = status.comp_size;
    }
    file_ = zip_fopen_index(archive.zip(), index, 0);
    if (file_ == nullptr) refuse(path(), cat("cannot be unpacked (", zip_strerror(archive.zip()), ")"));
  }
  ~MemberStream() override { zip_fclose(file_); }

  std::uint64_t most_bytes() const override { return most_bytes_; }
  bool compressed() const override { return true; }

 protected:
  std::size_t pull(std::span<char> out) override {
    const zip_int64_t got = zip_fread(file_, out.data(), out.size());
    if (got < 0) refuse(path(), cat("is damaged (", zip_file_strerror(file_), ")"));
    made_ += static_cast<std::uint64_t>(got);
    budget().check_inflated(made_, packed_);
    return static_cast<std::size_t>(got);
  }

 private:
  zip_file_t* file_ = nullptr;
  std::uint64_t most_bytes_ = 0;
  std::uint64_t packed_ = 0;
  std::uint64_t made_ = 0;
};

NpyHeader header_of(const Archive& archive, const std::string& name) {
  MemberStream bytes(archive, name);
  return read_npy_header(bytes);
}

LabelColumn read_labels(const Archive& archive, const std::string& name) {
  MemberStream bytes(archive, name);
  LabelColumn labels = read_npy_labels(read_npy_header(bytes), bytes);
  bytes.expect_end("the array");
  return labels;
}

/// 0-D and 1-D arrays of whole numbers; `limit` is the largest that makes sense.
std::vector<std::size_t> read_integers(const Archive& archive, const std::string& name, std::size_t limit) {
  MemberStream bytes(archive, name);
  const NpyHeader header = read_npy_header(bytes);
  if (header.text_width > 0) refuse(bytes.path(), "expected whole numbers, found text");
  std::vector<std::size_t> integers = whole_numbers(header.array, bytes, limit);
  bytes.expect_end("the array");
  return integers;
}

std::vector<float> read_values(const Archive& archive, const std::string& name) {
  MemberStream bytes(archive, name);
  const NpyHeader header = read_npy_header(bytes);
  if (header.text_width > 0 || header.dimensions() != 1) refuse(bytes.path(), "expected a list of numbers");
  std::vector<float> numbers = read_numbers<float>(header.array, bytes);
  bytes.expect_end("the array");
  return numbers;
}

bool is_scipy_sparse(const Archive& archive) {
  return archive.has("indices") && archive.has("indptr") && archive.has("data") && archive.has("shape");
}

/// scipy.sparse.save_npz: shape, data, indices, indptr, and the format as a text.
SparseMatrix read_sparse(const Archive& archive) {
  std::string format = "csr";
  if (archive.has("format")) {
    MemberStream bytes(archive, "format");
    const NpyHeader header = read_npy_header(bytes);
    const auto texts = header.text_width > 0 ? read_npy_texts(header, bytes) : std::vector<std::string>{};
    format = texts.empty() ? "?" : texts.front();
  }
  if (format != "csr" && format != "csc") {
    refuse(archive.path(),
           cat("expected a sparse matrix in csr or csc form, found '", excerpt(format), "'; save .tocsr()"));
  }
  constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max() - 1;
  const auto shape = read_integers(archive, "shape", kMost);
  if (shape.size() != 2) refuse(archive.path(), "expected a sparse matrix of two dimensions");
  const bool by_rows = format == "csr";
  const std::size_t outer = shape[by_rows ? 0 : 1];
  const std::size_t inner = shape[by_rows ? 1 : 0];
  std::vector<float> values = read_values(archive, "data");
  std::vector<std::size_t> begin = read_integers(archive, "indptr", values.size());
  std::vector<std::size_t> indices = read_integers(archive, "indices", inner == 0 ? 0 : inner - 1);
  if (begin.size() != outer + 1 || indices.size() != values.size() || begin.front() != 0 ||
      begin.back() != values.size() || !std::is_sorted(begin.begin(), begin.end())) {
    refuse(archive.path(), "the parts of the sparse matrix do not fit together; is the file damaged?");
  }
  SparseMatrix matrix;
  if (by_rows) {
    archive.budget()->take(indices.size(), sizeof(std::uint32_t), "a sparse matrix");
    matrix = {std::move(begin), {indices.begin(), indices.end()}, std::move(values), inner};
  } else {
    matrix = rows_from_columns({std::move(begin), std::move(indices), std::move(values)}, inner, *archive.budget());
  }
  sort_rows(matrix);
  return matrix;
}

template <std::size_t N>
std::string first_present(const Archive& archive, const std::array<const char*, N>& names) {
  for (const char* name : names) {
    if (archive.has(name)) return name;
  }
  return {};
}

/// By its usual names, or else the only array of two or three dimensions.
std::string feature_array(const Archive& archive, const std::string& target, Table& table) {
  std::string name = first_present(archive, kFeatureNames);
  if (!name.empty() && name != target) return name;
  std::vector<std::string> candidates;
  for (const std::string& other : archive.names()) {
    if (other != target && header_of(archive, other).dimensions() >= 2) candidates.push_back(other);
  }
  if (candidates.size() != 1) {
    refuse(archive.path(), cat("expected features in an array called X, found ", short_list(archive.names())));
  }
  table.notes.push_back("features come from the array '" + candidates.front() + "'");
  return candidates.front();
}

/// The array that is named as target; empty where the target is a column of the features, or nothing.
std::string label_array(const Archive& archive, const Request& request) {
  const std::string& target = request.options.target;
  if (archive.has(target)) return target;
  if (!target.empty() && !request.target_may_be_missing) return {};
  return request.options.labels.empty() ? first_present(archive, kLabelNames) : std::string{};
}

/// Names of the features, where the file has as many as there are; else c1, c2, ...
CsvLayout names_of(const Archive& archive, std::size_t features) {
  CsvLayout layout;
  layout.names = FeatureNames::numbered("c", features);
  if (!archive.has("feature_names")) return layout;
  MemberStream bytes(archive, "feature_names");
  const NpyHeader header = read_npy_header(bytes);
  if (header.text_width == 0 || header.array.count != features) return layout;
  std::vector<std::string> names = read_npy_texts(header, bytes);
  layout.header = true;
  layout.repeated = repeated_names(names);
  if (const std::string note = make_unique_names(names); !note.empty()) layout.notes.push_back(note);
  layout.names = FeatureNames(std::move(names));
  return layout;
}

/// What is asked of the array of features alone: labels and keys may be arrays beside it.
Request features_request(const Request& request, bool has_labels, bool has_keys) {
  Request asked = request;
  if (has_labels) {
    asked.options.target.clear();
    asked.options.target_required = false;
  }
  if (has_keys) {
    asked.options.row_groups.clear();
    asked.options.time.clear();
  }
  return asked;
}

void read_feature_array(const Archive& archive, const std::string& name, const Request& request, Table& table) {
  MemberStream member(archive, name);
  const NpyHeader header = read_npy_header(member);
  if (header.text_width > 0) {
    std::vector<std::string> notes = std::move(table.notes);
    table = read_npy_table(header, member, request,
                           names_of(archive, header.dimensions() == 2 ? header.array.shape[1] : 0));
    table.notes.insert(table.notes.begin(), notes.begin(), notes.end());
  } else {
    read_npy_features(header, member, table);
    if (CsvLayout layout = names_of(archive, table.names.size()); layout.header) {
      table.names_from_file = true;
      table.notes.insert(table.notes.end(), layout.notes.begin(), layout.notes.end());
      table.names = std::move(layout.names);
    }
  }
  member.expect_end("the array");
}

void note_left_out(const Archive& archive, const std::vector<std::string>& taken, Table& table) {
  std::vector<std::string> others;
  for (const std::string& name : archive.names()) {
    if (std::find(taken.begin(), taken.end(), name) == taken.end()) others.push_back(name);
  }
  if (!others.empty()) table.notes.push_back("arrays left out: " + short_list(others));
}

Table read_only_labels(const Archive& archive, const Request& request) {
  Table table;
  table.format = "NPZ";
  std::string name = label_array(archive, request);
  if (name.empty() && archive.members().size() == 1) name = archive.members().begin()->first;
  if (name.empty())
    refuse(archive.path(), cat("expected labels in an array called y, found ", short_list(archive.names())));
  table.labels = read_labels(archive, name);
  return table;
}

}  // namespace

bool is_npz(std::string_view head) { return head.starts_with("PK\x03\x04") || head.starts_with("PK\x05\x06"); }

Table read_npz(ByteStream& bytes, const Request& request) {
  const Archive archive(bytes);
  if (request.labels_only) return read_only_labels(archive, request);
  Table table;
  if (is_scipy_sparse(archive)) {
    table.format = "NPZ, sparse";
    SparseMatrix matrix = read_sparse(archive);
    table.names = FeatureNames::numbered("c", matrix.cols);
    table.storage = std::move(matrix);
    return table;
  }
  const std::string labels = label_array(archive, request);
  const std::string features = feature_array(archive, labels, table);
  const std::string& key = split_key(request.options);
  read_feature_array(archive, features, features_request(request, !labels.empty(), archive.has(key)), table);
  table.format = "NPZ";
  if (!labels.empty()) {
    table.labels = read_labels(archive, labels);
    table.target_name = labels;
  }
  if (archive.has(key)) table.split_keys = read_labels(archive, key);
  note_left_out(archive, {features, labels, key, "feature_names"}, table);
  return table;
}

}  // namespace obverse
