#include "data.h"

#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <obverse/dataset.h>
#include <obverse/error.h>

#include "dataset/target_task.h"
#include "dataset/tasks.h"

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

Dataset dataset(Storage storage, std::vector<std::string> names, const Target& target, const Picture& picture) {
  DatasetParts parts{.storage = std::move(storage),
                     .feature_names = std::move(names),
                     .labels = target.labels,
                     .class_names = target.class_names,
                     .target_name = target.name,
                     .image_shape = {},
                     .outputs = target.outputs,
                     .output_names = target.output_names,
                     .multilabel = target.multilabel,
                     .weights = target.weights,
                     .row_groups = target.row_groups,
                     .row_group_names = target.row_group_names,
                     .times = target.times};
  if (picture) parts.image_shape = ImageShape{picture->first, picture->second};
  const nb::gil_scoped_release released;  // looks at every value
  return Dataset(std::move(parts));
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
}

}  // namespace obverse
