// A selection as Python holds it: arrays, and JSON when somebody asks for it.
#pragma once

#include <nanobind/nanobind.h>
#include <nlohmann/json.hpp>

#include <obverse/selector.h>

namespace obverse {

struct SelectionResult {
  Selection selection;
  nlohmann::ordered_json shown;    ///< what a report shows of the data, which may change after the fit
  nlohmann::ordered_json request;  ///< the keywords that were given, by name
};

/// Adds the class Selection.
void add_selection(nanobind::module_& module);

}  // namespace obverse
