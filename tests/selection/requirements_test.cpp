#include "selection/requirements.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

/// The message of what the options lack.
std::string lack_of(const SelectOptions& options) {
  try {
    require_device(options);
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::device);
    return error.what();
  }
  return {};
}

TEST(RequireDevice, AsksForThePrecisionOfWhatIsTrained) {
  SelectOptions options;
  EXPECT_EQ(lack_of(options), "");
  options.recipes.push_back(recipe("paper"));
  options.recipes.back().train.precision = Precision::tf32;
  EXPECT_EQ(lack_of(options), "tf32 is a precision of GPUs; use --precision f32 or bf16, or --device cuda");
  options.method = "anova";
  EXPECT_EQ(lack_of(options), "");
  options.device = "cuda:9999";
  EXPECT_NE(lack_of(options), "");
}

}  // namespace
}  // namespace obverse
