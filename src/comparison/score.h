// What a comparison measures by. Everything that knows the metric is here.
#pragma once

#include <string>
#include <string_view>

#include "downstream/target.h"

namespace obverse {

inline constexpr std::string_view kScoreMetric = "accuracy";

/// What a prediction is worth; more is better.
double score_of(const Target& truth, const Prediction& prediction);

std::string score_number(double score);        ///< 93.1 for 0.931
std::string score_text(double score);          ///< 93.1%
std::string points_text(double difference);    ///< 0.4 points, 1.0 point; without a sign
std::string signed_points(double difference);  ///< +0.4

/// What the numbers of a column or an axis are: accuracy in %.
std::string score_title();

}  // namespace obverse
