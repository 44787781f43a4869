// Arrays of Python as a data set. Dense float32 and uint8 are taken where they lie; sparse rows are copied.
#pragma once

#include <nanobind/nanobind.h>

namespace obverse {

/// Adds the class Data and the functions that make one.
void add_data(nanobind::module_& module);

}  // namespace obverse
