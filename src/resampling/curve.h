// Score against the number of features, how far it may be off, and how many features are enough.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/evidence.h>

#include "resampling/held_out.h"

namespace obverse {

/// How the number of features is chosen from a curve.
struct SizeRule {
  enum class Kind { best, one_se, tolerance } kind = Kind::one_se;
  double tolerance = 0;  ///< of the score
};

/// best, one-se or tolerance=X; throws Error for anything else.
SizeRule size_rule(std::string_view text);

/// A size that a rule chose, and why.
struct ChosenSize {
  std::size_t point = 0;  ///< of the sizes
  std::string reason;
};

/// Scores of held-out predictions with what their resamples say: how far each may be off, and what choosing adds.
class ScoredSizes {
 public:
  ScoredSizes(const HeldOut& held, const Metric& metric, std::uint64_t seed, Team& team);

  /// Everything but the counts of folds and the name of the classifier.
  Curve curve(std::size_t features) const;
  /// The smallest score that the rule takes, larger is better.
  double enough(const SizeRule& rule) const { return enough(scores_, rule); }
  /// By the scores of all rows. The reason says so where all `features` would be better than the most that were tried.
  ChosenSize choose(const SizeRule& rule, std::size_t features) const;
  /// What a choice by the rule adds to the score that it shows: the mean over the resamples of how much better the rows
  /// that were drawn find the size that they choose than all rows do (Efron's estimate of optimism).
  double optimism(const SizeRule& rule) const;
  /// The point of a size with 95 % interval around `score` less `optimism`.
  CurvePoint point(std::size_t s, double optimism = 0) const;

 private:
  double enough(std::span<const double> scores, const SizeRule& rule) const;
  std::size_t chosen(std::span<const double> scores, const SizeRule& rule) const;
  CurvePoint interval(std::size_t k, double value, double error) const;

  const HeldOut& held_;
  const Metric& metric_;
  std::vector<double> scores_;  ///< (sizes) larger is better
  std::vector<double> errors_;  ///< (sizes) standard errors
  double all_error_ = 0;
  std::vector<std::vector<double>> resamples_;  ///< (resamples, sizes) scores of the rows that were drawn
};

/// Measures sizes between the smallest one that is good enough and the one below it, each halving the gap, until the
/// gap is narrow.
void narrow_gap(Measurement& measurement, const Metric& metric, double enough);

}  // namespace obverse
