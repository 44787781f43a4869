// obverse study, status, export and the report of a store, as a user meets them; and what survives being killed.
#include <random>

#include <obverse/error.h>

#include "command/command.h"
#include "study/sample.h"
#include "study/sqlite.h"

namespace obverse {
namespace {

using command_test::Command;
using command_test::content;
using command_test::Outcome;
using study_test::expect_holds;

namespace fs = std::filesystem;

class StudyCommand : public Command {
 protected:
  StudyCommand() {
    write("first.csv", study_test::small_csv());
    write("second.csv", study_test::small_csv(80, 3));
    write("plan.toml", std::string(study_test::kPlan));
  }

  static std::vector<std::string> study(const std::string& store) {
    return {"study", "plan.toml", "--store", store, "--threads", "2"};
  }

  /// Every result of a store, to the last bit and in one order; no times.
  std::string results(const std::string& store) const {
    const Database database(path(store).string(), Database::Mode::read);
    std::string out;
    for (const char* sql :
         {"SELECT u.key || m.number || hex(m.scores) || hex(m.initial_scores) || printf('%!.17g', m.loss) FROM units u "
          "JOIN models m ON m.unit = u.id ORDER BY u.key, m.number",
          "SELECT u.key || m.k || ' ' || m.model || printf('%!.17g %!.17g', m.accuracy, m.merit) || m.chosen FROM "
          "units "
          "u JOIN merits m ON m.unit = u.id ORDER BY u.key, m.k, m.model",
          "SELECT u.key || r.classifier || r.metric || printf('%!.17g', r.value) FROM units u JOIN results r ON r.unit "
          "= "
          "u.id ORDER BY u.key, r.classifier, r.metric",
          "SELECT u.key || hex(s.features) FROM units u JOIN selections s ON s.unit = u.id ORDER BY u.key"}) {
      Statement rows(database, sql);
      while (rows.next()) out += rows.text(0) + "\n";
    }
    return out;
  }
};

TEST_F(StudyCommand, RunsReportsAndExports) {
  const Outcome run_once = run(study("results.db"));
  EXPECT_EQ(run_once.code, 0) << run_once.err;
  expect_holds(run_once.out, "36 of 36 units done");
  expect_holds(run_once.out, "missing: no absent.csv");
  EXPECT_EQ(run_once.err, "");
  const Outcome status = run({"study", "status", "results.db"});
  EXPECT_EQ(status.code, 0) << status.err;
  expect_holds(status.out, "36 of 36 units done, 0 left");

  const Outcome exported = run({"study", "export", "results.db", "-o", "out", "--markdown", "out/page.md"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  expect_holds(content(path("out/cells.csv")), "second,anova");
  EXPECT_FALSE(content(path("out/comparisons.csv")).empty());
  EXPECT_FALSE(content(path("out/study.json")).empty());
  expect_holds(content(path("out/page.md")), "page/");
  EXPECT_TRUE(fs::exists(path("out/page")));

  const Outcome report = run({"report", "results.db"});
  EXPECT_EQ(report.code, 0) << report.err;
  expect_holds(content(path("report.html")), "A small study");
  expect_refused({"report", "results.db", "-o", "results.db"}, "an input");
}

TEST_F(StudyCommand, ListsAndShowsItsPlans) {
  const Outcome list = run({"study", "--list"});
  expect_holds(list.out, "paper");
  expect_holds(list.out, "methods");
  // What is shown can be run: a plan of one's own begins with it.
  write("mine.toml", run({"study", "--show", "paper"}).out);
  const Outcome own = run({"study", "mine.toml", "--store", "mine.db", "--data", "nowhere"});
  EXPECT_EQ(own.code, 0) << own.err;
  expect_holds(own.out, "0 of 0 units done");
}

// Killed thirty times at random moments, the study ends with what it would have found undisturbed, bit for bit.
TEST_F(StudyCommand, SurvivesThirtyKills) {
  std::string plan(study_test::kPlan);
  plan.replace(plan.find("runs = 2"), 8, "runs = 9");
  for (std::size_t at = plan.find("epochs = 3"); at != std::string::npos; at = plan.find("epochs = 3", at)) {
    plan.replace(at, 10, "epochs = 60");
  }
  write("plan.toml", plan);
  const Outcome whole = run(study("whole.db"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  std::mt19937 random(7);
  std::size_t killed = 0;
  for (int i = 0; i < 30; ++i) {
    const Outcome outcome =
        run(study("killed.db"), {.signal = SIGKILL, .signal_after = std::chrono::milliseconds(10 + random() % 120)});
    killed += outcome.code == -1 ? 1 : 0;
  }
  EXPECT_EQ(killed, 30U) << "the study was over before the last kill";
  const Outcome last = run(study("killed.db"));
  ASSERT_EQ(last.code, 0) << last.err;
  EXPECT_EQ(results("killed.db"), results("whole.db"));
  EXPECT_FALSE(results("whole.db").empty());
}

TEST_F(StudyCommand, CtrlCKeepsWhatIsFinished) {
  std::string plan(study_test::kPlan);
  plan.replace(plan.find("runs = 2"), 8, "runs = 300");
  write("plan.toml", plan);
  const Outcome stopped = run(study("results.db"), {.signal = SIGINT, .signal_after = std::chrono::milliseconds(1000)});
  EXPECT_EQ(stopped.code, 2);
  expect_holds(stopped.err, "the same command goes on from there");
  expect_holds(run({"study", "status", "results.db"}).out, "left");
}

TEST_F(StudyCommand, BadInputIsOneMessage) {
  expect_refused({"study"}, "expected a plan");
  expect_refused({"study", "plan.toml"}, "expected --store");
  expect_refused({"study", "papre", "--store", "s.db"}, "is it paper?");
  expect_refused({"study", "none.toml", "--store", "s.db"}, "none.toml");
  expect_refused({"study", "plan.toml", "--store", "s.db", "--threads", "0"}, "--threads");
  expect_refused({"study", "plan.toml", "--store", "no/such/folder.db"}, "cannot be opened");
  expect_refused({"study", "plan.toml", "--store", "first.csv"}, "an input");
  expect_refused({"study", "status", "none.db"}, "no such store");
  expect_refused({"study", "export", "first.csv", "-o", "out"}, "no SQLite file");
  write("bad.toml", "rums = 3\n");
  expect_refused({"study", "bad.toml", "--store", "s.db"}, "is it runs?");
}

TEST_F(StudyCommand, AStoreThatCannotBeUsedIsLeftAlone) {
  ASSERT_EQ(run(study("results.db")).code, 0);
  const std::string before = results("results.db");
  write("second.csv", study_test::small_csv(80, 4));
  expect_refused(study("results.db"), "have changed");
  write("second.csv", study_test::small_csv(80, 3));
  expect_refused({"study", "plan.toml", "--store", "results.db", "--smoke"}, "another plan");
  expect_refused({"study", "export", "results.db"}, "expected where to");
  EXPECT_EQ(results("results.db"), before);
  // A full disk while a unit is stored.
  write("plan.toml", std::string(study_test::kPlan) + "\n[[method]]\nname = \"random\"\nmethod = \"random\"\n");
  const auto size = static_cast<rlim_t>(fs::file_size(path("results.db")));
  const Outcome full = run({"study", "plan.toml", "--store", "results.db", "--update"}, {.file_bytes = size});
  EXPECT_EQ(full.code, 2) << full.err;
  expect_holds(full.err, "results.db");
  EXPECT_EQ(run({"study", "plan.toml", "--store", "results.db", "--update"}).code, 0);
}

}  // namespace
}  // namespace obverse
