// Trees of results as Python objects.
#pragma once

#include <nanobind/nanobind.h>
#include <nlohmann/json.hpp>

namespace obverse {

/// What the json module would read from the text of the tree: a number that is not finite is None.
nanobind::object python_object(const nlohmann::ordered_json& tree);

}  // namespace obverse
