// Arrays and frames of Python as a data set. Dense float32 and uint8 are taken where they lie; sparse rows are copied,
// and the columns of a frame gathered into rows.
#pragma once

#include <nanobind/nanobind.h>

namespace obverse {

/// Adds the class Data, the functions that make one, and Table, which makes one of a frame.
void add_data(nanobind::module_& module);

}  // namespace obverse
