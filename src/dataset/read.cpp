// From a file to a data set: the table that a reader hands on, its target, its columns, its classes.
#include <algorithm>
#include <cmath>
#include <optional>
#include <set>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "dataset/column_groups.h"
#include "dataset/labels.h"
#include "dataset/matrix_columns.h"
#include "dataset/target_task.h"
#include "dataset/tasks.h"
#include "readers/column_groups.h"
#include "readers/columns.h"
#include "readers/table.h"
#include "support/text.h"

namespace obverse {
namespace {

std::vector<std::size_t> columns_without(std::size_t count, const std::vector<std::size_t>& gone) {
  std::vector<std::size_t> kept;
  for (std::size_t c = 0; c < count; ++c) {
    if (!std::binary_search(gone.begin(), gone.end(), c)) kept.push_back(c);
  }
  return kept;
}

template <class T>
DenseMatrix<T> without(const DenseMatrix<T>& matrix, const std::vector<std::size_t>& gone) {
  return select(matrix, columns_without(matrix.cols, gone));
}

SparseMatrix without(const SparseMatrix& matrix, const std::vector<std::size_t>& gone) {
  return moved(matrix, matrix.cols - gone.size(), [&](std::size_t column) -> std::optional<std::size_t> {
    const auto at = std::lower_bound(gone.begin(), gone.end(), column);
    if (at != gone.end() && *at == column) return std::nullopt;
    return column - static_cast<std::size_t>(at - gone.begin());
  });
}

template <class T>
std::vector<double> column_values(const DenseMatrix<T>& matrix, std::size_t column) {
  std::vector<double> values(matrix.rows);
  for (std::size_t r = 0; r < matrix.rows; ++r) values[r] = matrix.row(r)[column];
  return values;
}

std::vector<double> column_values(const SparseMatrix& matrix, std::size_t column) {
  std::vector<double> values(matrix.rows());
  for (std::size_t r = 0; r < matrix.rows(); ++r) {
    for (std::size_t i = matrix.row_begin[r]; i < matrix.row_begin[r + 1]; ++i) {
      if (matrix.columns[i] == column) values[r] = matrix.values[i];
    }
  }
  return values;
}

/// Leaves columns out, which ascend. Pictures that lose pixels are pictures no more.
void remove_columns(Table& table, const std::vector<std::size_t>& gone) {
  if (gone.empty()) return;
  if (table.layout.is_table()) table.layout = select(table.layout, columns_without(table.names.size(), gone));
  table.names = table.names.without(gone);
  table.image_shape.reset();
  table.storage = std::visit([&](const auto& matrix) -> Storage { return without(matrix, gone); }, table.storage);
}

/// The target column and the columns to drop, for readers that handed on all of them.
void choose_columns(Table& table, const Request& request, const std::string& path) {
  if (table.columns_chosen) return;
  std::set<std::size_t> gone;
  const std::string& target = request.options.target;
  if (!table.labels && !target.empty() && !(request.target_may_be_missing && !find_column(table.names, target))) {
    const std::size_t column = expect_column(table.names, target, path, "target column");
    LabelCollector labels;
    labels.add(std::visit([&](const auto& matrix) { return column_values(matrix, column); }, table.storage));
    table.labels = labels.take();
    table.target_name = table.names[column];
    gone.insert(column);
  }
  if (const std::string& key = split_key(request.options); !key.empty() && !table.split_keys) {
    const std::size_t column = expect_column(table.names, key, path, "column to split by");
    if (!gone.insert(column).second) {
      throw Error(Fault::usage, cat("column '", key, "' cannot be split by and be the target"));
    }
    LabelCollector keys;
    keys.add(std::visit([&](const auto& matrix) { return column_values(matrix, column); }, table.storage));
    table.split_keys = keys.take();
  }
  for (const std::size_t column :
       columns_to_drop(table.names, request.options.drop, path, request.wanted != nullptr, table.target_name)) {
    if (gone.contains(column) && table.names[column] == table.target_name) {
      throw Error(Fault::usage, cat("column '", table.names[column], "' is the target and cannot be left out"));
    }
    gone.insert(column);
  }
  remove_columns(table, {gone.begin(), gone.end()});
}

void require_one_source(const ReadOptions& options) {
  const int sources = int{!options.target.empty()} + int{!options.labels.empty()} + int{!options.targets.empty()};
  if (sources > 1) {
    throw Error(
        Fault::usage,
        "the target comes from columns or from a label file: give one of --target, --targets and --labels, not both");
  }
  if (!options.row_groups.empty() && !options.time.empty()) {
    throw Error(Fault::usage, "a split goes by groups or by time: give --row-groups or --time, not both");
  }
  if (options.task == Task::multilabel && options.targets.empty() && options.target_required) {
    throw Error(Fault::usage, "task multilabel needs a column of 0 and 1 for each label: name them with --targets");
  }
}

/// Columns that were read as features and are none.
struct TakenColumns {
  std::vector<std::string> names;
  std::vector<std::vector<double>> values;  // (columns, rows)
};

/// Words are no quantity; true and false are 1 and 0.
void require_numbers(const Table& table, std::size_t column, const std::string& path, std::string_view what) {
  const ColumnKind kind = table.layout.kinds[column];
  if (kind == ColumnKind::number || kind == ColumnKind::boolean) return;
  const std::vector<std::string>& levels = table.layout.levels[column];
  throw Error(Fault::input, cat(path, ": ", what, " '", table.names[column], "': expected numbers, found ",
                                kind == ColumnKind::date ? "dates" : "words",
                                levels.empty() ? "" : cat(" such as '", excerpt(levels.front()), "'")));
}

TakenColumns take_columns(Table& table, const std::vector<std::string>& asked, const std::string& path,
                          std::string_view what) {
  TakenColumns taken;
  std::set<std::size_t> gone;
  for (const std::string& name : asked) {
    const std::size_t column = expect_column(table.names, name, path, what);
    if (!gone.insert(column).second) throw Error(Fault::usage, cat(what, " '", name, "' is named twice"));
    if (table.layout.is_table()) require_numbers(table, column, path, what);
    for (FileColumn& shown : table.columns) {
      if (shown.name == table.names[column]) shown.use = std::string(what.substr(0, what.find(' ')));
    }
    taken.names.push_back(table.names[column]);
    taken.values.push_back(
        std::visit([&](const auto& matrix) { return column_values(matrix, column); }, table.storage));
  }
  if (gone.size() == table.names.size()) throw Error(Fault::input, cat(path, ": no column is left for the features"));
  remove_columns(table, {gone.begin(), gone.end()});
  return taken;
}

/// A label file may have a line more than there are rows: a header.
void add_labels_from_file(Table& table, const ReadOptions& options, const std::string& path) {
  const std::string& labels_path = options.labels;
  Request request;
  request.labels_only = true;
  request.options.max_memory = options.max_memory;
  Table file = read_table(labels_path, request);
  const std::size_t rows = row_count(table.storage);
  LabelColumn column = std::move(*file.labels);
  const bool text = file.columns_chosen;
  if (text && column.codes.size() == rows + 1) {
    LabelCollector rest;
    for (std::size_t i = 1; i < column.codes.size(); ++i) rest.add(column.texts[column.codes[i]]);
    table.notes.push_back(cat("the first line of ", labels_path, " is taken as a header"));
    column = rest.take();
  }
  if (column.codes.size() != rows) {
    throw Error(Fault::input, cat(labels_path, ": expected ", rows, " labels, one for each row of ", path, ", found ",
                                  column.codes.size()));
  }
  table.labels = std::move(column);
  table.target_name = "label";
}

Table read_with_labels(const std::string& path, Request request) {
  ReadOptions& options = request.options;
  if (!options.targets.empty() || options.task == Task::reconstruction) options.target_required = false;
  Table table = read_table(path, request);
  choose_columns(table, request, path);
  if (!options.labels.empty()) add_labels_from_file(table, options, path);
  if (!table.labels && options.target_required) {
    throw Error(Fault::input,
                cat(path, ": what is to be told from the features? Name the target column with --target (",
                    short_list(table.names),
                    "), a label file with --labels, or --task reconstruction "
                    "for data without one"));
  }
  if (table.labels && table.labels->codes.size() != row_count(table.storage)) {
    throw Error(Fault::input, cat(path, ": expected ", row_count(table.storage), " labels in '", table.target_name,
                                  "', one for each row, found ", table.labels->codes.size()));
  }
  if (table.split_keys && table.split_keys->codes.size() != row_count(table.storage)) {
    throw Error(Fault::input, cat(path, ": expected ", row_count(table.storage), " values in '", split_key(options),
                                  "', one for each row, found ", table.split_keys->codes.size()));
  }
  return table;
}

/// The columns that are no features.
struct ExtraColumns {
  TakenColumns targets;
  TakenColumns weights;  // one or none
};

ExtraColumns take_extra_columns(Table& table, const ReadOptions& options, const std::string& path) {
  ExtraColumns extra;
  extra.targets = take_columns(table, options.targets, path, "target column");
  if (!options.weights.empty()) extra.weights = take_columns(table, {options.weights}, path, "weight column");
  return extra;
}

/// (rows, columns) of the taken columns.
std::vector<float> side_by_side(const TakenColumns& columns) {
  std::vector<float> values;
  if (columns.values.empty()) return values;
  for (std::size_t r = 0; r < columns.values.front().size(); ++r) {
    for (const std::vector<double>& column : columns.values) values.push_back(static_cast<float>(column[r]));
  }
  return values;
}

void add_outputs(const Table& table, const ExtraColumns& extra, Task task, const std::string& where,
                 DatasetParts& parts) {
  parts.weights = side_by_side(extra.weights);
  if (!extra.targets.names.empty()) {
    parts.outputs = side_by_side(extra.targets);
    parts.output_names = extra.targets.names;
    parts.target_name = join(parts.output_names);
    const bool flags =
        std::all_of(parts.outputs.begin(), parts.outputs.end(), [](float x) { return x == 0 || x == 1; });
    parts.multilabel = task == Task::multilabel || (task != Task::regression && flags);
  } else if (task == Task::regression && table.labels) {
    parts.outputs = encode_quantities(*table.labels, where);
    parts.output_names = {parts.target_name};
  }
}

/// What one target column is read as where the user leaves it open, with a note where that can be doubted.
/// A reconstruction does not use the target, but keeps it for evaluations.
Task settled_task(Table& table, Task asked) {
  if (!table.labels || (asked != Task::automatic && asked != Task::reconstruction)) return asked;
  const TargetTask target = task_of(*table.labels);
  const std::string note = task_note(target, table.target_name, cat("--task ", record_of(other_task(target)).name));
  if (!note.empty()) table.notes.push_back(note);
  return target.task;
}

/// What splits go by.
void add_split_keys(Table& table, const ReadOptions& options, const std::string& path, DatasetParts& parts) {
  if (!table.split_keys) return;
  if (!options.time.empty()) {
    parts.times = encode_times(*table.split_keys, cat(path, ": column '", options.time, "'"));
  } else {
    if (table.split_keys->texts.size() == 1) {
      throw Error(Fault::input, cat(path, ": column '", options.row_groups, "' holds all rows in one group, '",
                                    excerpt(table.split_keys->texts.front()),
                                    "', so that no split is possible; give --row-groups another column"));
    }
    parts.row_groups = std::move(table.split_keys->codes);
    parts.row_group_names = std::move(table.split_keys->texts);
  }
}

Dataset make_dataset(DatasetParts parts, const std::string& path) {
  try {
    return Dataset(std::move(parts));
  } catch (const Error& error) {
    throw Error(error.fault(), cat(path, ": ", error.what()));
  }
}

std::string place_of_labels(const std::string& path, const Table& table) {
  return cat(path, ": target '", table.target_name, "'");
}

/// The columns of the file that are no features, and what they are.
std::vector<OtherColumn> other_columns(const Table& table, const ExtraColumns& extra, const ReadOptions& options) {
  std::vector<OtherColumn> others;
  if (table.labels && options.labels.empty()) others.push_back({table.target_name, "it is the target"});
  for (const std::string& name : extra.targets.names) others.push_back({name, "it is a target"});
  for (const std::string& name : extra.weights.names) others.push_back({name, "it holds the weights of the rows"});
  if (!split_key(options).empty()) others.push_back({split_key(options), "splits go by it"});
  for (const FileColumn& column : table.columns) {
    if (column.use.starts_with("left out")) others.push_back({column.name, column.use});
  }
  return others;
}

/// The column that has each of the wanted names.
std::vector<std::size_t> order_of(const FeatureNames& names, const FeatureNames& wanted) {
  const NameIndex columns(names);
  std::vector<std::size_t> order;
  order.reserve(wanted.size());
  for (const std::string& name : wanted) order.push_back(*columns.find(name));
  return order;
}

template <class T>
DenseMatrix<T> matched(const DenseMatrix<T>& matrix, const FeatureNames& names, const FeatureNames& wanted) {
  return select(matrix, order_of(names, wanted));
}

SparseMatrix matched(const SparseMatrix& matrix, const FeatureNames& names, const FeatureNames& wanted) {
  const NameIndex places(wanted);
  return moved(matrix, wanted.size(), [&](std::size_t column) { return places.find(names[column]); });
}

/// The columns of `like`, by name; by position where the file has no names of its own.
void match_columns(Table& table, const Dataset& like, const std::string& path) {
  const FeatureNames& wanted = like.column_names();
  if (table.names == wanted) return;
  if (!table.open_ended) {
    const NameIndex columns(table.names);
    std::vector<std::string> missing;
    for (const std::string& name : wanted) {
      if (!columns.find(name)) missing.push_back(name);
    }
    if (!missing.empty()) {
      if (table.names_from_file || table.names.size() != wanted.size()) refuse_missing(path, missing);
      return;
    }
  }
  table.image_shape.reset();
  if (table.layout.is_table()) table.layout = select(table.layout, order_of(table.names, wanted));
  table.storage =
      std::visit([&](const auto& matrix) -> Storage { return matched(matrix, table.names, wanted); }, table.storage);
  table.names = wanted;
  table.left_out.clear();
}

/// Leaves rows out of all that has one value for each.
void keep_rows(Table& table, ExtraColumns& extra, const std::vector<std::size_t>& rows) {
  const auto& matrix = std::get<DenseMatrix<float>>(table.storage);
  auto values = std::make_shared_for_overwrite<float[]>(rows.size() * matrix.cols);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto row = matrix.row(rows[i]);
    std::copy(row.begin(), row.end(), values.get() + i * matrix.cols);
  }
  table.storage = DenseMatrix<float>{std::move(values), rows.size(), matrix.cols};
  const auto keep = [&](auto& list) {
    for (std::size_t i = 0; i < rows.size(); ++i) list[i] = list[rows[i]];
    list.resize(rows.size());
  };
  if (table.labels) {
    LabelCollector labels;  // texts that no row has any more are no classes
    for (const std::size_t r : rows) labels.add(table.labels->texts[table.labels->codes[r]]);
    table.labels = labels.take();
  }
  if (table.split_keys) keep(table.split_keys->codes);
  for (TakenColumns* taken : {&extra.targets, &extra.weights}) {
    for (std::vector<double>& column : taken->values) keep(column);
  }
}

/// Rows for which `present` says so; the note tells how many are left out, and `why`.
template <class Present>
void keep_present_rows(Table& table, ExtraColumns& extra, const std::string& path, const std::string& why,
                       const Present& present) {
  const std::size_t count = row_count(table.storage);
  std::vector<std::size_t> rows;
  for (std::size_t r = 0; r < count; ++r) {
    if (present(r)) rows.push_back(r);
  }
  if (rows.size() == count) return;
  if (rows.empty()) throw Error(Fault::input, cat(path, ": no row is left: in each of them ", why));
  table.notes.push_back(
      cat(with_commas(count - rows.size()), count - rows.size() == 1 ? " row is" : " rows are", " left out: ", why));
  keep_rows(table, extra, rows);
}

/// (columns) rows in which the value is missing.
std::vector<std::size_t> holes_of(const DenseMatrix<float>& matrix) {
  std::vector<std::size_t> holes(matrix.cols);
  for (std::size_t r = 0; r < matrix.rows; ++r) {
    for (std::size_t c = 0; c < matrix.cols; ++c) holes[c] += std::isnan(matrix.row(r)[c]) ? 1 : 0;
  }
  return holes;
}

[[noreturn]] void refuse_holes(const Table& table, const std::vector<std::size_t>& holes, const std::string& path) {
  std::vector<std::string> columns;
  for (std::size_t c = 0; c < holes.size(); ++c) {
    if (holes[c] > 0) columns.push_back(cat(table.names[c], " (", with_commas(holes[c]), ")"));
  }
  throw Error(Fault::input,
              cat(path, ": ", count_text(columns.size(), "column"), " with missing values: ", join(columns),
                  "; fill them, leave columns out with --drop, or say --missing impute", " or --missing drop-rows"));
}

/// What is left to do about a table once its features are known: columns without use, and missing values.
void settle_table(Table& table, ExtraColumns& extra, const ReadOptions& options, const std::string& path) {
  if (!table.layout.is_table()) return;
  std::vector<std::size_t> gone;
  for (const std::string& name : table.left_out) {
    if (const auto column = table.names.find(name)) gone.push_back(*column);
  }
  std::sort(gone.begin(), gone.end());
  if (gone.size() == table.names.size()) {
    throw Error(Fault::input, cat(path, ": no column is left for the features: ", join(table.notes, "; ")));
  }
  remove_columns(table, gone);
  keep_present_rows(table, extra, path, "a target is missing there", [&](std::size_t r) {
    return std::none_of(extra.targets.values.begin(), extra.targets.values.end(),
                        [r](const auto& column) { return std::isnan(column[r]); });
  });
  std::vector<std::size_t> holes = holes_of(std::get<DenseMatrix<float>>(table.storage));
  const auto any = [&] { return std::any_of(holes.begin(), holes.end(), [](std::size_t count) { return count > 0; }); };
  if (options.missing == "error" && any()) refuse_holes(table, holes, path);
  if (options.missing == "drop-rows" && any()) {
    const auto matrix = std::get<DenseMatrix<float>>(table.storage);
    keep_present_rows(table, extra, path, "values are missing there", [&](std::size_t r) {
      const auto row = matrix.row(r);
      return std::none_of(row.begin(), row.end(), [](float value) { return std::isnan(value); });
    });
    std::fill(holes.begin(), holes.end(), 0);
  }
  const bool numbers = std::all_of(table.layout.kinds.begin(), table.layout.kinds.end(),
                                   [](ColumnKind kind) { return kind == ColumnKind::number; });
  if (numbers && !any()) table.layout = {};
}

/// Data of other formats have the kinds of the table that they are read like, where those are numbers.
void settle_like(Table& table, const Dataset& like, const std::string& path) {
  if (!like.is_table() && table.layout.is_table()) {
    throw Error(Fault::input, cat(path, ": values are missing, while the other data has none missing; fill them"));
  }
  if (!like.is_table() || table.layout.is_table()) return;
  const auto& kinds = like.layout().kinds;
  const auto coded = std::find_if(kinds.begin(), kinds.end(), [](ColumnKind kind) {
    return kind == ColumnKind::category || kind == ColumnKind::date;
  });
  if (coded != kinds.end() || !std::holds_alternative<DenseMatrix<float>>(table.storage)) {
    std::string words;
    if (coded != kinds.end()) {
      words =
          cat(", with words in column '", like.column_names()[static_cast<std::size_t>(coded - kinds.begin())], "'");
    }
    throw Error(Fault::input, cat(path, ": expected a table as CSV, like the other data", words));
  }
  table.layout = like.layout();
}

}  // namespace

Dataset read(const std::string& path, const ReadOptions& options, FileSummary* summary) {
  require_one_source(options);
  Table table = read_with_labels(path, {.options = options});
  ExtraColumns extra = take_extra_columns(table, options, path);
  settle_table(table, extra, options, path);
  std::optional<GroupedColumns> groups;
  if (!options.column_groups.empty()) {
    const std::vector<OtherColumn> others = other_columns(table, extra, options);
    groups = grouped_columns(table.names, read_column_groups(options.column_groups), others, path);
  }
  const Task task = settled_task(table, options.task);
  if (summary != nullptr) *summary = {table.format, table.notes, table.columns};
  const std::string where = place_of_labels(path, table);
  EncodedLabels labels;
  if (table.labels && task != Task::regression) labels = encode_labels(*table.labels, where);
  DatasetParts parts{std::move(table.storage),      std::move(table.names), std::move(labels.labels),
                     std::move(labels.class_names), table.target_name,      table.image_shape};
  add_outputs(table, extra, task, where, parts);
  add_split_keys(table, options, path, parts);
  parts.layout = std::move(table.layout);
  const Dataset data = make_dataset(std::move(parts), path);
  return groups ? grouped(data, *groups) : data;
}

Dataset read_like(const std::string& path, const Dataset& like, const ReadOptions& asked) {
  require_one_source(asked);
  ReadOptions options = asked;
  const bool quantities = like.has_outputs();
  const bool several = quantities && (like.output_names().size() > 1 || !asked.targets.empty());
  if (several && options.targets.empty()) options.targets = like.output_names();
  Request request{.options = options, .wanted = several ? nullptr : &like.column_names(), .like = &like};
  if (options.target.empty() && options.labels.empty() && options.targets.empty()) {
    request.options.target = like.target_name();
    request.target_may_be_missing = true;
  }
  Table table = read_with_labels(path, request);
  ExtraColumns extra = take_extra_columns(table, options, path);
  match_columns(table, like, path);
  settle_table(table, extra, options, path);
  settle_like(table, like, path);
  const std::string where = place_of_labels(path, table);
  EncodedLabels labels;
  if (table.labels && !quantities) {
    labels.labels = encode_labels_as(*table.labels, like.class_names(), where);
    labels.class_names = like.class_names();
  }
  DatasetParts parts{std::move(table.storage), like.feature_names(),
                     std::move(labels.labels), std::move(labels.class_names),
                     like.target_name(),       table.image_shape ? table.image_shape : like.image_shape()};
  if (!like.layout().column_names.empty()) parts.image_shape.reset();
  add_outputs(table, extra, quantities ? like.task() : Task::classification, where, parts);
  add_split_keys(table, options, path, parts);
  parts.layout = std::move(table.layout);
  parts.layout.begin = like.layout().begin;
  parts.layout.column_names = like.layout().column_names;
  return make_dataset(std::move(parts), path);
}

}  // namespace obverse
