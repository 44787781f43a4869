// Results of a metric as people read them: shares in percent and their differences in points, losses as plain numbers.
#pragma once

#include <string>
#include <string_view>

#include "metrics/metrics.h"

namespace obverse {

/// How the results of one metric are written. Metrics that grow with the quality are shares, of right answers or of
/// the variance explained; the others are losses.
class ScoreFormat {
 public:
  explicit ScoreFormat(const Metric& metric) : percent_(metric.larger_is_better) {}

  bool percent() const { return percent_; }
  /// Of an axis or a column: results times this.
  double scale() const { return percent_ ? 100 : 1; }
  /// Behind the name of a column: " %", or nothing.
  std::string_view sign() const { return percent_ ? " %" : ""; }
  /// Behind the name of an axis: " in %", or nothing.
  std::string_view unit() const { return percent_ ? " in %" : ""; }

  /// 93.12 for a share of 0.9312, 0.512 for a loss; – where it is not finite. `digits` are those of shares.
  std::string number(double value, int digits = 2) const;
  /// A difference with its sign: +0.40, -0.012.
  std::string change(double difference, int digits = 2) const;
  /// 93.12 ± 0.40, without a deviation of 0.
  std::string spread(double mean, double deviation, int digits = 2) const;
  /// The second part of that: " ± 0.40", or nothing.
  std::string plus_minus(double mean, double deviation, int digits = 2) const;

  /// For a sentence: 93.1%, 0.512.
  std::string score(double value) const;
  /// A difference without its sign, for a sentence: 0.4 points, 0.012.
  std::string distance(double difference) const;

 private:
  bool percent_;
};

/// What the mean of several results is called: mean accuracy, mean absolute error.
std::string mean_name(const Metric& metric);

}  // namespace obverse
