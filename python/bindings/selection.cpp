#include "selection.h"

#include <memory>
#include <optional>
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

nb::dict agreement_of(const SelectionResult& result) {
  const Agreement& agreement = result.selection.agreement;
  nb::dict out;
  out["stability"] = agreement.stability;
  out["jaccard"] = agreement.jaccard;
  out["frequency"] = array<double>(agreement.frequency);
  out["models"] = result.selection.models.size();
  return out;
}

nb::dict stand_ins_of(const SelectionResult& result) {
  nb::dict out;
  for (const FeatureStandIns& one : result.selection.stand_ins.features) {
    nb::list nearest;
    for (const StandIn& found : one.nearest)
      nearest.append(nb::make_tuple(found.feature, found.similarity, found.equal));
    out[nb::int_(one.feature)] = nearest;
  }
  return out;
}

nb::list clusters_of(const SelectionResult& result) {
  nb::list out;
  for (const auto& features : result.selection.stand_ins.clusters) out.append(array<std::int64_t>(features));
  return out;
}

/// One number of each point.
template <class T, class Source>
nb::object column(const std::vector<CurvePoint>& points, Source CurvePoint::*field) {
  std::vector<Source> values;
  values.reserve(points.size());
  for (const CurvePoint& point : points) values.push_back(point.*field);
  return array<T>(values);
}

nb::dict score_of(const CurvePoint& point) {
  nb::dict out;
  out["score"] = point.score;
  out["low"] = point.low;
  out["high"] = point.high;
  return out;
}

nb::dict curve_of(const Curve& curve) {
  nb::dict out;
  out["k"] = column<std::int64_t>(curve.points, &CurvePoint::k);
  out["score"] = column<double>(curve.points, &CurvePoint::score);
  out["low"] = column<double>(curve.points, &CurvePoint::low);
  out["high"] = column<double>(curve.points, &CurvePoint::high);
  out["random"] = column<double>(curve.points, &CurvePoint::random);
  out["all"] = score_of(curve.all);
  out["base_rate"] = curve.base_rate;
  out["metric"] = curve.metric;
  out["classifier"] = curve.classifier;
  out["folds"] = curve.folds;
  out["rows"] = curve.rows;
  return out;
}

nb::dict verdict_of(const Verdict& verdict) {
  nb::dict out;
  out["signal"] = verdict.signal;
  out["p_value"] = verdict.p_value;
  out["score"] = verdict.score;
  out["low"] = verdict.low;
  out["high"] = verdict.high;
  out["base_rate"] = verdict.base_rate;
  return out;
}

nb::object stability_of(const std::optional<Stability>& stability) {
  if (!stability) return nb::none();
  nb::dict out;
  out["value"] = stability->value;
  out["low"] = stability->low;
  out["high"] = stability->high;
  out["pairs"] = stability->pairs;
  return out;
}

nb::object control_of(const std::optional<Control>& control) {
  if (!control) return nb::none();
  nb::dict out;
  out["pfer"] = control->pfer;
  out["bound"] = control->bound;
  out["selected"] = control->selected;
  out["threshold"] = control->threshold;
  out["halves"] = control->halves;
  out["clusters"] = control->clusters;
  out["copies_accepted"] = control->copies_accepted;
  out["frequency"] = array<double>(control->frequency);
  return out;
}

nb::object evidence_of(const SelectionResult& result) {
  const std::optional<Evidence>& evidence = result.selection.evidence;
  if (!evidence) return nb::none();
  nb::dict out;
  out["curve"] = curve_of(evidence->curve);
  out["verdict"] = verdict_of(evidence->verdict);
  out["stability"] = stability_of(evidence->stability);
  out["frequency"] = array<double>(evidence->frequency);
  out["k_reason"] = evidence->size_reason;
  out["control"] = control_of(evidence->control);
  return out;
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
      .def_prop_ro("agreement", &agreement_of, "Of the models of the sweep.")
      .def_prop_ro("stand_ins", &stand_ins_of, "Of each selected feature that has any: (feature, similarity, equal).")
      .def_prop_ro("clusters", &clusters_of, "Feature numbers of selected features and their stand-ins.")
      .def_prop_ro("evidence", &evidence_of, "What parts of the rows say; None where the selection was not repeated.")
      .def_prop_ro(
          "method", [](const SelectionResult& r) { return r.selection.models[r.selection.chosen]->method; },
          "Of the candidate that answers.")
      .def_prop_ro("k", [](const SelectionResult& r) { return r.selection.k; })
      .def_prop_ro("notes",
                   [](const SelectionResult& r) {
                     std::vector<std::string> all = r.selection.notes;
                     all.insert(all.end(), r.selection.warnings.begin(), r.selection.warnings.end());
                     return all;
                   })
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
