#include "metrics/metrics.h"

#include <gtest/gtest.h>

#include <algorithm>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/selector.h>

namespace obverse {
namespace {

TEST(NeighbourAccuracy, TellsTrueFeaturesFromProbes) {
  const GeneratedData made = madelon_like({.rows = 1200});
  const auto [train, test] = split(made.data, {.test_fraction = 0.25});
  std::vector<std::size_t> probes;
  for (std::size_t d = 0; probes.size() < made.true_features.size(); ++d) {
    if (!std::binary_search(made.true_features.begin(), made.true_features.end(), d)) probes.push_back(d);
  }
  EXPECT_GT(neighbour_accuracy(train, test, made.true_features), 0.75);
  EXPECT_LT(neighbour_accuracy(train, test, probes), 0.6);
  EXPECT_THROW(neighbour_accuracy(train, test, probes, 1, "gpu"), Error);
  EXPECT_THROW(neighbour_accuracy(train, test, probes, 1, "cuda:65535"), Error);
}

}  // namespace
}  // namespace obverse
