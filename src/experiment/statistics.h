// What repeated results say together: mean, spread, how far the mean may be off, and whether two of them differ.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

/// How far results that were measured in pairs lie apart.
struct PairedDifference {
  double mean = 0;  ///< first less second
  double low = 0;   ///< 95 % interval of the mean, after Student; the mean itself for fewer than two pairs
  double high = 0;
  double p = 1;  ///< two-sided: how often chance alone would set them so far apart
};

/// Student's paired t-test. p is 1 for fewer than two pairs and where no pair differs, 0 where all differ by the same.
/// Runs that split the same data again share rows, so that their differences vary too little. For those, `overlap` is
/// the number of test rows per training row, and the variance of the mean is taken with 1/n + overlap in place of 1/n
/// (Nadeau and Bengio 2003).
PairedDifference paired_difference(std::span<const double> first, std::span<const double> second, double overlap = 0);

/// Holm's correction of the p of several tests: where those with a corrected p below a level are called sure, one or
/// more of them is so by chance alone no more often than the level says. In the order of the tests.
std::vector<double> holm(std::span<const double> p);

}  // namespace obverse
