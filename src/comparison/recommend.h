// Which of the compared methods to use, and why: from numbers to sentences, without looking at data.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include <obverse/compare.h>

namespace obverse {

/// Methods whose means lie closer than this are told apart by time, unless a test says that one is worse: a share of
/// the rows or the variance, or for a metric of losses of the loss of the best method.
inline constexpr double kNearScore = 0.01;

/// A smaller difference of time, in seconds, is no reason to take the method with the lower mean.
inline constexpr double kNearSeconds = 1;

/// How sure a test has to be.
inline constexpr double kTestLevel = 0.05;

/// Features drawn by chance: what no look at the data is worth.
inline constexpr std::string_view kRandom = "random";

/// Whether a method may be recommended: it could rank the data and is no yardstick, which says what no look at the
/// target is worth.
bool is_candidate(const ComparedMethod& method);

/// The `overlap` of paired_difference (experiment/statistics.h): test rows per training row if each run splits the same
/// rows again, 0 if the test rows are given.
double overlap_of(const Comparison& comparison);

/// One-sided p of the paired t-test over the runs that `better` has the larger mean: each run is one pair, the means of
/// both over every k and classifier. The cells of a run share their rows and are no pairs of their own. NaN where the
/// runs say nothing of chance: for one run, and where all differ by the same.
double p_better(std::span<const double> better, std::span<const double> worse, double overlap);

/// Of the methods that lie within kNearScore of the best mean and that no test over the runs confirms as worse, those
/// within kNearSeconds of the fastest; of these the one with the best mean. Yardsticks, which do not look at the
/// target, are never recommended. Fills in `recommended` and `recommendation`. Needs methods with ranks and means,
/// the metric, all_features, features, the rows, test_given and the runs and sizes of the options.
void recommend(Comparison& comparison);

}  // namespace obverse
