#include "data.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "arrow_stream.h"
#include "dataset/column_groups.h"
#include "dataset/target_task.h"
#include "dataset/tasks.h"
#include "frame_table.h"
#include "support/text.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace obverse {
namespace {

template <class T, std::size_t Dimensions>
using Array = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;

template <class T, class Made = T>
std::vector<Made> copied(const Array<T, 1>& array) {
  return std::vector<Made>(array.data(), array.data() + array.size());
}

/// The array lives as long as the last data set that shares its values, whichever thread lets go of it.
template <class T>
DenseMatrix<T> shared(const Array<T, 2>& array) {
  return {std::shared_ptr<const T[]>(array.data(), [array](const T*) {}), array.shape(0), array.shape(1)};
}

/// Columns ascend within a row and none comes twice: the caller has seen to it, and Dataset checks it.
template <class Index>
SparseMatrix sparse(const Array<std::int64_t, 1>& row_begin, const Array<Index, 1>& columns,
                    const Array<float, 1>& values, std::size_t cols) {
  return {copied<std::int64_t, std::size_t>(row_begin), copied<Index, std::uint32_t>(columns), copied(values), cols};
}

/// What is known of the rows beside their features.
struct Target {
  std::string name;
  std::vector<std::int32_t> labels;
  std::vector<std::string> class_names;
  std::vector<float> outputs;  // (rows, T)
  std::vector<std::string> output_names;
  bool multilabel = false;
  std::vector<float> weights;
  std::vector<std::uint32_t> row_groups;
  std::vector<std::string> row_group_names;
  std::vector<double> times;
};

Target class_target(std::string name, const Array<std::int32_t, 1>& labels, std::vector<std::string> class_names) {
  Target target;
  target.name = std::move(name);
  target.labels = copied(labels);
  target.class_names = std::move(class_names);
  return target;
}

Target output_target(std::string name, const Array<float, 2>& outputs, std::vector<std::string> names,
                     bool multilabel) {
  Target target;
  target.name = std::move(name);
  target.outputs.assign(outputs.data(), outputs.data() + outputs.size());
  target.output_names = std::move(names);
  target.multilabel = multilabel;
  return target;
}

/// With task `auto`: the task of a target with these different values, none of them for words, and how many rows hold
/// each; and a note where it can be doubted.
std::pair<std::string, std::string> target_task(const std::string& name, const std::optional<Array<double, 1>>& values,
                                                const Array<std::int64_t, 1>& rows) {
  const std::vector<std::size_t> counts = copied<std::int64_t, std::size_t>(rows);
  TargetTask found;
  if (values) {
    found = task_of_numbers(std::span(values->data(), values->size()), counts);
  } else {
    const std::size_t all = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
    require_repeated_labels(counts.size(), all, LabelKind::words, cat("target '", name, "'"));
  }
  const std::string option = cat("task='", record_of(other_task(found)).name, "'");
  return {std::string(record_of(found.task).name), task_note(found, name, option)};
}

using Picture = std::optional<std::pair<std::size_t, std::size_t>>;

/// `parts` has the features: the rest is the target's.
Dataset dataset(DatasetParts parts, const Target& target, const Picture& picture) {
  parts.labels = target.labels;
  parts.class_names = target.class_names;
  parts.target_name = target.name;
  parts.outputs = target.outputs;
  parts.output_names = target.output_names;
  parts.multilabel = target.multilabel;
  parts.weights = target.weights;
  parts.row_groups = target.row_groups;
  parts.row_group_names = target.row_group_names;
  parts.times = target.times;
  if (picture) parts.image_shape = ImageShape{picture->first, picture->second};
  return Dataset(std::move(parts));
}

Dataset dataset(Storage storage, std::vector<std::string> names, const Target& target, const Picture& picture) {
  DatasetParts parts;
  parts.storage = std::move(storage);
  parts.feature_names = std::move(names);
  const nb::gil_scoped_release released;  // looks at every value
  return dataset(std::move(parts), target, picture);
}

template <class T>
void add_dense(nb::module_& module) {
  module.def(
      "dense",
      [](const Array<T, 2>& values, std::vector<std::string> names, const Target& target, const Picture& picture) {
        return dataset(shared<T>(values), std::move(names), target, picture);
      },
      "values"_a.noconvert(), "names"_a, "target"_a, "picture"_a.none(), "Values in place: float32 or uint8, C order.");
}

template <class Index>
void add_sparse(nb::module_& module) {
  module.def(
      "sparse",
      [](const Array<std::int64_t, 1>& row_begin, const Array<Index, 1>& columns, const Array<float, 1>& values,
         std::vector<std::string> names, const Target& target, const Picture& picture) {
        const std::size_t cols = names.size();
        return dataset(sparse<Index>(row_begin, columns, values, cols), std::move(names), target, picture);
      },
      "row_begin"_a.noconvert(), "columns"_a.noconvert(), "values"_a.noconvert(), "names"_a, "target"_a,
      "picture"_a.none(), "Compressed sparse rows, columns ascending within each.");
}

// ---- Frames, column by column ----

using NumberArray = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;

ElementType number_type(nb::dlpack::dtype type) {
  using Code = nb::dlpack::dtype_code;
  const auto is = [&](Code code, int bits) {
    return type.code == static_cast<std::uint8_t>(code) && type.bits == bits && type.lanes == 1;
  };
  if (is(Code::Bool, 8) || is(Code::UInt, 8)) return ElementType::uint8;
  if (is(Code::Int, 8)) return ElementType::int8;
  if (is(Code::Int, 16)) return ElementType::int16;
  if (is(Code::UInt, 16)) return ElementType::uint16;
  if (is(Code::Int, 32)) return ElementType::int32;
  if (is(Code::UInt, 32)) return ElementType::uint32;
  if (is(Code::Int, 64)) return ElementType::int64;
  if (is(Code::UInt, 64)) return ElementType::uint64;
  if (is(Code::Float, 16)) return ElementType::float16;
  if (is(Code::Float, 32)) return ElementType::float32;
  if (is(Code::Float, 64)) return ElementType::float64;
  throw Error(Fault::input, "X: expected whole numbers or float16, float32 or float64");
}

/// In place, with true where a value is missing.
void add_numbers(FrameTable& table, const NumberArray& values, const std::optional<Array<bool, 1>>& missing) {
  NumberChunk chunk{
      .type = number_type(values.dtype()),
      .values = values.data(),
      .step = static_cast<std::ptrdiff_t>(values.stride(0)) * static_cast<std::ptrdiff_t>(values.itemsize()),
      .rows = values.shape(0)};
  if (missing) {
    if (missing->size() != chunk.rows) throw Error(Fault::input, "X: a column and its mask differ in length");
    chunk.missing = missing->data();
  }
  const bool boolean = values.dtype().code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::Bool);
  table.keep(std::make_shared<std::pair<NumberArray, std::optional<Array<bool, 1>>>>(values, missing));
  table.add_numbers({chunk}, boolean);
}

/// Numbers of texts; -1 for a missing value.
void add_texts(FrameTable& table, const Array<std::int32_t, 1>& codes, std::vector<std::string> texts, bool declared) {
  LabelColumn column{.texts = std::move(texts), .codes = {}};
  const auto missing = static_cast<std::uint32_t>(column.texts.size());
  column.texts.emplace_back();
  column.codes.reserve(codes.size());
  for (const std::int32_t code : std::span(codes.data(), codes.size())) {
    const std::uint32_t number = code < 0 ? missing : static_cast<std::uint32_t>(code);
    if (number > missing) throw Error(Fault::input, cat("X: expected texts below ", missing, ", found number ", code));
    column.codes.push_back(number);
  }
  table.add_texts(std::move(column), declared);
}

std::vector<std::string> add_capsule(FrameTable& table, const nb::object& capsule) {
  constexpr const char* kName = "arrow_array_stream";
  if (PyCapsule_IsValid(capsule.ptr(), kName) == 0) {
    throw Error(Fault::input, "X: __arrow_c_stream__() gave something else than a stream of Arrow");
  }
  return add_stream(*static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), kName)), table);
}

std::optional<ColumnKind> kind_of(const std::optional<std::string>& word, const std::string& column) {
  if (!word) return std::nullopt;
  const auto kinds = names(ColumnKind{});
  const auto it = std::find(kinds.begin(), kinds.end(), *word);
  if (it != kinds.end()) return static_cast<ColumnKind>(it - kinds.begin());
  throw Error(Fault::usage, cat("kinds: expected ", join(kinds), " for column '", excerpt(column), "', found '",
                                excerpt(*word), "'"));
}

void settle(FrameTable& table, std::vector<std::string> columns, const std::vector<std::optional<std::string>>& kinds) {
  FrameTable::Request request{.names = std::move(columns), .kinds = {}};
  for (std::size_t c = 0; c < kinds.size(); ++c) request.kinds.push_back(kind_of(kinds[c], request.names[c]));
  const nb::gil_scoped_release released;
  table.settle(request);
}

void settle_like(FrameTable& table, std::vector<std::string> columns, const Dataset& like,
                 std::vector<std::size_t> features) {
  const nb::gil_scoped_release released;
  table.settle({.names = std::move(columns), .kinds = {}, .like = &like, .features = std::move(features)});
}

Dataset table_data(const FrameTable& table, const Target& target, const Picture& picture,
                   const std::optional<Array<std::int64_t, 1>>& rows) {
  std::optional<std::vector<std::uint32_t>> kept;
  if (rows) kept = copied<std::int64_t, std::uint32_t>(*rows);
  const nb::gil_scoped_release released;
  return dataset(table.parts(kept), target, picture);
}

/// Groups of columns by name, as the file of --column-groups lists them. Returns with the data which columns each
/// feature now has: their order, and where those of each feature begin.
std::tuple<Dataset, std::vector<std::size_t>, std::vector<std::size_t>> grouped_data(
    const Dataset& data, const std::vector<std::pair<std::string, std::vector<std::string>>>& asked) {
  std::vector<ColumnGroup> groups;
  for (const auto& [name, columns] : asked) groups.push_back({name, columns, "column_groups"});
  const nb::gil_scoped_release released;
  GroupedColumns columns = grouped_columns(data.feature_names(), groups, {}, "X");
  Dataset out = grouped(data, columns);
  return {std::move(out), std::move(columns.order), std::move(columns.begin)};
}

void add_table(nb::module_& module) {
  nb::class_<FrameTable>(module, "Table", "The columns of a frame, added one after another, then settled.")
      .def(nb::init<>())
      .def("numbers", &add_numbers, "values"_a.noconvert(), "missing"_a.none() = nb::none(),
           "A column of numbers or booleans, in place.")
      .def("texts", &add_texts, "codes"_a.noconvert(), "texts"_a, "declared"_a,
           "A column of words, by their numbers; declared: a category whatever they look like.")
      .def(
          "times",
          [](FrameTable& table, const Array<std::int64_t, 1>& times, std::int64_t per_second) {
            table.add_times(copied(times), per_second);
          },
          "times"_a.noconvert(), "per_second"_a, "A column of times since 1970.")
      .def("unusable", &FrameTable::add_unusable, "rows"_a, "why"_a, "A column that is no feature.")
      .def("stream", &add_capsule, "capsule"_a, "All columns of an Arrow stream; returns their names.")
      .def("settle", &settle, "names"_a, "kinds"_a, "Finds the kinds of the columns, None where nobody asks for one.")
      .def("settle_like", &settle_like, "names"_a, "like"_a, "features"_a, "With the kinds and levels of other data.")
      .def_prop_ro("rows", &FrameTable::rows)
      .def_prop_ro("columns", &FrameTable::columns)
      .def_prop_ro("features", &FrameTable::features, "Columns that are features.")
      .def_prop_ro("notes", &FrameTable::notes)
      .def("complete_rows", &FrameTable::complete_rows, "Rows in which nothing is missing.")
      .def("refuse_missing", &FrameTable::refuse_missing)
      .def("data", &table_data, "target"_a, "picture"_a.none(), "rows"_a.none());
}

}  // namespace

void add_data(nb::module_& module) {
  nb::class_<Target>(module, "Target", "What is to be told from the features, and how much each row counts.")
      .def(nb::init<>())
      .def(
          "weigh", [](Target& target, const Array<float, 1>& weights) { target.weights = copied(weights); },
          "weights"_a)
      .def(
          "group",
          [](Target& target, const Array<std::uint32_t, 1>& groups, std::vector<std::string> names) {
            target.row_groups = copied(groups);
            target.row_group_names = std::move(names);
          },
          "groups"_a, "names"_a)
      .def(
          "order", [](Target& target, const Array<double, 1>& times) { target.times = copied(times); }, "times"_a);
  module.def(
      "target_task", &target_task, "name"_a, "values"_a.none(), "rows"_a,
      "The task of a target, with a note, from its distinct values (None for words) and the number of rows of each.");
  module.def("class_target", &class_target, "name"_a, "labels"_a.noconvert(), "class_names"_a);
  module.def("output_target", &output_target, "name"_a, "outputs"_a.noconvert(), "names"_a, "multilabel"_a);

  nb::class_<Dataset>(module, "Data", "Rows of features with a target, checked.")
      .def_prop_ro("rows", &Dataset::rows)
      .def_prop_ro("features", &Dataset::features);
  add_dense<float>(module);
  add_dense<std::uint8_t>(module);
  add_sparse<std::int32_t>(module);
  add_sparse<std::int64_t>(module);
  add_table(module);
  module.def(
      "grouped", &grouped_data, "data"_a, "groups"_a,
      "The same rows with groups of columns as features; the order of the columns, and where each feature begins.");
}

}  // namespace obverse
