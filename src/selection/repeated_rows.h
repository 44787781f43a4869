// Rows that belong together although nobody has said so: visits of one patient, pictures of one scene. A split that
// puts some of them into the training rows and others into the test rows makes memory look like knowledge.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// How far nearest neighbours stand out, as repeated_row_warnings judges it.
struct Bunches {
  double gap = 0;   ///< median over rows; about 4 where rows are independent
  double size = 1;  ///< rows of a bunch, as a median
};

/// By the neighbours that some rows have among those of their class; nothing where rows or columns are too few.
std::optional<Bunches> bunches_of(const Dataset& data);

/// Rows that repeat another row of the data exactly, target included.
std::size_t repeated_rows(const Dataset& data);

/// At most one sentence: a column whose values may say which rows belong together, rows that repeat others exactly, or
/// rows that come in bunches. None where row groups or times are given.
std::vector<std::string> repeated_row_warnings(const Dataset& data);

}  // namespace obverse
