#include "selection.h"

#include <memory>
#include <string>
#include <vector>

#include <nanobind/ndarray.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "objects.h"
#include "options/json.h"
#include "page/page.h"
#include "report/selection.h"
#include "support/json.h"
#include "writers/writers.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// A NumPy array that owns a copy of the values.
template <class T, class Source>
nb::object array(const std::vector<Source>& values) {
  auto copy = std::make_unique<std::vector<T>>(values.begin(), values.end());
  const nb::capsule owner(copy.get(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  const auto& held = *copy.release();
  return nb::cast(nb::ndarray<nb::numpy, const T, nb::ndim<1>>(held.data(), {held.size()}, owner));
}

Json tree_of(const SelectionResult& result) {
  Json tree = selection_tree(result.selection, result.shown);
  tree["request"] = result.request;
  return tree;
}

/// Of the options nothing else has to be built.
nb::object part(const SelectionResult& result, const std::string& name) {
  if (name == "options") return python_object(options_json(result.selection.options));
  return python_object(tree_of(result).at(name));
}

}  // namespace

void add_selection(nb::module_& module) {
  nb::class_<SelectionResult>(module, "Selection", "What a selection found.")
      .def_prop_ro(
          "order", [](const SelectionResult& r) { return array<std::int64_t>(r.selection.ranking.order); },
          "Feature numbers, best first.")
      .def_prop_ro(
          "scores", [](const SelectionResult& r) { return array<double>(r.selection.ranking.scores); },
          "By feature number.")
      .def_prop_ro(
          "frequency", [](const SelectionResult& r) { return array<double>(r.selection.agreement.frequency); },
          "Share of the models that select a feature.")
      .def_prop_ro("stability", [](const SelectionResult& r) { return r.selection.agreement.stability; })
      .def_prop_ro("k", [](const SelectionResult& r) { return r.selection.k; })
      .def_prop_ro("notes", [](const SelectionResult& r) { return r.selection.notes; })
      .def(
          "data", [](const SelectionResult& r) { return python_object(tree_of(r)); }, "What selection.json holds.")
      .def("part", &part, "name"_a, "One entry of it.")
      .def(
          "to_json", [](const SelectionResult& r) { return json_text(tree_of(r)); },
          nb::call_guard<nb::gil_scoped_release>(), "The text of selection.json.")
      .def(
          "to_html", [](const SelectionResult& r) { return page_html(selection_page(tree_of(r))); },
          nb::call_guard<nb::gil_scoped_release>(), "The report page.");
}

}  // namespace obverse
