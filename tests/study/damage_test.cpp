// Stores that lie: SQL changes one value of a small study, and every way to open the store names the table and the row.
#include <obverse/study.h>

#include "report/study.h"
#include "study/findings.h"
#include "study/sample.h"
#include "study/store.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using study_test::expect_holds;

struct Damage {
  std::string name;
  std::string sql;
  std::string found;  ///< what the message says after "the store is damaged: table "
};

std::ostream& operator<<(std::ostream& out, const Damage& damage) { return out << damage.name; }

/// One value of the summary of the set `first`.
std::string summary(const std::string& member, const std::string& json) {
  return "UPDATE sets SET summary = json_set(summary, '$." + member + "', json('" + json + "')) WHERE name = 'first'";
}
const std::string kSummary = "sets, row name 'first': summary: ";

std::string set(const std::string& change) { return "UPDATE sets SET " + change + " WHERE name = 'first'"; }
/// A unit of the sample: 1 is a training of cfm, which has two models.
std::string training(const std::string& change) { return "UPDATE units SET " + change + " WHERE id = 1"; }
/// The first evaluation.
// The first of those with k = 1: units end in any order.
const std::string kEvaluation = "(SELECT min(id) FROM units WHERE k = 1)";
std::string evaluation(const std::string& table, const std::string& change, const std::string& which = "1") {
  return "UPDATE " + table + " SET " + change + " WHERE unit = " + kEvaluation + " AND " + which;
}
std::string model(const std::string& change) {
  return "UPDATE models SET " + change + " WHERE unit = 1 AND number = 1";
}
std::string merit(const std::string& change) {
  return "UPDATE merits SET " + change + " WHERE unit = 1 AND k = 2 AND model = 1";
}
const std::string kModel = "models, row unit 1, number 1: ";
const std::string kMerit = "merits, row unit 1, k 2, model 1: ";
const std::string kNan = "x'0000c07f0000c07f0000c07f0000c07f'";

const std::vector<Damage>& damages() {
  static const std::vector<Damage> kDamages{
      {"PlanIsGone", "DELETE FROM study", "study, row id 1: expected a plan"},
      {"PlanHasAnotherNumber", "UPDATE study SET id = 2", "study, row id 2: id: expected"},
      {"PlanNameIsBytes", "UPDATE study SET name = x'00'", "study, row id 1: name: expected text"},
      {"PlanIsNoToml", "UPDATE study SET plan = 'a = = b'", "study, row id 1: plan: "},
      {"PlanIsEmpty", "UPDATE study SET plan = ''", "study, row id 1: plan: "},
      {"PlanIsBytes", "UPDATE study SET plan = zeroblob(10)", "study, row id 1: plan: expected text"},
      {"PlanIsLarge", "UPDATE study SET plan = plan || hex(zeroblob(2000000))",
       "study, row id 1: plan: expected at most"},
      {"PlanIsDeep", "UPDATE study SET plan = replace(hex(zeroblob(9000)), '0', 'a.') || 'a = 1'",
       "study, row id 1: plan: "},
      {"PlanHasManyRuns", "UPDATE study SET plan = replace(plan, 'runs = 2', 'runs = 1000000000')",
       "study, row id 1: plan: "},
      {"SmokeIsNeither", "UPDATE study SET smoke = 7", "study, row id 1: smoke: expected a whole number from 0 to 1"},
      {"VersionIsNoUtf8", "UPDATE study SET version = CAST(x'ff41' AS TEXT)",
       "study, row id 1: version: expected UTF-8"},

      {"SetHasNoName", "UPDATE sets SET name = NULL WHERE name = 'first'",
       "sets, row name nothing: name: expected text"},
      {"FingerprintIsBytes", set("fingerprint = x'01'"), "sets, row name 'first': fingerprint: expected text"},
      {"FingerprintIsGone", set("fingerprint = ''"), kSummary + "missing: expected why"},
      {"TestFractionIsNegative", set("test_fraction = -1"), "sets, row name 'first': test_fraction: expected a number"},
      {"TestFractionIsInfinite", set("test_fraction = 9e999"), "sets, row name 'first': test_fraction: "},
      {"TestFractionIsText", set("test_fraction = 'half'"), "sets, row name 'first': test_fraction: "},
      {"SummaryIsNoJson", set("summary = 'features'"), kSummary + "expected the summary of a set, found"},
      {"SummaryIsCut", set("summary = substr(summary, 1, 30)"), kSummary + "expected the summary of a set, found"},
      {"SummaryIsEmpty", set("summary = '{}'"), kSummary + "title: expected a value, found none"},
      {"SummaryIsAList", set("summary = '[]'"), kSummary + "JSON: expected an object"},
      {"SummaryIsDeep", set("summary = replace(hex(zeroblob(100000)), '0', '[')"), kSummary + "expected the summary"},
      {"SummaryIsBytes", set("summary = zeroblob(4)"), kSummary + "expected text"},
      {"TitleIsANumber", summary("title", "3"), kSummary + "title: expected text, found 3"},
      {"MissingHasAReason", summary("missing", "\"gone\""), kSummary + "missing: expected nothing"},
      {"NoTrainingRows", summary("training_rows", "0"), kSummary + "training_rows: expected a whole number"},
      {"AbsurdTrainingRows", summary("training_rows", "1e300"), kSummary + "training_rows: expected a whole number"},
      {"NegativeTestRows", summary("test_rows", "-1"), kSummary + "test_rows: expected a whole number"},
      {"MoreFeaturesThanNames", summary("features", "4000000000"), kSummary + "feature_names: expected 4000000000"},
      {"FeaturesAreText", summary("features", "\"4\""), kSummary + "features: expected a whole number"},
      {"FeaturesAreWithoutEnd", summary("features", "18446744073709551615"), kSummary + "features: expected"},
      {"FeatureNamesAreNumbers", summary("feature_names", "[1, 2, 3, 4]"), kSummary + "feature_names: expected text"},
      {"ClassNamesAreAnObject", summary("class_names", "{}"), kSummary + "class_names: expected a list"},
      {"ImageIsTooLarge", summary("image", "[3, 3]"), kSummary + "image: expected height and width of 4 pixels"},
      {"ImageHasOneSide", summary("image", "[4]"), kSummary + "image: expected height and width"},
      {"ImageHasNoHeight", summary("image", "[0, 4]"), kSummary + "image: expected a whole number"},
      {"ImageWrapsAround", summary("image", "[4294967296, 4294967297]"), kSummary + "image: expected a whole number"},
      {"ConstantIsOutside", set("constant = x'04000000'"),
       "sets, row name 'first': constant: expected features below 4"},
      {"ConstantIsFarOutside", set("constant = x'ffffff7f'"), "sets, row name 'first': constant: "},
      {"ConstantComesTwice", set("constant = x'0100000001000000'"), "sets, row name 'first': constant: "},
      {"ConstantIsCut", set("constant = x'010000'"), "sets, row name 'first': constant: expected numbers of 4 bytes"},
      {"ConstantIsText", set("constant = 'none'"), "sets, row name 'first': constant: expected bytes"},
      {"ExamplesWithoutPictures", set("examples = zeroblob(8)"), "sets, row name 'first': examples: "},
      {"ExamplesAreCut", summary("image", "[2, 2]") + "; " + set("examples = zeroblob(7)"),
       "sets, row name 'first': examples: expected a picture of 4 bytes"},
      {"ExamplesOfMoreClasses", summary("image", "[2, 2]") + "; " + set("examples = zeroblob(12)"),
       "sets, row name 'first': examples: expected a picture of 4 bytes"},
      {"OneFingerprintOfTwoSizes",
       set("fingerprint = (SELECT fingerprint FROM sets WHERE name = 'second'), summary = json_set(summary, "
           "'$.features', 1, '$.feature_names', json('[\"a\"]'))"),
       "sets, row name 'second': summary: features: expected 1"},

      {"UnitHasANegativeNumber", training("id = -3"), "units, row id -3: "},
      {"KeyIsNoJson", training("key = 'a'"), "units, row id 1: key: expected the key of a unit, found"},
      {"KeyIsEmpty", training("key = '{}'"), "units, row id 1: key: unit: expected a value"},
      {"KeyIsDeep", training("key = replace(hex(zeroblob(30000)), '0', '[')"), "units, row id 1: key: "},
      {"KeyHasAnotherRun", training("key = json_set(key, '$.run', 1000000)"), "units, row id 1: key: run: expected"},
      {"KeyHasAnotherPick", training("key = json_set(key, '$.pick', 'best')"), "units, row id 1: key: pick: expected"},
      {"KeyHasNoSizes", training("key = json_remove(key, '$.sizes')"), "units, row id 1: key: sizes: expected"},
      {"KeyHasAnUnknownClassifier",
       "UPDATE units SET key = json_set(key, '$.classifiers[0]', 'svm') WHERE id = " + kEvaluation,
       "key: classifier: expected rf or ert or knn or linear, found 'svm'"},
      {"KindIsUnknown", training("kind = 'guess'"), "units, row id 1: kind: expected training or evaluation"},
      {"KindIsAnother", training("kind = 'evaluation'"), "units, row id 1: kind: not the kind of its key"},
      {"RunIsAnother", training("run = 99"), "units, row id 1: run: expected"},
      {"TrainingHasAK", training("k = 2"), "units, row id 1: k: expected nothing"},
      {"EvaluationHasNoK", "UPDATE units SET k = NULL WHERE id = " + kEvaluation, ": k: expected a whole number"},
      {"DataAreBytes", training("data = x'00'"), "units, row id 1: data: expected text"},
      {"MethodIsBytes", training("method = x'00'"), "units, row id 1: method: expected text"},
      {"UnitVersionIsBytes", training("version = x'00'"), "units, row id 1: version: expected text"},
      {"FinishedIsBytes", training("finished = x'00'"), "units, row id 1: finished: expected text"},
      {"NoThreads", training("threads = 0"), "units, row id 1: threads: expected"},
      {"ThreadsAreText", training("threads = 'two'"), "units, row id 1: threads: expected"},
      {"NegativeSeconds", training("seconds = -1"), "units, row id 1: seconds: expected"},
      {"EndlessSeconds", training("seconds = 9e999"), "units, row id 1: seconds: expected"},
      {"NegativeMemory", training("memory_bytes = -1"), "units, row id 1: memory_bytes: expected"},

      {"ModelsAreOfNoUnit", "UPDATE models SET unit = 9999 WHERE unit = 1", "models, row unit 1: expected 2 models"},
      {"AModelOfNoUnit",
       "INSERT INTO models SELECT 9999, number, recipe, seed, gamma, epochs, loss, complement_loss, "
       "network_accuracy, scores, initial_scores FROM models WHERE unit = 1 AND number = 0",
       "models, row unit 9999: unit: there is no such unit"},
      {"AModelIsGone", "DELETE FROM models WHERE unit = 1 AND number = 1", "models, row unit 1: expected 2 models"},
      {"AModelTooMany",
       "INSERT INTO models SELECT 1, 2, recipe, seed, gamma, epochs, loss, complement_loss, "
       "network_accuracy, scores, initial_scores FROM models WHERE unit = 1 AND number = 0",
       "models, row unit 1, number 2: number: expected 2 models"},
      {"ModelHasAnotherNumber", model("number = 7"), "models, row unit 1, number 7: number: expected"},
      {"RecipeIsBytes", model("recipe = x'00'"), kModel + "recipe: expected text"},
      {"SeedIsText", model("seed = 'lucky'"), kModel + "seed: expected a whole number"},
      {"GammaIsNegative", model("gamma = -0.5"), kModel + "gamma: expected"},
      {"EpochsAreManyBillions", model("epochs = 1000000000000"), kModel + "epochs: expected"},
      {"LossIsInfinite", model("loss = 9e999"), kModel + "loss: expected a finite number"},
      {"ComplementLossIsText", model("complement_loss = 'low'"), kModel + "complement_loss: expected a finite number"},
      {"NetworkAccuracyIsAbsurd", model("network_accuracy = 1e300"), kModel + "network_accuracy: expected"},
      {"ScoresAreFewer", model("scores = zeroblob(12)"), kModel + "scores: expected a score for each of 4 features"},
      {"ScoresAreMore", model("scores = zeroblob(4000)"), kModel + "scores: expected a score for each of 4 features"},
      {"ScoresAreNone", model("scores = x''"), kModel + "scores: expected a score for each of 4 features"},
      {"ScoresAreCut", model("scores = zeroblob(15)"), kModel + "scores: expected numbers of 4 bytes"},
      {"ScoresAreText", model("scores = 'good'"), kModel + "scores: expected bytes"},
      {"ScoresAreNoNumbers", model("scores = " + kNan), kModel + "scores: expected numbers"},
      {"InitialScoresAreFewer", model("initial_scores = zeroblob(8)"), kModel + "initial_scores: expected a score"},
      {"InitialScoresAreNoNumbers", model("initial_scores = " + kNan), kModel + "initial_scores: expected numbers"},

      {"MeritOfAnotherK", merit("k = 4000000000"), "merits, row unit 1, k 4000000000, model 1: k: expected"},
      {"MeritOfAnotherModel", merit("model = 1000000000000"), "merits, row unit 1, k 2, model 1000000000000: model: "},
      {"MeritsAreGone", "DELETE FROM merits WHERE unit = 1", "merits, row unit 1: expected 2 sizes of 2 models"},
      {"AMeritOfNoUnit", "INSERT INTO merits VALUES(9999, 1, 0, 0, 0, 0)", "merits, row unit 9999: unit: "},
      {"MeritAccuracyIsText", merit("accuracy = 'high'"), kMerit + "accuracy: expected"},
      {"MeritIsInfinite", merit("merit = -9e999"), kMerit + "merit: expected"},
      {"ChosenIsNeither", merit("chosen = 2"), kMerit + "chosen: expected a whole number from 0 to 1"},
      {"NobodyIsChosen", "UPDATE merits SET chosen = 0 WHERE unit = 1", "merits, row unit 1"},
      {"BothAreChosen", "UPDATE merits SET chosen = 1 WHERE unit = 1 AND k = 2", kMerit + "chosen: expected one model"},
      {"ChosenHasNoScores",
       "UPDATE models SET scores = x'' WHERE unit IN (SELECT id FROM units WHERE method = 'anova')",
       "chosen: expected a model with scores"},

      {"ClassifierIsUnknown", evaluation("results", "classifier = 'svm'", "metric = 'accuracy' AND classifier = 'knn'"),
       "classifier: expected rf or ert or knn or linear, found 'svm'"},
      {"ClassifierIsAnother", evaluation("results", "classifier = 'rf'", "metric = 'accuracy' AND classifier = 'knn'"),
       "classifier: the unit has no such classifier"},
      {"MetricIsUnknown", evaluation("results", "metric = 'speed'", "metric = 'accuracy' AND classifier = 'knn'"),
       "metric: expected accuracy or"},
      {"AccuracyIsAboveOne", evaluation("results", "value = 2", "metric = 'accuracy'"),
       "value: expected a number from"},
      {"AccuracyIsNothing", evaluation("results", "value = NULL", "metric = 'accuracy'"), "value: expected a number"},
      {"ValueIsText", evaluation("results", "value = 'good'", "metric = 'roc-auc'"), "value: expected a number"},
      {"PrecisionIsAboveOne", evaluation("results", "value = 1.5", "metric = 'average-precision'"),
       "value: expected a number from"},
      {"LogLossIsNegative", evaluation("results", "value = -3", "metric = 'log-loss'"), "value: expected a number"},
      {"ResultSecondsAreNegative", evaluation("results", "seconds = -1"), "seconds: expected a number"},
      {"AResultIsGone", "DELETE FROM results WHERE metric = 'accuracy' AND unit = " + kEvaluation,
       "expected the accuracy of 2 classifiers, found 0"},
      {"AResultOfNoUnit", "INSERT INTO results VALUES(9999, 'knn', 'accuracy', 1, 1)", "results, row unit 9999: "},

      {"SelectionIsOutside", evaluation("selections", "features = x'ffffff7f'"), "features: expected features below 4"},
      {"SelectionIsJustOutside", evaluation("selections", "features = x'04000000'"),
       "features: expected features below"},
      {"SelectionIsLonger", evaluation("selections", "features = x'0000000001000000'"),
       "features: expected 1 features"},
      {"SelectionIsEmpty", evaluation("selections", "features = x''"), "features: expected 1 features, found 0"},
      {"SelectionIsCut", evaluation("selections", "features = x'0000'"), "features: expected numbers of 4 bytes"},
      {"SelectionIsText", evaluation("selections", "features = 'all'"), "features: expected bytes"},
      {"SelectionHasOneTwice", "UPDATE selections SET features = x'0100000001000000' WHERE length(features) = 8",
       "features: expected each feature once"},
      {"SelectionIsGone", "DELETE FROM selections WHERE unit = " + kEvaluation, "expected 1 features, found no row"},
      {"ASelectionOfNoUnit", "INSERT INTO selections VALUES(9999, x'')", "selections, row unit 9999: "},

      {"WorkerHasNoProcess", "INSERT INTO workers VALUES(3, 'here', -1, '', 0)", "workers, row id 3: process: "},
      {"WorkerMachineIsBytes", "INSERT INTO workers VALUES(3, x'00', 1, '', 0)", "workers, row id 3: machine: "},
      {"WorkerStartIsBytes", "INSERT INTO workers VALUES(3, 'here', 1, x'00', 0)", "workers, row id 3: started: "},
      {"WorkerBeatIsText", "INSERT INTO workers VALUES(3, 'here', 1, '', 'now')", "workers, row id 3: beat: "},
      {"ClaimIsBytes", "INSERT INTO claims VALUES(x'00', 1)", "claims, row key 1 bytes: key: expected text"},
      {"ClaimIsOfNobody", "INSERT INTO claims VALUES('a', 'b')", "claims, row key 'a': worker: "},

      {"ATableIsGone", "DROP TABLE claims", "claims, its definition: "},
      {"ATableIsAView",
       "DROP TABLE selections; CREATE VIEW selections AS SELECT id AS unit, zeroblob(1 << 29) AS "
       "features FROM units",
       "selections, its definition: "},
      {"ATriggerWaits", "CREATE TRIGGER t AFTER INSERT ON units BEGIN DELETE FROM units; END", "t, its definition: "},
      {"AColumnTooMany", "ALTER TABLE results ADD COLUMN more", "results, its definition: "},
  };
  return kDamages;
}

/// A study that is run once; every case has its copy.
class StoreDamage : public study_test::Study, public testing::WithParamInterface<Damage> {
 protected:
  static std::string& whole() {
    static std::string bytes;
    return bytes;
  }

  StoreDamage() {
    if (whole().empty()) {
      run_study(options("whole.db"));
      std::ifstream file(path("whole.db"), std::ios::binary);
      whole().assign(std::istreambuf_iterator<char>(file), {});
    }
    write("results.db", whole());
  }

  void apply(const std::string& sql) const {
    const Database database(path("results.db"), Database::Mode::write);
    database.run("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA synchronous = OFF");
    database.run(sql);
  }

  /// As `study export` and `report` do it.
  std::string page() const {
    return page_html(study_page(findings_of(Store(path("results.db"), Store::Access::read))));
  }
};

TEST_P(StoreDamage, IsOneMessageThatNamesTableAndRow) {
  apply(GetParam().sql);
  const std::string message = message_of([&] { study_status(path("results.db")); });
  expect_holds(message, "the store is damaged: table ");
  expect_holds(message, GetParam().found);
  expect_holds(message, "run the study again into another file");
  EXPECT_LT(message.size(), 600U) << message;
  EXPECT_EQ(message_of([&] { page(); }), message);
  EXPECT_EQ(message_of([&] { run_study(options()); }), message);
  EXPECT_TRUE(fs::exists(path("results.db")));
}

INSTANTIATE_TEST_SUITE_P(OneValue, StoreDamage, testing::ValuesIn(damages()),
                         [](const testing::TestParamInfo<Damage>& info) { return info.param.name; });

// The same values in their bounds are no damage.
TEST_F(StoreDamage, IsNotSeenWhereThereIsNone) {
  EXPECT_FALSE(page().empty());
  apply(summary("image", "[2, 2]") + "; " + set("examples = zeroblob(8), constant = x'0100000003000000'"));
  apply("UPDATE results SET value = NULL WHERE metric = 'roc-auc'; ANALYZE");
  EXPECT_FALSE(page().empty());
  run_study(options());
}

// As a store of a version without this metric.
TEST_F(StoreDamage, IsNotAMetricThatCameLater) {
  apply("DELETE FROM results WHERE metric = 'average-precision'");
  EXPECT_FALSE(page().empty());
  run_study(options());
}

// Rows of the data are there to compare with.
TEST_F(StoreDamage, IsASizeThatTheDataDoNotHave) {
  apply(summary("training_rows", "65"));
  EXPECT_FALSE(page().empty());
  const std::string message = message_of([&] { run_study(options()); });
  expect_holds(message, kSummary + "training_rows: expected 64, as its data have, found 65");
}

TEST_F(StoreDamage, IsFoundInResultsThatNoPlanAsksForAnyMore) {
  write("plan.toml", std::string(study_test::kPlan) + "\n[[method]]\nname = \"random\"\nmethod = \"random\"\n");
  StudyOptions update = options();
  update.update = true;
  write("first.csv", study_test::small_csv(80, 4));
  EXPECT_GT(run_study(update).other_units, 0U);
  apply(model("scores = zeroblob(12)"));
  expect_holds(message_of([&] { study_status(path("results.db")); }), "models, row unit 1");
}

}  // namespace
}  // namespace obverse
