#include <obverse/results.h>

#include <gtest/gtest.h>

#include <cmath>

namespace obverse {
namespace {

Results sample() {
  return {.rows = {{.method = "cfm", .run = 0, .k = 2, .classifier = "rf", .value = 0.5},
                   {.method = "cfm", .run = 0, .k = 5, .classifier = "knn", .value = 0.7},
                   {.method = "rf", .run = 0, .k = 2, .classifier = "rf", .value = 0.1},
                   {.method = "cfm", .run = 1, .k = 2, .classifier = "rf", .value = 0.9}},
          .selected = {}};
}

TEST(Results, MeansAreOverTheRowsThatTheFilterTakes) {
  const Results results = sample();
  EXPECT_NEAR(results.mean({}), 2.2 / 4, 1e-12);
  EXPECT_NEAR(results.mean({.method = "cfm"}), 0.7, 1e-12);
  EXPECT_NEAR(results.mean({.method = "cfm", .k = 2}), 0.7, 1e-12);
  EXPECT_NEAR(results.mean({.classifier = "knn"}), 0.7, 1e-12);
  EXPECT_TRUE(std::isnan(results.mean({.method = "svm"})));
}

TEST(Results, RunMeansGoByTheNumberOfTheRun) {
  const std::vector<double> means = sample().run_means({.method = "cfm"});
  ASSERT_EQ(means.size(), 2U);
  EXPECT_NEAR(means[0], 0.6, 1e-12);
  EXPECT_NEAR(means[1], 0.9, 1e-12);
  EXPECT_TRUE(sample().run_means({.method = "svm"}).empty());
}

}  // namespace
}  // namespace obverse
