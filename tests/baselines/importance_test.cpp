#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/ranking.h>

#include "baselines/baselines.h"

namespace obverse {
namespace {

TEST(Importance, FindsFeaturesThatWorkTogether) {
  const GeneratedData made = madelon_like({.rows = 1000});
  Team team(2);
  for (const auto& scores_of : {rf_scores, ert_scores}) {
    const std::vector<double> scores = scores_of(made.data, {}, team);
    EXPECT_NEAR(std::accumulate(scores.begin(), scores.end(), 0.0), 1.0, 1e-9);
    const auto order = descending_order(scores);
    std::size_t found = 0;
    for (std::size_t i = 0; i < made.true_features.size(); ++i) {
      found += std::binary_search(made.true_features.begin(), made.true_features.end(), order[i]) ? 1 : 0;
    }
    EXPECT_GE(found, made.true_features.size() / 2);
  }
}

TEST(Importance, StopsWhenAsked) {
  const GeneratedData made = madelon_like({.rows = 300});
  Team team(2);
  double last = 0;
  const BaselineOptions options{.progress = [&](double done) {
    last = done;
    return done < 0.3;
  }};
  EXPECT_THROW(rf_scores(made.data, options, team), Error);
  EXPECT_NEAR(last, 0.3, 0.05);
}

}  // namespace
}  // namespace obverse
