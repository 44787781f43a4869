// What repeated results say together: mean, spread, and how far the mean may be off.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace obverse {

/// Mean and deviation of a sample: squares divided by count - 1; 0 for one result.
struct Spread {
  double mean = 0;
  double deviation = 0;
};
Spread spread_of(std::span<const double> results);

/// Of results that were measured alike, such as the accuracy of several splits. NaN where a result is.
struct Summary {
  std::size_t count = 0;
  double mean = 0;
  double deviation = 0;  ///< of a sample: divided by count - 1; 0 for one result
  double low = 0;        ///< 95 % bootstrap percentile interval of the mean
  double high = 0;
};

/// At least one result. The interval comes from 2,000 resamples; it is the same for the same results and seed.
Summary summarise(std::span<const double> results, std::uint64_t seed = 0);

/// Two-sided p of Student's paired t-test: how often chance alone would set results that were measured in pairs so far
/// apart. 1 for fewer than two pairs and where no pair differs, 0 where all differ by the same.
/// Runs that split the same data again share rows, so that their differences vary too little. For those, `overlap` is
/// the number of test rows per training row, and the variance of the mean is taken with 1/n + overlap in place of 1/n
/// (Nadeau and Bengio 2003).
double paired_t_test(std::span<const double> first, std::span<const double> second, double overlap = 0);

}  // namespace obverse
