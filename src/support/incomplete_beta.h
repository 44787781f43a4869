// The regularised incomplete beta function, which the tails of F and of Student's distribution come from.
#pragma once

namespace obverse {

/// log I_x(a, b) for positive a and b; y is 1 - x, which may be known where x is nearly 1. Small values keep their
/// digits.
double log_incomplete_beta(double a, double b, double x, double y);

/// I_x(a, b).
double incomplete_beta(double a, double b, double x);

}  // namespace obverse
