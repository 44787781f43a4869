// Which features the recommended method selects, and how many of the other methods agree: from selections to counts,
// without looking at data.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/compare.h>

namespace obverse {

/// The size by which selections are compared: the one in the middle.
std::size_t middle_size(const Comparison& comparison);

/// (runs) what a method selected for that size, best first.
std::vector<std::vector<std::size_t>> middle_selections(const Comparison& comparison, std::string_view method);

/// Fills in `consensus` for the recommended method. Needs the ranks of the methods, the selections and the sizes of the
/// options.
void find_consensus(Comparison& comparison, std::span<const std::string> feature_names);

}  // namespace obverse
