// Results as people read them: shares, of right answers or of the variance explained, in percent, and their differences
// in points.
#pragma once

#include <string>

namespace obverse {

/// 93.12 for 0.9312; – where it is not finite.
std::string points(double share, int digits = 2);
/// With its sign: +0.40.
std::string signed_points(double difference, int digits = 2);
/// 93.12 ± 0.40, without a deviation of 0.
std::string spread_text(double mean, double deviation, int digits = 2);

/// For a sentence: 93.1%.
std::string score_text(double share);
/// For a sentence: 0.4 points, 1.0 point; without a sign.
std::string points_text(double difference);

}  // namespace obverse
