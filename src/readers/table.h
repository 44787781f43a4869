// What readers hand on: bytes on disk -> Table. A file format is one source file here and one line in formats.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <obverse/dataset.h>

#include "readers/budget.h"

namespace obverse {

/// Labels as they were written: the distinct texts in order of appearance, and the number of one of them for each row.
struct LabelColumn {
  std::vector<std::string> texts;
  std::vector<std::uint32_t> codes;
  bool declared_classes = false;  ///< by the file: categories, texts of an array, labels of pictures
};

/// Collects a LabelColumn row by row. Distinct labels are counted on the budget, where there is one.
class LabelCollector {
 public:
  LabelCollector() = default;
  explicit LabelCollector(ReadBudget& budget) : budget_(&budget) {}

  void add(std::string_view text) { column_.codes.push_back(code(text)); }
  void add(std::span<const double> numbers);
  /// The rows of `column` after those that are here.
  void append(const LabelColumn& column);
  LabelColumn take() { return std::move(column_); }

 private:
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  std::uint32_t code(std::string_view text);

  ReadBudget* budget_ = nullptr;
  LabelColumn column_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> known_;
};

/// Shortest text that reads back as the number; whole numbers without point or exponent: "1", "-2.5".
std::string number_text(double number);

/// What a file holds, in the storage it was found in.
struct Table {
  std::string format;  ///< as in FileSummary
  Storage storage;
  FeatureNames names;                 ///< one for each column; never empty when there are columns
  bool names_from_file = false;       ///< false: made up from the positions of the columns
  bool columns_chosen = false;        ///< the reader itself has left out, ordered and taken apart as requested
  bool open_ended = false;            ///< a column that is not there is zero
  std::optional<LabelColumn> labels;  ///< one for each row
  std::string target_name;
  std::optional<LabelColumn> split_keys;  ///< one for each row: what splits go by, a group or a time
  std::optional<ImageShape> image_shape;
  FeatureLayout layout;               ///< of a table; empty: numbers, all of them there
  std::vector<std::string> left_out;  ///< columns that are there and no use as features, once targets are taken
  std::vector<FileColumn> columns;    ///< as in FileSummary
  std::vector<std::string> notes;
};

/// What is asked of a reader.
struct Request {
  ReadOptions options;
  /// Read labels and nothing else: one for each row, in whatever form the format has for a single column.
  bool labels_only = false;
  /// A target column that is not there is no error: the table then comes without labels.
  bool target_may_be_missing = false;
  /// Columns that matter, where they can be told apart by name; others may be left out.
  const FeatureNames* wanted = nullptr;
  /// The data set that the file is read like: kinds and levels of columns are those that it has.
  const Dataset* like = nullptr;
};

/// The column that splits go by: that of groups or that of times; empty where neither is asked for.
const std::string& split_key(const ReadOptions& options);

/// Recognises the format by content and reads the file.
Table read_table(const std::string& path, const Request& request);

std::size_t row_count(const Storage& storage);
std::size_t column_count(const Storage& storage);

}  // namespace obverse
