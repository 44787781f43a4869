// Features that alone determine the target nearly without fault: a copy of it, or an identity in the order of classes.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>

namespace obverse {

/// A sentence for each column of the given features that may be a leak: rows are told by the rows next to them in the
/// order of the feature, or by those of the same level, and nearly all of them rightly.
std::vector<std::string> leak_warnings(const Dataset& data, std::span<const std::size_t> features);

}  // namespace obverse
