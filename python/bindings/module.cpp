// The Python module obverse._engine: data in, options in, results out: a selection as an object with arrays, others as
// the objects and texts that the command writes.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>
#include <nlohmann/json.hpp>

#include <obverse/compare.h>
#include <obverse/error.h>
#include <obverse/evaluation.h>
#include <obverse/selector.h>
#include <obverse/version.h>

#include "data.h"
#include "objects.h"
#include "options.h"
#include "options/settings.h"
#include "page/page.h"
#include "report/comparison.h"
#include "report/evaluation.h"
#include "report/selection.h"
#include "resampling/fit.h"
#include "selection.h"
#include "support/json.h"
#include "support/text.h"
#include "watch.h"
#include "writers/writers.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace obverse {
namespace {

/// Values that moved while the engine read them are no values at all.
void require_unchanged(const Dataset& data, const std::string& before) {
  if (fingerprint(data) == before) return;
  throw Error(Fault::input,
              "X changed while it was being read: another thread wrote to the array; pass a copy, X.copy(), or wait");
}

/// How the columns of a frame were read, in the words of the command: option and text.
using ReadSetting = std::pair<std::string, std::string>;

/// The keywords of the selector, and which arguments `fit` had beside X and y.
nlohmann::ordered_json request_of(const std::vector<Setting>& settings, const std::vector<ReadSetting>& reading,
                                  const Dataset& data) {
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const auto& [name, text] : reading) out[name] = text;
  if (data.has_weights()) out["weights"] = "sample_weight";
  if (data.has_row_groups()) out["row_groups"] = "groups";
  if (data.has_times()) out["time"] = "time";
  for (const Setting& setting : asked_settings({}, settings)) out[setting.name] = setting.text;
  return out;
}

/// Rows to learn from and rows to test on.
using Split = std::pair<std::vector<std::size_t>, std::vector<std::size_t>>;

/// `splits` are held-out rows of the caller's own, and `notes` what it has to say about the data.
SelectionResult select_features(const Dataset& data, const std::vector<Given>& given,
                                const std::vector<ReadSetting>& reading, const std::vector<Split>& splits,
                                const std::vector<std::string>& notes, nb::object progress) {
  const std::vector<Setting> settings = settings_of(given);
  const SelectOptions options = select_options({}, settings);
  Watch watch(std::move(progress));
  return watch.run([&](const ProgressCallback& callback) {
    std::vector<RowSplit> folds;
    for (const auto& [train, test] : splits) folds.push_back({train, test});
    Selection found = fit_with_folds(data, options, folds, callback);
    require_unchanged(data, found.data_fingerprint);
    found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
    nlohmann::ordered_json shown = shown_data(found, data);
    return SelectionResult{std::move(found), std::move(shown), request_of(settings, reading, data)};
  });
}

/// One training, an answer for each k.
std::vector<SelectionResult> select_path(const Dataset& data, const std::vector<Given>& given,
                                         const std::vector<ReadSetting>& reading, const std::vector<std::size_t>& sizes,
                                         const std::vector<std::string>& notes, nb::object progress) {
  const std::vector<Setting> settings = settings_of(given);
  const SelectOptions options = select_options({}, settings);
  Watch watch(std::move(progress));
  return watch.run([&](const ProgressCallback& callback) {
    std::vector<SelectionResult> results;
    for (Selection& found : Selector(options).fit_each(data, sizes, callback)) {
      found.notes.insert(found.notes.begin(), notes.begin(), notes.end());
      nlohmann::ordered_json shown = shown_data(found, data);
      nlohmann::ordered_json request = request_of(settings, reading, data);
      request["k"] = std::to_string(found.k);
      request["resample"] = "off";
      results.push_back({std::move(found), std::move(shown), std::move(request)});
    }
    require_unchanged(data, results.front().selection.data_fingerprint);
    return results;
  });
}

nb::dict evaluate_features(const Dataset& data, const std::optional<Dataset>& test,
                           const std::vector<std::size_t>& ranking, const std::vector<Given>& given,
                           nb::object progress) {
  const EvaluateOptions options = evaluate_options({}, settings_of(given));
  Watch watch(std::move(progress));
  nlohmann::ordered_json tree;
  std::string csv;
  watch.run([&](const ProgressCallback& callback) {
    const std::string test_before = test ? fingerprint(*test) : "";
    const Evaluation found = obverse::evaluate({.data = data, .test = test, .ranking = ranking}, options, callback);
    require_unchanged(data, found.data_fingerprint);
    if (test) require_unchanged(*test, test_before);
    tree = evaluation_tree(found);
    csv = evaluation_csv(found);
  });
  nb::dict out;
  out["data"] = python_object(tree);
  out["csv"] = csv;
  return out;
}

/// A keyword that was given, and its value as Python writes it.
using Keyword = std::pair<std::string, std::string>;

/// The call that selects from all rows by the recommended method; empty where there is none. `own` are keywords of
/// Python alone.
std::string next_call(const Comparison& found, const std::vector<Keyword>& keywords,
                      const std::vector<std::string>& own, const std::string& fitted) {
  if (found.recommended.empty()) return {};
  std::vector<Setting> given;
  for (const auto& [name, value] : keywords) {
    given.push_back({.name = name, .text = value, .where = {}, .kind = Setting::Kind::typed});
  }
  std::vector<std::string> arguments;
  for (const Setting& one : selection_settings(found.recommended, found.consensus.k, {}, given)) {
    const std::string_view quote = one.kind == Setting::Kind::text ? "'" : "";
    arguments.push_back(cat(one.name, "=", quote, one.text, quote));
  }
  arguments.insert(arguments.end(), own.begin(), own.end());
  return cat("FeatureSelector(", join(arguments), ").fit(", fitted, ")");
}

/// `keywords`, `own` and `fitted`, the arguments of fit, are for the call that comes next.
nb::dict compare_methods(const Dataset& data, const std::optional<Dataset>& test, const std::vector<Given>& given,
                         const std::vector<Keyword>& keywords, const std::vector<std::string>& own,
                         const std::string& fitted, nb::object progress) {
  const CompareOptions options = compare_options({}, settings_of(given));
  Watch watch(std::move(progress));
  nlohmann::ordered_json tree;
  std::string csv;
  std::string html;
  watch.run([&](const ProgressCallback& callback) {
    const std::string test_before = test ? fingerprint(*test) : "";
    const Comparison found = obverse::compare({.data = data, .test = test}, options, callback);
    require_unchanged(data, found.data_fingerprint);
    if (test) require_unchanged(*test, test_before);
    const ComparisonOrigin origin{.next_command = next_call(found, keywords, own, fitted)};
    tree = comparison_tree(found, origin);
    csv = results_csv(found.results);
    html = page_html(comparison_page(found, origin));
  });
  nb::dict out;
  out["data"] = python_object(tree);
  out["csv"] = csv;
  out["html"] = html;
  return out;
}

std::string selection_html(const std::string& json) {
  return page_html(selection_page(parsed_selection(json, "selection.json")));
}

std::string without_values(const std::string& json) {
  nlohmann::ordered_json tree = parsed_selection(json, "selection.json");
  leave_out_values(tree);
  return json_text(tree);
}

PyObject* type_of(Fault fault) {
  switch (fault) {
    case Fault::usage:
    case Fault::input:
      return PyExc_ValueError;
    case Fault::output:
      return PyExc_OSError;
    case Fault::stopped:
    case Fault::device:
    case Fault::internal:
      break;
  }
  return PyExc_RuntimeError;
}

}  // namespace
}  // namespace obverse

NB_MODULE(_engine, module) {
  using namespace obverse;
  module.doc() = "The engine of Obverse. Use the names of `obverse`; these may change.";
  module.attr("__version__") = kVersion;
  nb::set_leak_warnings(false);  // a result may live until the interpreter ends
  nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
    try {
      std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyErr_SetString(type_of(error.fault()), error.what());
    }
  });
  add_data(module);
  add_options(module);
  add_selection(module);
  module.def("select", &select_features, "data"_a, "settings"_a, "reading"_a, "splits"_a, "notes"_a,
             "progress"_a.none(), "Lets masks and rankers compete, or selects by one method.");
  module.def("select_path", &select_path, "data"_a, "settings"_a, "reading"_a, "sizes"_a, "notes"_a,
             "progress"_a.none(), "The same once, with an answer for each number of features.");
  module.def("evaluate", &evaluate_features, "data"_a, "test"_a.none(), "ranking"_a, "settings"_a, "progress"_a.none(),
             "Refits classifiers on selected features.");
  module.def("compare", &compare_methods, "data"_a, "test"_a.none(), "settings"_a, "keywords"_a, "own"_a, "fitted"_a,
             "progress"_a.none(), "Tries every method.");
  module.def("without_values", &without_values, "json"_a, "A selection.json without values of the data.");
  module.def("selection_html", &selection_html, "json"_a, "The report page of a selection.json.");
}
