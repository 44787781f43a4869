// How the scores of a comparison are written: shares of right answers, or of the variance explained.
#pragma once

#include <string>
#include <string_view>

namespace obverse {

std::string score_number(double score);        ///< 93.1 for 0.931
std::string score_text(double score);          ///< 93.1%
std::string points_text(double difference);    ///< 0.4 points, 1.0 point; without a sign
std::string signed_points(double difference);  ///< +0.4

/// What the numbers of a column or an axis are: accuracy in %.
std::string score_title(const std::string& metric);

}  // namespace obverse
