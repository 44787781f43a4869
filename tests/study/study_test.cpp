#include <obverse/study.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <thread>

#include "report/study.h"
#include "study/findings.h"
#include "study/sample.h"
#include "study/store.h"
#include "support/random.h"
#include "support/text.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using study_test::expect_holds;
using study_test::kPlan;
using study_test::small_csv;

// Per set: trainings of cfm, fm and anova in two runs, and evaluations of each of them for two k.
constexpr std::size_t kUnitsOfASet = 3 * 2 + 3 * 2 * 2;

class StudyTest : public study_test::Study {
 protected:
  Findings findings(const std::string& store = "results.db") const {
    return findings_of(Store(path(store), Store::Access::read));
  }
  /// All results, without times.
  std::string results(const std::string& store = "results.db") const {
    const Findings found = findings(store);
    std::string out = cells_csv(found) + comparisons_csv(found);
    for (const MaskFinding& mask : found.masks) {
      for (const float score : mask.scores) out += cat(std::hexfloat, score, ' ');
    }
    return out;
  }
  std::string changed_plan(std::string_view part, std::string_view by) const {
    std::string text(kPlan);
    return text.replace(text.find(part), part.size(), by);
  }
};

TEST_F(StudyTest, RunsEveryUnitOfTheSetsAtHand) {
  const StudyStatus status = run_study(options());
  EXPECT_EQ(status.units, 2 * kUnitsOfASet);
  EXPECT_EQ(status.units_done, status.units);
  EXPECT_EQ(status.workers, 0U);
  ASSERT_EQ(status.sets.size(), 3U);
  EXPECT_EQ(status.sets[0].done, kUnitsOfASet);
  expect_holds(status.sets[2].missing, "absent.csv");
}

/// Six columns of which the first four tell something, then targets of every kind.
std::string table_csv(std::size_t rows) {
  RandomStream random(3, Purpose::generation);
  std::string text = "a,b,c,d,noise,more,class,left,right,price,weight\n";
  for (std::size_t r = 0; r < rows; ++r) {
    std::array<double, 6> x{};
    for (double& value : x) value = random.normal();
    x[1] = x[0] + 0.1 * x[1];  // two columns that tell each other
    for (const double value : x) text += cat(value, ",");
    text += cat(x[0] > 0 ? "yes" : "no", ",", x[2] > 0 ? 1 : 0, ",", x[3] > 0 ? 1 : 0, ",", 2 * x[0] - x[3], ",",
                1 + r % 2, "\n");
  }
  return text;
}

constexpr std::string_view kTasks = R"toml(
runs = 2
k = [1, 3]
classifiers = ["rf", "knn"]
trees = 5

[[set]]
name = "classes"
data = "class.csv"
target = "class"

[[set]]
name = "labels"
data = "labels.csv"
targets = ["left", "right"]

[[set]]
name = "quantities"
data = "price.csv"
target = "price"
weights = "weight"
task = "regression"

[[set]]
name = "nothing"
data = "plain.csv"
task = "reconstruction"

[[set]]
name = "rare"
data = "rare.csv"
target = "class"

[[set]]
name = "broken"
data = "broken.csv"
target = "class"

[[method]]
name = "cfm"
gamma = 1
epochs = 3

[[method]]
name = "variance"
method = "variance"

[[method]]
name = "mutual-info"
method = "mutual-info"

[[comparison]]
first = "cfm"
second = "variance"
)toml";

/// The columns of that name, in this order.
std::string columns_of(const std::string& csv, const std::vector<std::string>& names) {
  std::istringstream lines(csv);
  std::string line;
  std::string out;
  std::vector<std::size_t> taken;
  while (std::getline(lines, line)) {
    const std::vector<std::string> fields = split_text(line, ',');
    if (taken.empty()) {
      for (const std::string& name : names) {
        taken.push_back(static_cast<std::size_t>(std::find(fields.begin(), fields.end(), name) - fields.begin()));
      }
    }
    std::vector<std::string> kept;
    for (const std::size_t column : taken) kept.push_back(fields[column]);
    out += join(kept, ",") + "\n";
  }
  return out;
}

TEST_F(StudyTest, TakesSetsOfEveryTaskAndLeavesOutThoseThatCannotBeRun) {
  const std::string table = table_csv(80);
  write("plan.toml", std::string(kTasks));
  write("class.csv", columns_of(table, {"a", "b", "c", "d", "noise", "class"}));
  write("labels.csv", columns_of(table, {"a", "b", "c", "d", "left", "right"}));
  write("price.csv", columns_of(table, {"a", "b", "c", "d", "weight", "price"}));
  write("plain.csv", columns_of(table, {"a", "b", "c", "d"}));
  std::string rare = "x,y,class\n";
  for (int row = 0; row < 30; ++row) rare += cat(row, ",", row % 7, ",", row < 2 ? "few" : "many", "\n");
  write("rare.csv", rare);
  write("broken.csv", "x,y,class\n1,2,a\n3,b\n");

  const StudyStatus status = run_study(options());
  EXPECT_EQ(status.units_done, status.units);
  ASSERT_EQ(status.sets.size(), 6U);
  for (std::size_t set = 0; set < 4; ++set) EXPECT_GT(status.sets[set].done, 0U) << status.sets[set].name;
  expect_holds(status.sets[4].missing, "class 'few' has a single row");
  expect_holds(status.sets[5].missing, "expected 3 values, found 2");

  const Findings found = findings();
  EXPECT_EQ(found.sets[1].task, Task::multilabel);
  EXPECT_EQ(found.sets[1].outputs, 2U);
  EXPECT_EQ(found.sets[2].task, Task::regression);
  EXPECT_EQ(found.sets[3].task, Task::reconstruction);
  ASSERT_EQ(found.notes.size(), 3U);  // mutual information is of classes
  expect_holds(found.notes[0], "mutual-info cannot rank labels: ");
  // sizes x classifiers of three sets, and of the fourth neighbours alone; those of the others are planned
  EXPECT_EQ(found.comparisons[0].cells.size(), 2U * (2 + 2 + 2 + 1));
  EXPECT_EQ(found.comparisons[0].planned, 2U * (2 + 2 + 2 + 1 + 2 + 2));
  const auto mean = [&](std::size_t set, std::size_t method) {
    const auto cell = std::find_if(found.cells.begin(), found.cells.end(), [&](const CellFinding& one) {
      return one.set == set && one.method == method && one.k == 3 && one.classifier == "knn";
    });
    return cell->mean;
  };
  EXPECT_GT(mean(0, 2), 0.8);
  EXPECT_GT(mean(1, 0), 0.6);
  EXPECT_GT(mean(2, 0), 0.3);
  EXPECT_GT(mean(3, 0), 0.2);
  const std::string text = study_text(found, {});
  expect_holds(text, "accuracy stands for the share of the variance explained");
  expect_holds(text, "rare is left out: ");
}

TEST_F(StudyTest, RefusesAMetricThatDoesNotMeasureASet) {
  write("plan.toml", cat("metric = \"r2\"\n", kPlan));
  expect_holds(message_of([&] { run_study(options()); }), "metric r2 does not measure task classification");
  write("plan.toml", cat("metric = \"log-loss\"\n", kPlan));
  expect_holds(message_of([&] { run_study(options()); }), "expected auto or accuracy or balanced-accuracy");
  write("plan.toml", cat("metric = \"balanced-accuracy\"\n", kPlan));
  EXPECT_EQ(run_study(options()).units_done, 2 * kUnitsOfASet);
  EXPECT_EQ(findings().metric, "balanced-accuracy");
}

TEST_F(StudyTest, FindsWhatTheStoreHolds) {
  run_study(options());
  const Findings found = findings();
  EXPECT_EQ(found.plan, "plan");
  EXPECT_EQ(found.seeds, 2);
  EXPECT_EQ(found.units_done, 2 * kUnitsOfASet);
  EXPECT_EQ(found.cells.size(), 2U * 3 * 2 * 2);  // sets, methods, k, classifiers
  for (const CellFinding& cell : found.cells) EXPECT_EQ(cell.accuracy.size(), 2U);
  ASSERT_EQ(found.comparisons.size(), 1U);
  EXPECT_EQ(found.comparisons[0].cells.size(), 8U);
  EXPECT_EQ(found.comparisons[0].planned, 12U);  // the absent set is of the plan
  EXPECT_EQ(found.gammas.size(), 2U);            // cfm alone has a choice
  ASSERT_EQ(found.masks.size(), 6U);
  EXPECT_EQ(found.masks[0].complement, "opposite");
  EXPECT_EQ(found.masks[0].initial_scores.size(), 4U);
  EXPECT_EQ(found.masks[1].complement, "");
  EXPECT_FALSE(found.masks[2].mask);
  EXPECT_EQ(found.stability.size(), 2U * 3 * 2);
  EXPECT_EQ(found.costs.size(), 6U);
  EXPECT_EQ(found.costs[0].models, 4U);  // two gammas in two runs
  // ANOVA finds the column that tells the classes apart, and neighbours need no more.
  const CellFinding& anova = found.cells[8];
  EXPECT_EQ(found.methods[anova.method].name, "anova");
  EXPECT_GT(anova.mean, 0.9);
}

TEST_F(StudyTest, DoesNotDependOnThreads) {
  StudyOptions one = options("one.db");
  one.threads = 1;
  run_study(one);
  StudyOptions five = options("five.db");
  five.threads = 5;
  run_study(five);
  EXPECT_EQ(results("one.db"), results("five.db"));
}

TEST_F(StudyTest, AsksForItsDeviceBeforeAStoreIsMade) {
  StudyOptions missing = options();
  missing.device = "cuda:65535";
  expect_holds(message_of([&] { run_study(missing); }), "CUDA");
  missing.device = "gpu";
  expect_holds(message_of([&] { run_study(missing); }), "expected cpu, cuda, cuda:N or auto");
  StudyOptions narrow = options();
  narrow.settings = {"precision=tf32"};
  expect_holds(message_of([&] { run_study(narrow); }), "tf32 is a precision of GPUs");
  EXPECT_FALSE(fs::exists(path("results.db")));
}

// Results of a device are results of the same recipe.
TEST_F(StudyTest, KeysOfUnitsDoNotNameWhatTheyRanOn) {
  const Plan plan = parse_plan({"plan", "plan.toml", std::string(kPlan)});
  for (const Unit& unit :
       units_of(plan, {{.set = {.name = "first", .training_rows = 64, .features = 4}, .fingerprint = "0"}})) {
    for (const char* word : {"device", "threads"}) EXPECT_EQ(unit.key.find(word), std::string::npos) << unit.key;
  }
}

TEST_F(StudyTest, GoesOnWhereItWasStopped) {
  run_study(options("whole.db"));
  std::size_t stops = 0;
  for (bool done = false; !done; ++stops) {
    ASSERT_LT(stops, 100U);
    try {
      std::size_t before = 0;
      run_study(options("stopped.db"), [&](const StudyProgress& now) {
        before = before == 0 ? now.units_done + 1 : before;
        return now.units_done < before + 5;
      });
      done = true;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::stopped);
      expect_holds(error.what(), "the same command goes on from there");
    }
  }
  EXPECT_GT(stops, 1U);
  EXPECT_EQ(results("stopped.db"), results("whole.db"));
}

TEST_F(StudyTest, IsSharedByProcesses) {
  run_study(options("alone.db"));
  { const Store made(path("shared.db"), Store::Access::write); }
  std::vector<std::thread> workers;
  workers.reserve(3);
  for (int i = 0; i < 3; ++i) workers.emplace_back([&] { run_study(options("shared.db")); });
  for (auto& worker : workers) worker.join();
  EXPECT_EQ(results("shared.db"), results("alone.db"));
}

TEST_F(StudyTest, ASecondRunHasNothingToDo) {
  run_study(options());
  const double spent = study_status(path("results.db")).thread_seconds;
  const StudyStatus again = run_study(options());
  EXPECT_EQ(again.thread_seconds, spent);
  EXPECT_EQ(again.other_units, 0U);
}

TEST_F(StudyTest, MethodsWithTheSameOptionsShareTheirUnits) {
  run_study(options("alone.db"));
  write("plan.toml",
        changed_plan("[[comparison]]", "[[method]]\nname = \"twin\"\nmethod = \"fm\"\nepochs = 3\n\n[[comparison]]"));
  const StudyStatus status = run_study(options("shared.db"));
  EXPECT_EQ(status.units_done, status.units);
  EXPECT_EQ(status.units, study_status(path("alone.db")).units / 3 * 4);
  EXPECT_EQ(status.other_units, 0U);
  EXPECT_EQ(Store(path("shared.db"), Store::Access::read).units().size(),
            Store(path("alone.db"), Store::Access::read).units().size());
  const Findings found = findings("shared.db");
  EXPECT_EQ(found.cells.size(), 2U * 4 * 2 * 2);
  for (const CellFinding& cell : found.cells) EXPECT_EQ(cell.runs.size(), 2U);
}

TEST_F(StudyTest, TellsHowItGoes) {
  StudyProgress last;
  run_study(options(), [&](const StudyProgress& now) {
    EXPECT_LE(now.units_done, now.units);
    EXPECT_GE(now.done, 0);
    EXPECT_LE(now.done, 1);
    last = now;
    return true;
  });
  EXPECT_EQ(last.units, 2 * kUnitsOfASet);
  EXPECT_EQ(last.cells, 2U * 3 * 2 * 2);
}

TEST_F(StudyTest, AChangedPlanNeedsToBeAskedFor) {
  run_study(options());
  write("plan.toml", changed_plan("trees = 5", "trees = 6"));
  const std::string message = message_of([&] { run_study(options()); });
  expect_holds(message, "trees: 5 before, 6 now");
  expect_holds(message, "--update");
  StudyOptions update = options();
  update.update = true;
  const StudyStatus status = run_study(update);
  EXPECT_EQ(status.units_done, status.units);
  // The trainings still apply, the evaluations do not.
  EXPECT_EQ(status.other_units, 2U * 3 * 2 * 2);
  run_study(options());
}

TEST_F(StudyTest, ChangedDataNeedToBeAskedFor) {
  run_study(options());
  const std::string before = results();
  write("second.csv", small_csv(80, 4));
  const std::string message = message_of([&] { run_study(options()); });
  expect_holds(message, "the data of set 'second' have changed");
  EXPECT_EQ(results(), before);
  StudyOptions update = options();
  update.update = true;
  const StudyStatus status = run_study(update);
  EXPECT_EQ(status.units_done, status.units);
  EXPECT_EQ(status.other_units, kUnitsOfASet);
  EXPECT_NE(results(), before);
}

TEST_F(StudyTest, AStoreWithoutResultsIsBoundToNothing) {
  EXPECT_THROW(run_study(options(), [](const StudyProgress&) { return false; }), Error);
  {
    const Database database(path("results.db"), Database::Mode::write);
    database.run(
        "DELETE FROM results; DELETE FROM selections; DELETE FROM merits; DELETE FROM models; DELETE FROM units");
  }
  write("plan.toml", changed_plan("trees = 5", "trees = 6"));
  write("second.csv", small_csv(80, 4));
  const StudyStatus status = run_study(options());
  EXPECT_EQ(status.units_done, status.units);
}

TEST_F(StudyTest, ResultsOfAnotherVersionAreNotTakenOver) {
  run_study(options());
  {
    const Database database(path("results.db"), Database::Mode::write);
    database.run("UPDATE study SET version = '0.0.1'");
  }
  expect_holds(message_of([&] { run_study(options()); }), "made by obverse 0.0.1");
}

TEST_F(StudyTest, ASetThatComesLaterIsRunThen) {
  run_study(options());
  write("absent.csv", small_csv(60, 5));
  const StudyStatus status = run_study(options());
  EXPECT_EQ(status.units, 3 * kUnitsOfASet);
  EXPECT_EQ(status.units_done, status.units);
  EXPECT_EQ(status.sets[2].missing, "");
}

TEST_F(StudyTest, ASetOfAnotherSizeIsLeftOut) {
  write("second.csv", small_csv(90, 3));
  const StudyStatus status = run_study(options());
  EXPECT_EQ(status.units_done, kUnitsOfASet);
  expect_holds(status.sets[1].missing, "the plan expects 64 training rows, found 72");
}

TEST_F(StudyTest, WithoutASetThatCanBeRunThereIsAnErrorAndNoStore) {
  write("first.csv", "good,class\n1,a\nb\n");
  write("second.csv", small_csv(90, 3));
  expect_holds(message_of([&] { run_study(options()); }), "expected 2 values, found 1");
  EXPECT_FALSE(fs::exists(path("results.db")));
}

TEST_F(StudyTest, TheFirstFormOfASetThatIsThereIsTaken) {
  std::string more =
      changed_plan("name = \"absent\"\ndata = \"absent.csv\"", "name = \"first\"\ndata = \"first-form.csv\"");
  write("plan.toml", more);
  EXPECT_EQ(run_study(options()).units, 2 * kUnitsOfASet);
  // Without the first form the second one stands in for it.
  fs::rename(path("first.csv"), path("first-form.csv"));
  EXPECT_EQ(run_study(options("other.db")).units, 2 * kUnitsOfASet);
  EXPECT_EQ(results("other.db"), results());
}

TEST_F(StudyTest, RowsOfTwoFilesAreOneSet) {
  // The rows of first.csv in two files, without and with labels of their own.
  const std::string all = small_csv();
  std::string head = "good,fair,noise,other\n";
  std::string rest = head;
  std::string head_labels;
  std::string rest_labels;
  std::size_t line_number = 0;
  for (std::size_t at = all.find('\n') + 1; at < all.size(); ++line_number) {
    const std::size_t end = all.find('\n', at);
    const std::string line = all.substr(at, end - at);
    const std::size_t comma = line.rfind(',');
    (line_number < 50 ? head : rest) += line.substr(0, comma) + "\n";
    (line_number < 50 ? head_labels : rest_labels) += line.substr(comma + 1) + "\n";
    at = end + 1;
  }
  write("head.csv", head);
  write("rest.csv", rest);
  write("head.labels", head_labels);
  write("rest.labels", rest_labels);
  run_study(options("one.db"));
  write("plan.toml", changed_plan("data = \"first.csv\"\ntarget = \"class\"",
                                  "data = \"head.csv\"\nlabels = \"head.labels\"\nmore = \"rest.csv\"\nmore_labels = "
                                  "\"rest.labels\""));
  run_study(options("two.db"));
  EXPECT_EQ(results("one.db"), results("two.db"));
}

TEST_F(StudyTest, AFaultInAUnitEndsItWithTheReason) {
  write("plan.toml", changed_plan("k = [1, 2]", "k = [1, 9]"));
  // k is cut to the features there are.
  EXPECT_EQ(run_study(options()).units, 2 * kUnitsOfASet);
  write("plan.toml", changed_plan("classifiers = [\"ert\", \"knn\"]", "classifiers = [\"knn\"]\nneighbours = 1000"));
  expect_holds(message_of([&] { run_study(options("b.db")); }), "1000");
}

// The first unit fails: nothing is found, and nothing is left behind.
TEST_F(StudyTest, ThatFailsLeavesNoEmptyStore) {
  write("plan.toml",
        changed_plan("gamma = [0.1, 1]\nepochs = 3", "gamma = [0.1, 1]\nepochs = 3\nlearning_rate = 1e30"));
  StudyOptions failing = options();
  failing.threads = 1;
  expect_holds(message_of([&] { run_study(failing); }), "diverged");
  EXPECT_FALSE(fs::exists(path("results.db")));
  EXPECT_FALSE(fs::exists(path("results.db-journal")));
  // Nor what was left behind before.
  write("results.db", "");
  EXPECT_THROW(run_study(failing), Error);
  EXPECT_FALSE(fs::exists(path("results.db")));
}

TEST_F(StudyTest, TooManyUnitsAreRefusedBeforeTheStoreIsTouched) {
  run_study(options());
  const std::string before = results();
  std::string sizes = "runs = 1000\nrho = [";
  for (int i = 1; i <= 1000; ++i) sizes += cat(0.001 * i, ",");
  std::string header;
  std::string row;
  for (int i = 0; i < 1000; ++i) {
    header += cat("f", i, ",");
    row += cat(i % 7, ",");
  }
  std::string wide = header + "class\n";
  for (int i = 0; i < 20; ++i) wide += cat(i, row.substr(1), i % 2 == 0 ? "a\n" : "b\n");
  write("first.csv", wide);
  write("plan.toml", changed_plan("runs = 2\nk = [1, 2]", sizes + "]"));
  for (const char* store : {"results.db", "new.db"}) {
    StudyOptions update = options(store);
    update.update = true;
    expect_holds(message_of([&] { run_study(update); }), "units of work (sets x methods x runs x sizes)");
  }
  EXPECT_EQ(results(), before);
  EXPECT_FALSE(fs::exists(path("new.db")));
}

}  // namespace
}  // namespace obverse
