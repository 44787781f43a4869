#include <obverse/results.h>

#include <gtest/gtest.h>

#include <cmath>

#include "writers/writers.h"

namespace obverse {
namespace {

TEST(ResultsCsv, HasALineForEachValue) {
  const Results results{.rows = {{.set = "a,b",
                                  .method = "cfm",
                                  .run = 1,
                                  .k = 5,
                                  .classifier = "rf",
                                  .metric = "accuracy",
                                  .value = 0.75,
                                  .seconds = 3},
                                 {.fold = 2,
                                  .features = FeatureSet::random,
                                  .k = 2,
                                  .classifier = "knn",
                                  .metric = "roc_auc",
                                  .value = std::nan("")}},
                        .selected = {}};
  EXPECT_EQ(results_csv(results),
            "set,method,run,fold,features,k,classifier,metric,value\n"
            "\"a,b\",cfm,2,1,selected,5,rf,accuracy,0.75\n"
            ",,1,3,random,2,knn,roc_auc,\n");
}

}  // namespace
}  // namespace obverse
