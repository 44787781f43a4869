// How many features may be selected falsely by selections from complementary pairs of halves (Shah and Samworth 2013,
// "Variable selection with error control: another look at stability selection").
#pragma once

#include <cstddef>

namespace obverse {

/// How X, a number of selections from 0 to `steps`, may be distributed: its probabilities f are r-concave (f^r is
/// convex) with r = -1 / power, and its mean is at most `mean`.
struct ConcaveCounts {
  double mean = 0;
  std::size_t steps = 1;
  int power = 2;
};

/// The largest probability of at least `least` selections; 1 where the theory gives no bound, for a mean of `steps` / 2
/// or `least` near to it. The largest is reached by f(i) proportional to (a + i)^-power for i <= k, and anything up to
/// that for k + 1: k and a are searched for.
double concave_tail(const ConcaveCounts& counts, std::size_t least);

/// Every half selects `selected` of `variables`.
struct PairedSelections {
  std::size_t selected = 1;
  std::size_t variables = 1;
  std::size_t pairs = 50;  ///< of halves
};

/// A bound on the expected number of variables that are selected by at least `least` of the 2 x pairs halves although a
/// half selects them no more often than a random variable.
double false_selections(const PairedSelections& selections, std::size_t least);

}  // namespace obverse
