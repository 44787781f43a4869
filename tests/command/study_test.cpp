// obverse study, status, export and the report of a store, as a user meets them; and what survives being killed.
#include <array>
#include <random>

#include <obverse/error.h>

#include "command/command.h"
#include "study/sample.h"
#include "support/sqlite.h"

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
  expect_holds(run_once.out, "left out: no absent.csv");
  EXPECT_EQ(run_once.err, "");
  const Outcome status = run({"study", "status", "results.db"});
  EXPECT_EQ(status.code, 0) << status.err;
  expect_holds(status.out, "36 of 36 units done, 0 left");

  const Outcome exported = run({"study", "export", "results.db", "-o", "out", "--markdown", "out/page.md"});
  EXPECT_EQ(exported.code, 0) << exported.err;
  expect_holds(content(path("out/cells.csv")), "second,anova");
  expect_holds(content(path("out/results.csv")), "second,anova,2,1,selected,");
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
  expect_holds(list.out, "arena");
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
    plan.replace(at, 10, "epochs = 200");
  }
  write("plan.toml", plan);
  const Outcome whole = run(study("whole.db"));
  ASSERT_EQ(whole.code, 0) << whole.err;
  std::mt19937 random(7);
  int killed = 0;
  // A fast machine finishes the study between two kills: it then begins anew.
  for (int tries = 0; killed < 30 && tries < 300; ++tries) {
    const Outcome outcome =
        run(study("killed.db"), {.signal = SIGKILL, .signal_after = std::chrono::milliseconds(10 + random() % 120)});
    if (outcome.code == -1) {
      ++killed;
      continue;
    }
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    ASSERT_EQ(results("killed.db"), results("whole.db"));
    fs::remove(path("killed.db"));
  }
  EXPECT_EQ(killed, 30);
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

// The other damages are those of tests/study/damage_test.cpp.
TEST_F(StudyCommand, ADamagedStoreIsOneMessageForEveryCommand) {
  ASSERT_EQ(run(study("whole.db")).code, 0);
  const std::array<std::array<std::string, 2>, 5> damages{
      {{"UPDATE sets SET constant = x'ffffff7f' WHERE name = 'first'", "table sets, row name 'first': constant"},
       {"UPDATE sets SET summary = '{}' WHERE name = 'second'", "table sets, row name 'second': summary: title"},
       {"UPDATE models SET unit = 9999 WHERE unit = 1", "table models, row unit 1: expected 2 models, found 0"},
       {"UPDATE selections SET features = x'ffffff7f' WHERE length(features) = 4", "table selections, row unit"},
       {"UPDATE sets SET summary = replace(hex(zeroblob(25000)), '0', '[')", "nested more than 64 deep"}}};
  for (const auto& [sql, message] : damages) {
    fs::copy_file(path("whole.db"), path("results.db"), fs::copy_options::overwrite_existing);
    {
      const Database database(path("results.db").string(), Database::Mode::write);
      database.run("PRAGMA foreign_keys = OFF");
      database.run(sql);
    }
    expect_refused({"study", "status", "results.db"}, message);
    expect_refused({"study", "export", "results.db", "-o", "out"}, message);
    expect_refused({"report", "results.db", "-o", "out.html"}, message);
    expect_refused(study("results.db"), message);
    EXPECT_FALSE(fs::exists(path("out")));
    EXPECT_FALSE(fs::exists(path("out.html")));
  }
}

TEST_F(StudyCommand, DepthIsBounded) {
  write("deep.json", std::string(50000, '['));
  expect_refused({"report", "deep.json"}, "nested more than 64 deep");
  std::string key;
  for (int i = 0; i < 30000; ++i) key += "a.";
  write("deep.toml", key + "b = 1\n");
  expect_refused({"study", "deep.toml", "--store", "s.db"}, "deep.toml:1: expected at most 32 parts in a key");
  expect_refused({"select", "first.csv", "--target", "class", "--config", "deep.toml"}, "at most 32 parts in a key");
  expect_refused({"study", "plan.toml", "--store", "s.db", "--set", "k=" + std::string(50000, '[')}, "k");
  EXPECT_FALSE(fs::exists(path("s.db")));
}

TEST_F(StudyCommand, AFailedStudyLeavesNoEmptyStore) {
  std::string plan(study_test::kPlan);
  plan.replace(plan.find("epochs = 3"), 10, "epochs = 3\nlearning_rate = 1e30");
  write("plan.toml", plan);
  expect_refused({"study", "plan.toml", "--store", "s.db", "--threads", "1"}, "diverged");
  EXPECT_FALSE(fs::exists(path("s.db")));
}

}  // namespace
}  // namespace obverse
