// The report of a comparison: which method to use and why, then everything that was measured.
#pragma once

#include <obverse/compare.h>

#include "report/comparison.h"
#include "report/page.h"

namespace obverse {

/// Needs nothing but what `compare` found; the origin is shown where it is known.
Page comparison_page(const Comparison& comparison, const ComparisonOrigin& origin = {});

}  // namespace obverse
