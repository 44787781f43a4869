#include <gtest/gtest.h>

#include <obverse/error.h>
#include <obverse/options.h>

namespace obverse {
namespace {

TEST(Recipe, DefaultIsTheDefaultsOfTheOptions) {
  EXPECT_EQ(recipe("default").train.mask_hidden, TrainOptions{}.mask_hidden);
  EXPECT_EQ(recipe("default").train.mask_learning_rate, TrainOptions{}.mask_learning_rate);
}

TEST(Recipe, PaperIsThePublishedNetworkWithOurCompletion) {
  const TrainOptions train = recipe("paper").train;
  EXPECT_EQ(train.mask_hidden, 8);
  EXPECT_EQ(train.mask_init, MaskInit::near_one);
  EXPECT_EQ(train.batch_size, 256);
  EXPECT_EQ(train.mask_scale_power, 0.5);
  EXPECT_EQ(train.dropout, 0.3);
  EXPECT_EQ(train.leak, 0.02);
}

TEST(Recipe, UnknownNamesAreRefusedWithTheKnownOnes) {
  try {
    recipe("papre");
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    for (const auto& [name, purpose] : recipe_names()) {
      EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
  }
}

TEST(Recipe, EveryListedNameIsKnown) {
  for (const auto& [name, purpose] : recipe_names()) {
    EXPECT_EQ(recipe(name).name, name);
    EXPECT_FALSE(purpose.empty());
  }
}

TEST(Effort, GrowsFromQuickToThorough) {
  const auto models = [](Effort effort) {
    const SelectOptions o = options_for(effort);
    const std::size_t gammas = o.gamma.empty() ? gamma_grid().size() : o.gamma.size();
    return o.recipes.size() * static_cast<std::size_t>(o.seeds) * gammas;
  };
  EXPECT_LT(models(Effort::quick), models(Effort::normal));
  EXPECT_LT(models(Effort::normal), models(Effort::thorough));
}

TEST(GammaGrid, IsNoneAndThenThePapers) {
  const std::vector<double> expected{0, 0.001, 0.01, 0.1, 1, 10, 100};
  EXPECT_EQ(std::vector<double>(gamma_grid().begin(), gamma_grid().end()), expected);
}

TEST(Names, StandInTheOrderOfTheEnumerators) {
  EXPECT_EQ(names(Precision{})[static_cast<std::size_t>(Precision::tf32)], "tf32");
  EXPECT_EQ(names(Precision{})[static_cast<std::size_t>(Precision::bf16)], "bf16");
  EXPECT_EQ(names(Scaling{})[static_cast<std::size_t>(Scaling::none)], "none");
  EXPECT_EQ(names(MaskInit{})[static_cast<std::size_t>(MaskInit::near_one)], "near_one");
  EXPECT_EQ(names(Complement{})[static_cast<std::size_t>(Complement::remainder)], "remainder");
  EXPECT_EQ(names(Effort{})[static_cast<std::size_t>(Effort::thorough)], "thorough");
}

}  // namespace
}  // namespace obverse
