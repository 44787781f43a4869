#include "study/answer.h"

#include <gtest/gtest.h>

#include <obverse/error.h>

namespace obverse {
namespace {

// Model 0 is the best on the validation rows, and the selection has chosen model 1.
std::vector<ModelMerit> two_models() {
  return {{.model = 0, .k = 3, .accuracy = 0.8}, {.model = 1, .k = 3, .accuracy = 0.7, .chosen = true}};
}

// By hand: half of its own and a quarter of either neighbour; three quarters of its own at the ends.
TEST(ValidationMerits, AreSmoothedOverNeighbouringSizes) {
  const std::vector<ModelMerit> run{{.model = 0, .k = 2, .accuracy = 0.4},
                                    {.model = 0, .k = 5, .accuracy = 0.8},
                                    {.model = 0, .k = 9, .accuracy = 0.6}};
  EXPECT_NEAR(validation_merits(run, 2)[0], 0.75 * 0.4 + 0.25 * 0.8, 1e-12);
  EXPECT_NEAR(validation_merits(run, 5)[0], 0.5 * 0.8 + 0.25 * (0.4 + 0.6), 1e-12);
  EXPECT_NEAR(validation_merits(run, 9)[0], 0.75 * 0.6 + 0.25 * 0.8, 1e-12);
  EXPECT_THROW(validation_merits(run, 3), Error);
}

TEST(AnsweringModel, IsTheBestOnTheValidationRowsOfItsRunWhenGammaIsPicked) {
  EXPECT_EQ(answering_model(Pick::gamma, two_models(), 3), 0U);
}

TEST(AnsweringModel, IsTheOneThatTheSelectionHasChosenWhenModelsArePicked) {
  EXPECT_EQ(answering_model(Pick::model, two_models(), 3), 1U);
  EXPECT_THROW(answering_model(Pick::model, two_models(), 4), Error);
}

}  // namespace
}  // namespace obverse
