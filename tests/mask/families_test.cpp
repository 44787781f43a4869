#include "mask/families.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include <obverse/error.h>

#include "backend/device.h"
#include "reference/reference.h"
#include "support/random.h"
#include "support/team.h"

namespace obverse {
namespace {

/// What a family makes a mask of.
struct Settings {
  TrainOptions train = {};
  MaskSpec spec = {};
};

const Settings kSettings{.train = {.mask_scale_power = 0.5}};

/// The families that are masks of trained numbers.
std::vector<const FamilyDescription*> vector_families() {
  std::vector<const FamilyDescription*> all;
  for (const FamilyDescription& family : mask_families()) {
    if (family.make != nullptr) all.push_back(&family);
  }
  return all;
}

std::vector<double> random_numbers(std::uint64_t index, std::size_t count, double reach = 1.5) {
  RandomStream stream(11, Purpose::generation, index);
  std::vector<double> numbers(count);
  for (double& number : numbers) number = stream.uniform(-reach, reach);
  return numbers;
}

struct Made {
  std::vector<double> mask;
  std::vector<double> complement;
};

Made make(const FamilyDescription& family, const Settings& settings, std::span<const double> weights,
          const MaskStep& step, bool complement = true) {
  Made made{std::vector<double>(step.features), std::vector<double>(complement ? step.features : 0)};
  family.make(settings.spec, settings.train)->make(weights, step, made.mask, made.complement);
  return made;
}

double inner(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

struct Gradient {
  std::vector<double> values;
  double penalty;
};

Gradient gradient(const FamilyDescription& family, const Settings& settings, std::span<const double> weights,
                  const MaskStep& step, std::span<const double> of_mask, std::span<const double> of_complement) {
  const std::unique_ptr<Mask> mask = family.make(settings.spec, settings.train);
  std::vector<double> made(step.features);
  std::vector<double> complement(of_complement.size());
  mask->make(weights, step, made, complement);
  Gradient result{std::vector<double>(weights.size()), 0};
  mask->back(weights, step, of_mask, of_complement, result.values);
  result.penalty = mask->penalty(weights, result.values);
  return result;
}

TEST(MaskFamilies, AreTheMethodsThatTrainNetworks) {
  std::vector<std::string_view> methods;
  for (const std::string_view method : method_names()) {
    if (trains_networks(method) && method != "auto" && method != "cfm") methods.push_back(method);
  }
  std::vector<std::string_view> families;
  for (const FamilyDescription& family : mask_families()) {
    families.push_back(family.name);
    EXPECT_EQ(&family_of(family.name), &family);
  }
  EXPECT_EQ(methods, families);
  EXPECT_EQ(family_of("cfm").name, "fm");
  EXPECT_EQ(family_of("auto").name, "fm");
  EXPECT_THROW(family_of("rf"), Error);
}

/// How far the gradient of a family is from central differences, over the size of these.
double error_of_gradient(const FamilyDescription& family, const Settings& settings, const MaskStep& step,
                         bool complement) {
  const std::size_t D = step.features;
  const std::vector<double> of_mask = random_numbers(2, D);
  const std::vector<double> of_complement = random_numbers(3, complement ? D : 0);
  std::vector<double> weights = random_numbers(1, D);
  // A gradient that goes straight through a draw is that of the mask without it.
  MaskStep seen = step;
  if (family.name == "bsf") seen.number = 0;
  const auto loss = [&] {
    const Made made = make(family, settings, weights, seen, complement);
    std::vector<double> unused(D);
    return inner(made.mask, of_mask) + inner(made.complement, of_complement) +
           family.make(settings.spec, settings.train)->penalty(weights, unused);
  };
  const Gradient found = gradient(family, settings, weights, step, of_mask, of_complement);
  double difference = 0;
  double size = 0;
  for (std::size_t d = 0; d < D; ++d) {
    const double kept = weights[d];
    weights[d] = kept + 1e-6;
    const double above = loss();
    weights[d] = kept - 1e-6;
    const double numeric = (above - loss()) / 2e-6;
    weights[d] = kept;
    difference += (numeric - found.values[d]) * (numeric - found.values[d]);
    size += numeric * numeric;
  }
  return std::sqrt(difference / size);
}

TEST(MaskFamilies, HaveTheGradientsOfCentralDifferences) {
  for (const FamilyDescription* family : vector_families()) {
    for (const bool complement : {false, true}) {
      for (const bool remainder : {false, true}) {
        if (remainder && (!family->by_softmax || !complement)) continue;
        for (const std::uint64_t number : {0, 7}) {  // without and with what is drawn
          const Settings settings{.train = {.mask_penalty = 3, .mask_scale_power = 0.5},
                                  .spec = {.remainder = remainder}};
          const MaskStep step{.features = 12, .selected = 4, .seed = 5, .number = number, .progress = 0.4};
          EXPECT_LT(error_of_gradient(*family, settings, step, complement), 1e-6)
              << family->name << ", complement " << complement << ", remainder " << remainder << ", step " << number;
        }
      }
    }
  }
}

TEST(MaskFamilies, AgreeWithPyTorchAutograd) {
  const test::Reference reference("masks");
  const std::vector<double>& weights = reference["weights"];
  for (const FamilyDescription* family : vector_families()) {
    const std::string name(family->name);
    // One of three phases of `sequential` is over half way; it is asked within the training, where it draws nothing.
    const std::uint64_t number = name == "sequential" ? 1 : 0;
    const MaskStep step{.features = weights.size(), .selected = 3, .number = number, .progress = 0.5};
    const Made made = make(*family, kSettings, weights, step);
    const Gradient found =
        gradient(*family, kSettings, weights, step, reference["of_mask"], reference["of_complement"]);
    EXPECT_NEAR(found.penalty, reference.number(name + ".penalty"), 1e-14) << name;
    for (std::size_t d = 0; d < weights.size(); ++d) {
      EXPECT_NEAR(made.mask[d], reference[name + ".mask"][d], 1e-12) << name << ' ' << d;
      EXPECT_NEAR(made.complement[d], reference[name + ".complement"][d], 1e-12) << name << ' ' << d;
      EXPECT_NEAR(found.values[d], reference[name + ".gradient"][d], 1e-12) << name << ' ' << d;
    }
  }
}

/// The masks that attention makes of scores, by the operations: (2,D) mask and complement.
class ScoreMasks {
 public:
  ScoreMasks(std::size_t features, const MaskForm& form)
      : features_(features),
        form_(form),
        ops_(processor().make_ops({.rows = 1, .columns = features, .width1 = 1, .width2 = 1, .outputs = 2, .paths = 2},
                                  team_)),
        scores_(ops_->allocate(features)),
        masks_(ops_->allocate(2 * features)),
        gradients_(ops_->allocate(2 * features)) {}

  std::vector<float> of(const std::vector<float>& scores) {
    ops_->upload(scores, scores_.get());
    ops_->score_masks(scores_.get(), form_, masks_.get());
    std::vector<float> masks(2 * features_);
    ops_->download(masks_.get(), masks);
    return masks;
  }
  /// Of the scores, for the masks made last.
  std::vector<float> gradient(const std::vector<float>& of_masks) {
    ops_->upload(of_masks, gradients_.get());
    ops_->score_masks_back(masks_.get(), gradients_.get(), form_, scores_.get());
    std::vector<float> gradient(features_);
    ops_->download(scores_.get(), gradient);
    return gradient;
  }

 private:
  std::size_t features_;
  MaskForm form_;
  Team team_{1};
  std::unique_ptr<Ops> ops_;
  Buffer scores_;
  Buffer masks_;
  Buffer gradients_;
};

TEST(AttentionMasks, AgreeWithPyTorchAutograd) {
  const test::Reference reference("masks");
  const std::size_t D = reference["weights"].size();
  std::vector<float> incoming = reference.floats("of_mask");
  const std::vector<float> of_complement = reference.floats("of_complement");
  incoming.insert(incoming.end(), of_complement.begin(), of_complement.end());
  for (const std::string name : {"fm", "afs"}) {
    ScoreMasks masks(D, {.scale = std::sqrt(static_cast<float>(D)), .sigmoid = name == "afs"});
    const std::vector<float> made = masks.of(reference.floats("weights"));
    const std::vector<float> found = masks.gradient(incoming);
    for (std::size_t d = 0; d < D; ++d) {
      EXPECT_NEAR(static_cast<double>(made[d]), reference[name + ".mask"][d], 1e-6) << name;
      EXPECT_NEAR(static_cast<double>(made[D + d]), reference[name + ".complement"][d], 1e-6) << name;
      EXPECT_NEAR(static_cast<double>(found[d]), reference[name + ".gradient"][d], 2e-6) << name;
    }
  }
}

TEST(AttentionMasks, HaveComplementsOfTheOppositeOrder) {
  for (const MaskForm& form : {MaskForm{}, MaskForm{.remainder = true}, MaskForm{.sigmoid = true}}) {
    for (std::uint64_t round = 0; round < 50; ++round) {
      RandomStream stream(round, Purpose::generation);
      const std::size_t D = 2 + stream.below(40);
      std::vector<float> scores(D);
      for (float& z : scores) z = static_cast<float>(std::round(stream.uniform(-3, 3) * 4) / 4);  // with ties
      const std::vector<float> made = ScoreMasks(D, form).of(scores);
      for (std::size_t a = 0; a < D; ++a) {
        for (std::size_t b = 0; b < D; ++b) {
          if (scores[a] < scores[b]) {
            ASSERT_LT(made[a], made[b]) << round;
            ASSERT_GT(made[D + a], made[D + b]) << round;
          } else if (scores[a] == scores[b]) {
            ASSERT_EQ(made[a], made[b]) << round;
            ASSERT_EQ(made[D + a], made[D + b]) << round;
          }
        }
      }
    }
  }
}

/// What ranks features while a mask is trained: its values, for weights of either sign their size.
double place(const FamilyDescription& family, double value) {
  return family.name == "dfs" || family.name == "aefs" ? std::abs(value) : value;
}

TEST(MaskFamilies, HaveComplementsOfTheOppositeOrder) {
  for (const FamilyDescription* family : vector_families()) {
    for (std::uint64_t round = 0; round < 200; ++round) {
      RandomStream stream(round, Purpose::generation);
      const std::size_t D = 2 + stream.below(40);
      std::vector<double> weights(D);
      for (double& w : weights) w = std::round(stream.uniform(-3, 3) * (round % 2 == 0 ? 2 : 1000)) / 2;  // with ties
      const MaskStep step{.features = D,
                          .selected = 1 + stream.below(static_cast<std::uint32_t>(D)),
                          .seed = round,
                          .number = round % 3,
                          .progress = stream.uniform()};
      const Made made = make(*family, kSettings, weights, step);
      for (std::size_t a = 0; a < D; ++a) {
        for (std::size_t b = 0; b < D; ++b) {
          const double first = place(*family, made.mask[a]);
          const double second = place(*family, made.mask[b]);
          if (first < second) {
            ASSERT_GE(made.complement[a], made.complement[b]) << family->name << ", round " << round;
          } else if (first == second && weights[a] == weights[b]) {
            ASSERT_EQ(made.complement[a], made.complement[b]) << family->name << ", round " << round;
          }
        }
      }
    }
  }
}

TEST(MaskFamilies, DrawTheSameForTheSameSeedAndStepAndNothingOutsideOfTraining) {
  const std::vector<double> weights = random_numbers(4, 20);
  for (const std::string_view name : {"concrete", "stg", "bsf"}) {
    const FamilyDescription& family = family_of(name);
    const auto mask = [&](std::uint64_t seed, std::uint64_t number) {
      return make(family, kSettings, weights, {.features = 20, .selected = 5, .seed = seed, .number = number}).mask;
    };
    EXPECT_EQ(mask(1, 3), mask(1, 3)) << name;
    EXPECT_NE(mask(1, 3), mask(1, 4)) << name;
    EXPECT_NE(mask(1, 3), mask(2, 3)) << name;
    EXPECT_EQ(mask(1, 0), mask(2, 0)) << name;
  }
}

TEST(ConcreteMask, PicksKFeaturesInTheEndAndNoneTwice) {
  const std::vector<double> weights = random_numbers(5, 30, 5);
  for (std::uint64_t number = 1; number <= 20; ++number) {
    const MaskStep step{.features = 30, .selected = 6, .seed = 1, .number = number, .progress = 1};
    std::vector<double> mask = make(family_of("concrete"), kSettings, weights, step).mask;
    EXPECT_NEAR(std::accumulate(mask.begin(), mask.end(), 0.0), 6, 1e-9);
    std::sort(mask.begin(), mask.end(), std::greater<>());
    EXPECT_GT(mask[4], 0.5);
    EXPECT_LT(mask[7], 0.5);
  }
}

TEST(StochasticGates, AreThePublishedOnes) {
  // A gate of mean 0.7 and deviation 0.5 is open with the probability P(Z > -1.4).
  const std::unique_ptr<Mask> mask = stg_mask({}, {});
  const std::vector<double> weights{0.2, 0.2};
  std::vector<double> gradient(2);
  EXPECT_NEAR(mask->penalty(weights, gradient), 0.9192433407662289, 1e-12);
  const Made made = make(family_of("stg"), kSettings, weights, {.features = 2});
  EXPECT_NEAR(made.mask[0], 0.7, 1e-12);
  EXPECT_NEAR(made.complement[0], 0.3, 1e-12);
}

TEST(BinaryFilters, PassFeaturesWithTheirProbability) {
  const std::vector<double> weights{0, 0.2, 0.7, 1};
  std::vector<double> passed(4);
  for (std::uint64_t number = 1; number <= 4000; ++number) {
    const Made made = make(family_of("bsf"), kSettings, weights, {.features = 4, .seed = 3, .number = number});
    for (std::size_t d = 0; d < 4; ++d) {
      ASSERT_TRUE(made.mask[d] == 0 || made.mask[d] == 1);
      ASSERT_EQ(made.complement[d], 1 - made.mask[d]);
      passed[d] += made.mask[d] / 4000;
    }
  }
  EXPECT_EQ(passed[0], 0);
  EXPECT_NEAR(passed[1], 0.2, 0.02);
  EXPECT_NEAR(passed[2], 0.7, 0.02);
  EXPECT_NEAR(passed[3], 1, 1e-12);
  EXPECT_EQ(make(family_of("bsf"), kSettings, weights, {.features = 4}).mask, weights);
}

TEST(FractalWeights, SeeAllFeaturesInAThirdOfTheStepsAndTheLargestOtherwise) {
  const std::vector<double> weights{0.4, 0.9, 0.1, 0.6};
  const std::vector<double> largest{0, 0.9, 0, 0.6};
  MaskStep step{.features = 4, .selected = 2, .seed = 3};
  EXPECT_EQ(make(family_of("fae"), kSettings, weights, step).mask, largest);
  double all = 0;
  for (step.number = 1; step.number <= 3000; ++step.number) {
    const std::vector<double> mask = make(family_of("fae"), kSettings, weights, step).mask;
    ASSERT_TRUE(mask == weights || mask == largest);
    all += mask == weights ? 1 : 0;
  }
  EXPECT_NEAR(all / 3000, 1.0 / 3, 0.03);
}

TEST(FractalWeights, SeeTiesWithTheLastOfTheLargest) {
  const std::vector<double> weights{0.5, 0.9, 0.5, 0.2};
  const MaskStep step{.features = 4, .selected = 2};
  EXPECT_EQ(make(family_of("fae"), kSettings, weights, step).mask, (std::vector<double>{0.5, 0.9, 0.5, 0}));
}

TEST(SequentialAttention, FixesTheBestOfEachPhaseAndRanksInThatOrder) {
  const std::unique_ptr<Mask> mask = sequential_mask({}, {});
  std::vector<double> weights{0.1, 0.9, 0.3, 0.5};
  std::vector<double> made(4);
  std::vector<double> complement(4);
  const auto at = [&](double progress) {
    mask->make(weights, {.features = 4, .selected = 2, .number = 1, .progress = progress}, made, complement);
  };
  at(0.2);
  EXPECT_LT(made[1], 1);
  at(0.5);
  EXPECT_EQ(made[1], 1);
  EXPECT_EQ(complement[1], 0);
  EXPECT_NEAR(made[0] + made[2] + made[3], 1, 1e-12);
  weights = {0.1, -5, 0.8, 0.5};  // what is fixed stays fixed
  at(1);
  EXPECT_EQ(made[1], 1);
  EXPECT_EQ(made[2], 1);
  std::vector<double> scores(4);
  mask->scores(weights, scores);
  EXPECT_GT(scores[1], scores[2]);
  EXPECT_GT(scores[2], scores[3]);
  EXPECT_GT(scores[3], scores[0]);
}

TEST(SequentialAttention, LeavesOneFeatureToShareTheAttention) {
  const std::vector<double> weights{0.3, 0.1};
  const MaskStep end{.features = 2, .selected = 2, .number = 9, .progress = 1};
  const Made made = make(family_of("sequential"), kSettings, weights, end);
  EXPECT_EQ(made.mask, (std::vector<double>{1, 1}));
  EXPECT_EQ(made.complement, (std::vector<double>{0, 1}));
}

}  // namespace
}  // namespace obverse
