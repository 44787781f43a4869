// The option tables of the engine, for Python: names, defaults and what each takes; and settings on the way back.
#pragma once

#include <string>
#include <tuple>
#include <vector>

#include <nanobind/nanobind.h>

#include "options/value.h"

namespace obverse {

/// A keyword that was given: its name, its value as it would be typed, and of what kind the value is (number, text,
/// boolean, list).
using Given = std::tuple<std::string, std::string, std::string>;

std::vector<Setting> settings_of(const std::vector<Given>& given);

/// Adds the function `options`.
void add_options(nanobind::module_& module);

}  // namespace obverse
