#include "support/incomplete_beta.h"

#include <cmath>
#include <initializer_list>
#include <limits>

namespace obverse {
namespace {

/// log I_x(a, b) by Lentz's form of its continued fraction, for x below (a + 1) / (a + b + 2), where it converges.
double log_fraction(double a, double b, double x, double y) {
  constexpr double kTiny = 1e-300;
  constexpr int kMostSteps = 100000;
  const auto nonzero = [](double value) { return std::fabs(value) < kTiny ? kTiny : value; };
  double c = 1;
  double d = 1 / nonzero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostSteps; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 / nonzero(1 + term * d);
      c = nonzero(1 + term / c);
      step = c * d;
      fraction *= step;
    }
    if (std::fabs(step - 1) < 1e-14) break;
  }
  return std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log(y) +
         std::log(fraction / a);
}

}  // namespace

double log_incomplete_beta(double a, double b, double x, double y) {
  if (x <= 0) return -std::numeric_limits<double>::infinity();
  if (y <= 0) return 0;
  return x < (a + 1) / (a + b + 2) ? log_fraction(a, b, x, y) : std::log1p(-std::exp(log_fraction(b, a, y, x)));
}

double incomplete_beta(double a, double b, double x) { return std::exp(log_incomplete_beta(a, b, x, 1 - x)); }

}  // namespace obverse
