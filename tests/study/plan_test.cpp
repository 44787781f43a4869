#include "study/plan.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "baselines/baselines.h"
#include "mask/families.h"
#include "study/sample.h"
#include "study/units.h"
#include "support/json.h"

namespace obverse {
namespace {

using study_test::expect_holds;
using study_test::kPlan;

Plan parsed(std::string_view text) { return parse_plan({"mine", "mine.toml", std::string(text)}); }

std::string refusal(const std::string& text) {
  try {
    parsed(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

/// The small plan with one part replaced.
std::string with(std::string_view part, std::string_view by) {
  std::string text(kPlan);
  const std::size_t at = text.find(part);
  EXPECT_NE(at, std::string::npos);
  return text.replace(at, part.size(), by);
}

TEST(Plan, IsReadWithItsDefaults) {
  const Plan plan = parsed(kPlan);
  EXPECT_EQ(plan.name, "mine");
  EXPECT_EQ(plan.title, "A small study");
  EXPECT_EQ(plan.runs, 2);
  EXPECT_EQ(plan.evaluate.k, (std::vector<int>{1, 2}));
  EXPECT_EQ(plan.evaluate.classifiers, (std::vector<std::string>{"ert", "knn"}));
  ASSERT_EQ(plan.sets.size(), 3U);
  EXPECT_EQ(plan.sets[0].title, "first");
  EXPECT_EQ(plan.sets[1].title, "The second set");
  EXPECT_EQ(plan.sets[1].training_rows, 64);
  ASSERT_EQ(plan.methods.size(), 3U);
  EXPECT_EQ(plan.methods[0].select.gamma, (std::vector<double>{0.1, 1}));
  EXPECT_EQ(plan.methods[0].select.recipes[0].train.epochs, 3);
  EXPECT_EQ(plan.methods[0].runs, 2);
  EXPECT_EQ(plan.methods[1].select.gamma, std::vector<double>{0});
  EXPECT_EQ(plan.methods[2].pick, Pick::model);
  ASSERT_EQ(plan.comparisons.size(), 1U);
  EXPECT_EQ(plan.comparisons[0].title, "CFM against FM");
}

TEST(Plan, OfThePaperIsThePapers) {
  const Plan plan = parse_plan(find_plan("paper"));
  EXPECT_EQ(plan.runs, 5);
  EXPECT_EQ(plan.evaluate.rho, (std::vector<double>{0.01, 0.015, 0.02, 0.025, 0.05, 0.075, 0.1}));
  EXPECT_EQ(plan.evaluate.classifiers.size(), 3U);
  std::set<std::string> sets;
  for (const PlanSet& set : plan.sets) sets.insert(set.name);
  EXPECT_EQ(sets.size(), 6U);
  const PlanMethod& cfm = plan.methods[0];
  const PlanMethod& fm = plan.methods[1];
  EXPECT_EQ(cfm.select.gamma, (std::vector<double>{0.001, 0.01, 0.1, 1, 10, 100}));
  EXPECT_EQ(cfm.pick, Pick::gamma);
  // Both methods train the same network.
  EXPECT_EQ(method_json(cfm)["recipes"], method_json(fm)["recipes"]);
  EXPECT_EQ(plan.comparisons.size(), 3U);
}

TEST(Plan, OfAllMethodsAndOfTheFrameworkHaveEveryMethod) {
  std::set<std::string> methods;
  for (const std::string_view name : {"methods", "framework"}) {
    for (const PlanMethod& method : parse_plan(find_plan(std::string(name))).methods)
      methods.insert(method.select.method);
  }
  EXPECT_EQ(methods, (std::set<std::string>(method_names().begin(), method_names().end())));
}

TEST(Plan, OfTheFrameworkHasEveryFamilyWithAndWithoutItsComplement) {
  const Plan plan = parse_plan(find_plan("framework"));
  EXPECT_EQ(plan.methods.size(), 2 * plan.comparisons.size());
  EXPECT_EQ(plan.comparisons.size(), mask_families().size());
}

TEST(Plan, OfTheArenaHoldsTheDefaultsToEveryBaselineOnItsSetsAndThoseOfMethods) {
  const Plan plan = parse_plan(find_plan("arena"));
  const Plan methods = parse_plan(find_plan("methods"));
  EXPECT_EQ(plan.runs, 10);
  EXPECT_EQ(plan.evaluate.rho, methods.evaluate.rho);
  EXPECT_EQ(plan.evaluate.classifiers, methods.evaluate.classifiers);
  std::map<std::string, const PlanMethod*> named;
  for (const PlanMethod& method : plan.methods) {
    EXPECT_EQ(method.pick, Pick::model) << method.name;
    named[method.name] = &method;
  }
  for (const char* name : {"default", "thorough"}) {
    ASSERT_TRUE(named.contains(name));
    EXPECT_EQ(named[name]->select.method, SelectOptions{}.method);
  }
  EXPECT_NE(method_json(*named["default"]), method_json(*named["thorough"]));
  for (const char* name : {"cfm", "fm"}) EXPECT_EQ(named.at(name)->select.method, name);
  for (const Baseline& baseline : baselines()) EXPECT_TRUE(named.contains(std::string(baseline.name)));
  std::set<std::string> sets;
  for (const PlanSet& set : plan.sets) sets.insert(set.name);
  for (const PlanSet& set : methods.sets) EXPECT_TRUE(sets.contains(set.name)) << set.name;
  for (const char* name : {"arcene", "colon", "orl", "relathe", "warpar10p", "sonar"}) {
    EXPECT_TRUE(sets.contains(name)) << name;
  }
}

TEST(Plan, EveryBuiltInSurvivesItsSmokeTest) {
  for (const BuiltInPlan& built_in : built_in_plans()) {
    const Plan plan = parse_plan(find_plan(std::string(built_in.name)));
    const Plan small = smoke(plan);
    EXPECT_EQ(small.runs, 2);
    EXPECT_EQ(small.evaluate.rho.size(), 2U);
    EXPECT_EQ(small.methods.size(), plan.methods.size());
    for (const PlanSet& set : small.sets) EXPECT_EQ(set.most_rows, 400);
    EXPECT_NE(plan_json(small), plan_json(plan));
  }
}

TEST(Plan, SharesOptionsWithTheMethodsThatDoNotGiveTheirOwn) {
  const Plan plan = parsed(with("runs = 2", "runs = 2\nprecision = \"bf16\"\nepochs = 9"));
  const TrainOptions& own = plan.methods[0].select.recipes[0].train;
  EXPECT_EQ(own.epochs, 3);
  EXPECT_EQ(own.precision, Precision::bf16);
  EXPECT_EQ(plan.methods[1].select.recipes[0].train.precision, Precision::bf16);
  EXPECT_EQ(method_json(plan.methods[2]), method_json(parsed(kPlan).methods[2])) << "a baseline trains no network";
}

TEST(Plan, TakesOtherValuesOfItsKeys) {
  const std::vector<std::string> settings{"runs=3", "precision = bf16", "rho=[0.1, 0.2]", "title=\"a = b\""};
  const Plan plan = parse_plan(find_plan("paper", settings));
  EXPECT_EQ(plan.runs, 3);
  EXPECT_EQ(plan.evaluate.rho, (std::vector<double>{0.1, 0.2}));
  EXPECT_EQ(plan.title, "a = b");
  EXPECT_EQ(plan.sets.size(), parse_plan(find_plan("paper")).sets.size());
  for (const PlanMethod& method : plan.methods) {
    EXPECT_EQ(method.select.recipes[0].train.precision, Precision::bf16);
  }
}

TEST(Plan, KnowsTheSettingsThatChangedIt) {
  const std::vector<std::string> settings{"runs=3", "precision=bf16", "rho=[0.1,0.2]", "title=a word"};
  std::vector<std::string> found = settings_of(find_plan("paper", settings));
  std::vector<std::string> expected = settings;
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);
  EXPECT_TRUE(settings_of(find_plan("paper")).empty());
  EXPECT_TRUE(settings_of({"mine", "mine.toml", std::string(kPlan)}).empty());
}

TEST(Plan, NamesTheSettingThatItCannotTake) {
  const auto refused = [](const std::string& setting) -> std::string {
    try {
      find_plan("paper", std::array{setting});
    } catch (const Error& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refused("runz=1"), "--set runz=1: a plan has no key 'runz'; is it runs?");
  expect_holds(refused("precision=f16"), "--set precision=f16: precision: expected auto, f32, tf32 or bf16");
  expect_holds(refused("rho=[0.1"), "rho: expected");
  expect_holds(refused("method=fm"), "expected tables that begin with [[method]]");
  for (const char* setting : {"runs", "=3", ""}) expect_holds(refused(setting), "--set: expected KEY=VALUE");
}

TEST(Plan, WithAnUnknownKeyNamesTheNearest) {
  EXPECT_EQ(refusal(with("runs = 2", "rums = 2")), "mine.toml:3: a plan has no key 'rums'; is it runs?");
  expect_holds(refusal(with("training_rows", "traning_rows")), "a set has no key 'traning_rows'; is it training_rows?");
  expect_holds(refusal(with("epochs = 3", "epoch = 3")), "a method has no key 'epoch'; is it epochs?");
  expect_holds(refusal(with("second = \"fm\"", "secnd = \"fm\"")), "is it second?");
  expect_holds(refusal(with("gamma = [0.1, 1]", "k = 3")), "a method has no key 'k'");
  expect_holds(refusal(with("gamma = [0.1, 1]", "device = \"cuda\"")), "a method has no key 'device'");
}

TEST(Plan, WithAWrongValueSaysWhatIsExpected) {
  expect_holds(refusal(with("runs = 2", "runs = 0")), "mine.toml:3: runs");
  expect_holds(refusal(with("classifiers = [\"ert\", \"knn\"]", "classifiers = [\"svm\"]")), "rf, ert, knn");
  expect_holds(refusal(with("pick = \"model\"", "pick = \"best\"")), "gamma or model");
  expect_holds(refusal(with("epochs = 3", "epochs = -1")), "epochs");
}

TEST(Plan, ThatCannotBeRunIsRefusedWithTheReason) {
  expect_holds(refusal("runs = 2\n"), "expected at least one [[set]]");
  expect_holds(refusal("[[set]]\nname = \"a\"\ndata = \"a.csv\"\ntarget = \"y\"\n"),
               "expected at least one [[method]]");
  expect_holds(refusal(with("first = \"cfm\"", "first = \"cfn\"")), "is it cfm?");
  expect_holds(refusal(with("name = \"anova\"", "name = \"fm\"")), "two methods are called 'fm'");
  expect_holds(refusal(with("data = \"first.csv\"\n", "")), "a set needs a data");
  expect_holds(refusal(with("gamma = [0.1, 1]", "seeds = 3")), "give pick = \"model\"");
  expect_holds(refusal(with("method = \"cfm\"", "method = \"auto\"\npick = \"gamma\"")), "masks compete with rankers");
  expect_holds(refusal(with("k = [1, 2]", "k = [1, 2]\nrho = 0.1")), "give one of them");
  expect_holds(refusal(with("gamma = [0.1, 1]", "sets = [\"third\"]")), "there is no 'third'");
  expect_holds(refusal(with("pick = \"model\"", "epochs = 3")), "trains no network");
  expect_holds(refusal("runs = [\n"), "not TOML");
  expect_holds(refusal("set = 3\n"), "expected tables that begin with [[set]]");
}

TEST(Plan, ThatIsNowhereNamesTheKnownOnes) {
  EXPECT_THROW(find_plan("no/such/plan.toml"), Error);
  try {
    find_plan("papr");
    FAIL();
  } catch (const Error& error) {
    expect_holds(error.what(), "is it paper?");
  }
}

TEST(Plan, DifferencesAreNamed) {
  const auto was = plan_json(parsed(kPlan));
  EXPECT_EQ(first_difference(was, was), "");
  expect_holds(first_difference(was, plan_json(parsed(with("runs = 2", "runs = 4")))), "runs: 2 before, 4 now");
  expect_holds(first_difference(was, plan_json(parsed(with("epochs = 3", "epochs = 4")))), "epochs");
}

std::string repeated(std::string_view part, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += part;
  return out;
}

TEST(Plan, AbsurdNumbersAreRefused) {
  expect_holds(refusal(with("runs = 2", "runs = 1000000000")), "runs: expected a whole number");
  expect_holds(refusal(with("runs = 2", "runs = 1e300")), "runs: expected a whole number");
  expect_holds(refusal(with("k = [1, 2]", cat("k = [", repeated("1,", 400000), "1]"))),
               "expected at most 1000 values of k or rho, found 400001");
  expect_holds(refusal(with("k = [1, 2]", cat("rho = [", repeated("0.1,", 1001), "1]"))), "at most 1000 values");
  expect_holds(refusal(with("gamma = [0.1, 1]", cat("gamma = [", repeated("1,", 20000), "1]"))),
               "expected at most 10000 models (recipes x seeds x gammas) in a run of method 'cfm', found 20001");
  expect_holds(refusal(with("pick = \"model\"", "pick = \"model\"\nseeds = 1000000000")), "seeds");
  expect_holds(refusal(cat(kPlan, repeated("[[comparison]]\nfirst = \"cfm\"\nsecond = \"fm\"\n", 1000))),
               "at most 1000 comparisons, found 1001");
  expect_holds(refusal(cat(kPlan, repeated("[[set]]\nname = \"a\"\ndata = \"a\"\n", 1000))), "at most 1000 sets");
  expect_holds(refusal(with("k = [1, 2]", cat(repeated("a.", 30000), "k = 1"))), "at most 32 parts in a key");
  EXPECT_EQ(refusal(with("k = [1, 2]", cat("k = [", repeated("1,", 999), "1]"))), "accepted");
}

// Each number is within its bounds, and their product is not.
TEST(Plan, MoreUnitsThanAStoreHoldsAreRefused) {
  std::string sizes = "k = [";
  for (int k = 1; k <= 1000; ++k) sizes += cat(k, ",");
  const Plan plan = parsed(with("runs = 2\nk = [1, 2]", cat("runs = 1000\n", sizes, "]")));
  const std::vector<SetRecord> sets{
      {.set = {.name = "first", .training_rows = 64, .features = 5000}, .fingerprint = "0"}};
  try {
    units_of(plan, sets);
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.fault(), Fault::usage);
    expect_holds(error.what(), "units of work (sets x methods x runs x sizes)");
  }
}

}  // namespace
}  // namespace obverse
