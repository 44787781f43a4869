// Rows of features with a target for each row: a class, several labels, quantities, or nothing. The values stay in the
// type they came in; a subset of the rows shares them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <obverse/feature_layout.h>
#include <obverse/feature_names.h>

namespace obverse {

/// Row-major values. The pointer may own them or keep their owner alive.
template <class T>
struct DenseMatrix {
  std::shared_ptr<const T[]> values;
  std::size_t rows = 0;
  std::size_t cols = 0;

  std::span<const T> row(std::size_t r) const { return {values.get() + r * cols, cols}; }
};

/// Compressed sparse rows. Columns ascend within a row.
struct SparseMatrix {
  std::vector<std::size_t> row_begin;  ///< (rows + 1)
  std::vector<std::uint32_t> columns;
  std::vector<float> values;
  std::size_t cols = 0;

  std::size_t rows() const { return row_begin.empty() ? 0 : row_begin.size() - 1; }
};

/// The three forms in which values are kept: they are never converted into one another as a whole.
using Storage = std::variant<DenseMatrix<float>, DenseMatrix<std::uint8_t>, SparseMatrix>;

/// Height and width of the pictures whose pixels are the features.
struct ImageShape {
  std::size_t height = 0;
  std::size_t width = 0;
};

/// What is to be told from the features.
enum class Task {
  automatic,       ///< what the target is for
  classification,  ///< one class for each row
  multilabel,      ///< labels of which a row has any number
  regression,      ///< one quantity or several
  reconstruction   ///< the features themselves; needs no target
};
std::span<const std::string_view> names(Task);
/// What each of them tells, as help.
std::string_view tasks_help();

/// What a Dataset is made from. It has labels, or outputs, or neither.
struct DatasetParts {
  Storage storage;
  FeatureNames feature_names;        ///< one for each feature
  std::vector<std::int32_t> labels;  ///< one for each row, an index into class_names; empty without a target
  std::vector<std::string> class_names;
  std::string target_name;
  std::optional<ImageShape> image_shape;
  std::vector<float> outputs = {};             ///< (rows, T) quantities, or 1 for a label that a row has and 0 else
  std::vector<std::string> output_names = {};  ///< (T)
  bool multilabel = false;                     ///< the outputs are labels
  std::vector<float> weights = {};             ///< how much each row counts; empty: all alike
  // What splits have to heed: groups or times, or neither.
  std::vector<std::uint32_t> row_groups = {};     ///< one for each row, an index into row_group_names
  std::vector<std::string> row_group_names = {};  ///< (groups) patients, sites: no split parts one of them
  std::vector<double> times = {};                 ///< one for each row: what is tested is later than what is learned
  FeatureLayout layout = {};                      ///< of the columns of the storage; empty: a number each
};

/// A value: copying it copies no numbers.
class Dataset {
 public:
  /// Checks that the parts fit together and that every value is finite, or missing in a table.
  explicit Dataset(DatasetParts parts);

  std::size_t rows() const { return rows_.size(); }
  std::size_t features() const { return parts_->feature_names.size(); }
  /// Of the storage; as many as features where each of them is one number.
  std::size_t columns() const;
  const FeatureLayout& layout() const { return parts_->layout; }
  /// Whether values may be missing or categories: networks, rankers and classifiers want them encoded
  /// (dataset/encoding.h).
  bool is_table() const { return parts_->layout.is_table(); }
  /// The columns of the given features, in their order.
  std::vector<std::size_t> columns_of(std::span<const std::size_t> features) const;
  /// Classification, multilabel or regression by the target; reconstruction where there is none.
  Task task() const;
  std::size_t classes() const { return has_labels() ? parts_->class_names.size() : 0; }
  bool has_labels() const { return !target_hidden_ && !parts_->labels.empty(); }
  bool has_outputs() const { return !target_hidden_ && !parts_->outputs.empty(); }
  bool has_target() const { return has_labels() || has_outputs(); }

  const FeatureNames& feature_names() const { return parts_->feature_names; }
  /// Of the columns of the storage: the names of the features, unless some of these are groups of columns.
  const FeatureNames& column_names() const {
    return layout().column_names.empty() ? feature_names() : layout().column_names;
  }
  const std::vector<std::string>& class_names() const { return parts_->class_names; }
  const std::string& target_name() const { return parts_->target_name; }
  const std::optional<ImageShape>& image_shape() const { return parts_->image_shape; }
  const Storage& storage() const { return parts_->storage; }

  /// The rows of the storage that belong to this data set, in order.
  std::span<const std::uint32_t> storage_rows() const { return rows_; }
  std::int32_t label(std::size_t row) const { return parts_->labels[rows_[row]]; }
  /// (T) of one row.
  std::span<const float> outputs(std::size_t row) const {
    return std::span(parts_->outputs).subspan(rows_[row] * parts_->output_names.size(), parts_->output_names.size());
  }
  const std::vector<std::string>& output_names() const { return parts_->output_names; }
  /// How much a row counts, in training and where predictions of it are measured.
  float weight(std::size_t row) const { return weights_ ? (*weights_)[rows_[row]] : 1.0F; }
  bool has_weights() const { return weights_ != nullptr; }
  /// (rows) the weight of each; empty: all alike.
  std::vector<float> weights() const;
  /// Rows of one group stay on one side of every split.
  bool has_row_groups() const { return !parts_->row_groups.empty(); }
  std::uint32_t row_group(std::size_t row) const { return parts_->row_groups[rows_[row]]; }
  const std::vector<std::string>& row_group_names() const { return parts_->row_group_names; }
  /// Every split learns from earlier rows and is tested on later ones.
  bool has_times() const { return !parts_->times.empty(); }
  double time(std::size_t row) const { return parts_->times[rows_[row]]; }
  std::vector<std::int32_t> labels() const;
  /// Rows of each class.
  std::vector<std::size_t> class_counts() const;

  /// The given rows of this data set, sharing its values.
  Dataset subset(std::span<const std::uint32_t> rows) const;

  /// The same rows without their target.
  Dataset without_target() const;
  /// The same rows, each with a weight, in their order.
  Dataset weighted(std::span<const float> weights) const;
  /// Without the rows of weight 0.
  Dataset of_positive_weight() const;

  /// Whether both are subsets of the same data.
  bool shares_values(const Dataset& other) const { return parts_ == other.parts_; }
  /// These rows and behind them those of another subset of the same data.
  Dataset followed_by(const Dataset& other) const;

  /// Writes the given columns of one row to `out`, in the order given.
  void copy_columns(std::size_t row, std::span<const std::size_t> columns, float* out) const;

 private:
  std::shared_ptr<const DatasetParts> parts_;
  std::vector<std::uint32_t> rows_;
  std::shared_ptr<const std::vector<float>> weights_;  // by row of the storage; none: all alike
  bool target_hidden_ = false;
};

/// How to read a file; the format itself is recognised by content.
struct ReadOptions {
  std::string target = {};                ///< column name, column number from 1 (-1 is the last), or variable name
  std::string labels = {};                ///< a file with one label for each row, instead of a target column
  std::vector<std::string> targets = {};  ///< several columns to tell: labels as 0 and 1, or quantities
  std::string weights = {};               ///< a column that says how much each row counts
  std::string row_groups = {};            ///< a column whose equal values hold rows together in every split
  std::string time = {};                  ///< a column by which splits learn from earlier rows and test on later ones
  std::vector<std::string> drop = {};     ///< columns to leave out; * and ? stand for any characters and for one
  /// Columns that are one feature: a file of groups, or patterns, each of which is a group.
  std::vector<std::string> column_groups = {};
  std::vector<std::string> as = {};  ///< COLUMN=KIND: number, boolean, category or date, whatever it looks like
  std::vector<std::string> na = {};  ///< more texts that stand for a missing value
  std::string missing = "impute";    ///< impute, drop-rows or error: what is done about missing values of a table
  std::string header = "auto";       ///< auto, yes or no
  std::string separator = "auto";    ///< auto, or one character; \t for a tab
  bool target_required = true;       ///< false: a file without a target is fine (`info`, `transform`)
  /// Bytes that reading may take; 0: by the size of the file.
  std::uint64_t max_memory = 0;
  /// What the target is read as; automatic: classes, or a quantity where it has fractions or many different numbers.
  Task task = Task::automatic;
};

/// A column of a file that holds a table: categories, dates, or missing values.
struct FileColumn {
  std::string name;
  std::string kind;           ///< number, boolean, category, date, identity or text; empty: not looked at
  std::size_t missing = 0;    ///< rows
  std::size_t different = 0;  ///< values that are there
  std::string example;        ///< the first of them
  std::string use;            ///< "feature", "target", "left out: identity", ...
};

/// What was understood of a file, beside the data.
struct FileSummary {
  std::string format;                    ///< "CSV, comma separated, header", "MAT v5", ...
  std::vector<std::string> notes;        ///< choices made without being asked
  std::vector<FileColumn> columns = {};  ///< of a table, in the order of the file; empty for plain numbers
};

/// Reads any supported file. Throws Error with the place of the first fault.
Dataset read(const std::string& path, const ReadOptions& options = {}, FileSummary* summary = nullptr);

/// Reads a file whose columns and classes must be those of `like`, matched by name where both have names.
Dataset read_like(const std::string& path, const Dataset& like, const ReadOptions& options = {});

struct SplitOptions {
  double test_fraction = 0.2;
  std::uint64_t seed = 0;
};

/// Stratified: each class gives its share, at least one row to each part; without classes the rows do. Groups of rows
/// go to one part whole, each class as near to its share as they allow. Of rows with times the latest are the test,
/// whatever the seed. Returns {train, test}.
std::pair<Dataset, Dataset> split(const Dataset& data, const SplitOptions& options = {});

/// The rows of two data sets, one behind the other, in storage of their own. Both have the same features and classes
/// and keep their values in the same form.
Dataset joined(const Dataset& first, const Dataset& second);

/// A name for the values, labels and names of the data: 16 hexadecimal digits.
std::string fingerprint(const Dataset& data);

/// Every feature number.
std::vector<std::size_t> all_features(const Dataset& data);
/// Every column number.
std::vector<std::size_t> all_columns(const Dataset& data);

/// (features) the names of the columns of each group of columns, none for other features; empty without groups.
std::vector<std::vector<std::string>> columns_of_groups(const Dataset& data);

/// Features that have more than one value, ascending; a missing value counts as one. Of sparse rows they are no more
/// than the entries.
std::vector<std::size_t> varying_features(const Dataset& data);

/// Features that have one value only, ascending: all others.
std::vector<std::size_t> constant_features(const Dataset& data);

}  // namespace obverse
