// Which features can be trusted: complementary-pairs stability selection (Shah and Samworth 2013), with permuted copies
// of the features beside them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <obverse/dataset.h>
#include <obverse/selector.h>

namespace obverse {

/// How many columns each half selects, how many halves a feature needs, and how many false features that lets through
/// at most, on the mean.
struct ControlPlan {
  std::size_t selected = 1;
  std::size_t least = 1;
  double bound = 0;
};

/// The plan that selects most among features with a copy each, for at most `pfer` false features. The bound holds for
/// features and copies together; half of what is falsely accepted are copies. Throws Error where even one column is too
/// many.
ControlPlan control_plan(double pfer, std::size_t features);

/// What the halves selected beside the features that are kept: columns below D are features, D + f the copy of f.
struct HalfSelections {
  std::vector<std::vector<std::size_t>> columns;  ///< (halves, selected) best first
  std::size_t features = 0;                       ///< D
};

/// The accepted features, and what accepted them.
struct Accepted {
  Control control;
  std::vector<std::size_t> features;  ///< the kept ones, then the most often selected first, ties by number
};

/// Counts clusters of interchangeable features: one is selected where any of its features is, and represented by that
/// which most halves select. `varies` says which features can be selected at all, which kept ones cannot.
Accepted accepted_features(const HalfSelections& halves, std::span<const std::uint32_t> cluster,
                           const std::vector<bool>& varies, double pfer);

/// Selects from 50 pairs of halves with the given options, those of parts of the rows. Features that are kept are
/// accepted without being counted. Throws Error where the rows do
/// not allow halves, or the features do not allow such a pfer.
Accepted control(const Dataset& data, const SelectOptions& options, double pfer, const ProgressCallback& progress);

/// Why that many: "those that at least 75 of 100 halves of the rows select".
std::string size_reason(const Control& control);

/// Makes the accepted features the answer: they come first in the ranking, by frequency. None: k is 0.
void accept(const Accepted& accepted, Selection& selection);

}  // namespace obverse
