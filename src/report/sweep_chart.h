// The models of a sweep as a picture: what their features are worth, by the weight of the complementary loss.
#pragma once

#include <string>

#include "report/selection_view.h"

namespace obverse {

/// A legend of the recipes and a figure with a point for each model; empty where one gamma or no accuracy leaves
/// nothing to compare.
std::string sweep_chart(const SelectionView& view);

}  // namespace obverse
