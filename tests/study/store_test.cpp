#include "study/store.h"

#include <sys/resource.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <csignal>
#include <iostream>
#include <limits>

#include "metrics/metrics.h"
#include "study/sample.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using study_test::expect_holds;

class StoreTest : public study_test::Study {
 protected:
  /// The units of the plan for one set of four features: per method two trainings, then evaluations of each for k of 1
  /// and 2.
  static std::vector<Unit> units() {
    return units_of(parse_plan({"plan", "", std::string(study_test::kPlan)}),
                    {{.set = {.name = "first", .training_rows = 64, .features = 4}, .fingerprint = "abc"}});
  }
  /// A training of ANOVA in one of two runs.
  static Unit training(std::size_t run) { return units()[4 + run]; }
  /// An evaluation of ANOVA in the first run, with two features.
  static Unit evaluation() { return units()[15]; }

  static TrainingResult ranked(std::vector<float> scores = {1.5F, -2, 0, 1}) {
    TrainingResult result;
    result.models.push_back({.recipe = "paper",
                             .seed = 7,
                             .gamma = 0.1,
                             .epochs = 3,
                             .loss = 0.25,
                             .complement_loss = 0.5,
                             .scores = scores,
                             .initial_scores = std::move(scores),
                             .network_accuracy = 0.75});
    for (const std::size_t k : {1, 2}) {
      result.merits.push_back({.model = 0, .k = k, .accuracy = 0.5, .merit = 0.625, .chosen = true});
    }
    return result;
  }

  static EvaluationResult evaluated() {
    EvaluationResult result{.features = {1, 0}, .rows = {}};
    for (const std::string classifier : {"ert", "knn"}) {
      double value = 0.9;
      for (const Metric& metric : metrics_of(Task::classification).first(5)) {
        result.rows.push_back(
            {.classifier = classifier, .metric = std::string(metric.name), .value = value, .seconds = 2});
        value -= 0.1;
      }
      result.rows.back().value = std::numeric_limits<double>::quiet_NaN();
    }
    return result;
  }

  static void set_plan(Store& store) { store.set_plan({{"small", "", std::string(study_test::kPlan)}, true, "9.9"}); }
};

TEST_F(StoreTest, GivesBackWhatItTook) {
  const std::string file = path("s.db");
  {
    Store store(file, Store::Access::write);
    EXPECT_FALSE(store.plan());
    EXPECT_FALSE(store.has_units());
    set_plan(store);
    ASSERT_TRUE(store.claim(training(0).key));
    store.finish(training(0), "first", "anova", ranked(), {.seconds = 1.5, .threads = 2, .memory_bytes = 77});
    store.finish(evaluation(), "first", "anova", evaluated(), {});
  }
  const Store store(file, Store::Access::read);
  EXPECT_EQ(store.plan()->text.text, study_test::kPlan);
  EXPECT_TRUE(store.plan()->smoke);
  EXPECT_EQ(store.plan()->version, "9.9");
  EXPECT_TRUE(store.has_units());
  const std::vector<UnitRecord> units = store.units();
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].key, training(0).key);
  EXPECT_EQ(units[0].seconds, 1.5);
  EXPECT_EQ(units[0].threads, 2U);
  EXPECT_EQ(units[0].memory_bytes, 77U);
  EXPECT_EQ(store.units(units[0].id).size(), 1U);
  const TrainingResult trained = store.training(units[0]);
  ASSERT_EQ(trained.models.size(), 1U);
  EXPECT_EQ(trained.models[0].recipe, "paper");
  EXPECT_EQ(trained.models[0].seed, 7U);
  EXPECT_EQ(trained.models[0].scores, ranked().models[0].scores);
  EXPECT_EQ(trained.models[0].initial_scores, ranked().models[0].initial_scores);
  ASSERT_EQ(trained.merits.size(), 2U);
  EXPECT_EQ(trained.merits[1].merit, 0.625);
  EXPECT_TRUE(trained.merits[1].chosen);
  const EvaluationResult back = store.evaluation(units[1]);
  EXPECT_EQ(back.features, evaluated().features);
  const std::size_t metrics = metrics_of(Task::classification).size();
  ASSERT_EQ(back.rows.size(), 2 * metrics);
  const Result& knn = back.rows[metrics];
  EXPECT_EQ(knn.classifier, "knn");
  EXPECT_EQ(knn.metric, "accuracy");
  EXPECT_EQ(knn.value, 0.9);
  EXPECT_EQ(knn.seconds, 2);
  EXPECT_EQ(knn.k, 2U);
  EXPECT_TRUE(std::isnan(back.rows[metrics + 4].value));
}

TEST_F(StoreTest, KeysSayWhatResultsLookLike) {
  const UnitForm cfm = form_of(units()[1].key);
  EXPECT_EQ(cfm.kind, Unit::Kind::training);
  EXPECT_EQ(cfm.run, 1);
  EXPECT_EQ(cfm.k, 0U);
  EXPECT_EQ(cfm.fingerprint, "abc");
  EXPECT_EQ(cfm.ks, (std::vector<std::size_t>{1, 2}));
  EXPECT_EQ(cfm.models, 2U);  // gammas
  EXPECT_TRUE(cfm.trains);
  EXPECT_TRUE(cfm.all_answer);
  const UnitForm anova = form_of(evaluation().key);
  EXPECT_EQ(anova.kind, Unit::Kind::evaluation);
  EXPECT_EQ(anova.k, 2U);
  EXPECT_EQ(anova.models, 1U);
  EXPECT_FALSE(anova.trains);
  EXPECT_FALSE(anova.all_answer);
  EXPECT_EQ(anova.classifiers, (std::vector<std::string>{"ert", "knn"}));
}

TEST_F(StoreTest, SetsAreKnownByTheirFingerprint) {
  Store store(path("s.db"), Store::Access::write);
  SetRecord set;
  set.set.name = "pictures";
  set.set.training_rows = 8;
  set.set.test_rows = 2;
  set.set.features = 4;
  set.set.image_shape = ImageShape{2, 2};
  set.set.class_names = {"a", "b"};
  set.set.feature_names = {"1", "2", "3", "4"};
  set.set.examples = {{1, 2, 3, 4}, {5, 6, 7, 8}};
  set.fingerprint = "abc";
  set.constant = {3};
  store.set_set(set);
  set.fingerprint = "def";
  store.set_set(set);
  const auto sets = store.sets();
  ASSERT_EQ(sets.size(), 1U);
  EXPECT_EQ(sets[0].fingerprint, "def");
  EXPECT_EQ(sets[0].constant, std::vector<std::uint32_t>{3});
  EXPECT_EQ(sets[0].set.examples, set.set.examples);
  EXPECT_EQ(sets[0].set.image_shape->width, 2U);
}

// The lock of the second store is that of another worker; both are this process, and it lives.
TEST_F(StoreTest, AUnitIsInOneHandAtATime) {
  Store one(path("s.db"), Store::Access::write);
  Store other(path("s.db"), Store::Access::write);
  {
    Store gone(path("s.db"), Store::Access::write);
    EXPECT_TRUE(gone.claim("a"));
    EXPECT_FALSE(other.claim("a"));
  }
  EXPECT_TRUE(one.claim("a"));
  EXPECT_FALSE(other.claim("a"));
  EXPECT_TRUE(other.claim("b"));
  EXPECT_EQ(one.workers(), 2U);  // each from when it was opened
  one.finish(training(0), "first", "anova", ranked(), {});
  EXPECT_FALSE(other.claim(training(0).key));
  EXPECT_TRUE(other.is_done(training(0).key));
}

// Processes that open a store in the same moment, before it is there.
TEST_F(StoreTest, IsMadeByManyProcessesAtOnce) {
  constexpr int kRounds = 25;
  constexpr int kProcesses = 8;
  for (int round = 0; round < kRounds; ++round) {
    const std::string file = path(cat(round, ".db"));
    std::array<int, 2> gate{};
    ASSERT_EQ(pipe(gate.data()), 0);
    std::vector<pid_t> children;
    for (int i = 0; i < kProcesses; ++i) {
      const pid_t child = fork();
      if (child == 0) {
        char open = 0;
        close(gate[1]);
        // All of them wait for the end of the pipe.
        const bool waited = ::read(gate[0], &open, 1) == 0;
        int code = waited ? 0 : 3;
        try {
          Store store(file, Store::Access::write);
          set_plan(store);
          store.claim(training(0).key);
        } catch (const std::exception& error) {
          std::cerr << error.what() << '\n';
          code = 2;
        }
        _exit(code);
      }
      children.push_back(child);
    }
    close(gate[0]);
    close(gate[1]);
    for (const pid_t child : children) {
      int status = 0;
      waitpid(child, &status, 0);
      EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "round " << round;
    }
    const Store store(file, Store::Access::read);
    EXPECT_EQ(store.workers(), 0U);
    EXPECT_TRUE(store.plan());
  }
}

TEST_F(StoreTest, NoQueryIsLeftOpenWhereATransactionBegins) {
  const Database database(path("s.db"), Database::Mode::create);
  database.run("CREATE TABLE t(a); INSERT INTO t VALUES(1), (2)");
  Statement query(database, "SELECT a FROM t");
  ASSERT_TRUE(query.next());
  expect_holds(message_of([&] { database.transaction([] {}); }), "a query is open where a transaction begins");
  query.run();
  database.transaction([] {});
  EXPECT_EQ(database.number("SELECT max(a) FROM t"), 2);
}

TEST_F(StoreTest, WithoutResultsIsRemoved) {
  const std::string file = path("s.db");
  {
    Store store(file, Store::Access::write);
    set_plan(store);
    store.remove_if_empty();
    EXPECT_FALSE(fs::exists(file));
  }
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(file + "-journal"));
}

TEST_F(StoreTest, WithResultsOrOthersAtWorkIsKept) {
  const std::string file = path("s.db");
  {
    Store store(file, Store::Access::write);
    {
      Store other(file, Store::Access::write);
      store.remove_if_empty();
      EXPECT_TRUE(fs::exists(file));
      // The other goes on with it.
      set_plan(other);
    }
    EXPECT_TRUE(store.plan());
    store.finish(training(0), "first", "anova", ranked(), {});
    store.remove_if_empty();
  }
  EXPECT_EQ(Store(file, Store::Access::read).units().size(), 1U);
}

// What a killed process leaves behind: a file of no bytes, and a store with nothing in it but a process that is gone.
TEST_F(StoreTest, OfAProcessThatWasKilledIsTakenOver) {
  for (const bool has_tables : {false, true}) {
    const std::string file = path(has_tables ? "tables.db" : "nothing.db");
    if (has_tables) {
      const pid_t child = fork();
      if (child == 0) {
        Store store(file, Store::Access::write);
        set_plan(store);
        raise(SIGKILL);
      }
      waitpid(child, nullptr, 0);
    } else {
      write("nothing.db", "");
    }
    ASSERT_TRUE(fs::exists(file));
    {
      Store next(file, Store::Access::write);
      EXPECT_EQ(next.workers(), 1U);
      next.remove_if_empty();
    }
    EXPECT_FALSE(fs::exists(file));
  }
}

// The file that one process has open is removed by another: the next one to open it begins with a new file.
TEST_F(StoreTest, ThatIsGoneIsMadeAgain) {
  const std::string file = path("s.db");
  Database database(file, Database::Mode::create);
  EXPECT_FALSE(database.has_moved());
  EXPECT_FALSE(database.remove_if([] { return false; }));
  EXPECT_TRUE(fs::exists(file));
  EXPECT_TRUE(database.remove_if([] { return true; }));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_TRUE(database.has_moved());
  EXPECT_FALSE(database.remove_if([] { return true; }));
  database.reopen();
  EXPECT_FALSE(database.has_moved());
  EXPECT_TRUE(fs::exists(file));
}

// Four processes fail again and again, and each removes what it made; the results of the fifth are kept.
TEST_F(StoreTest, IsNotLostWhileOthersFail) {
  constexpr int kStores = 10;
  const auto file = [&](int store) { return path(cat(store, ".db")); };
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      int code = 0;
      for (int round = 0; round < 5 * kStores && code == 0; ++round) {
        try {
          Store(file(round / 5), Store::Access::write).remove_if_empty();
        } catch (const std::exception& error) {
          std::cerr << error.what() << '\n';
          code = 2;
        }
      }
      _exit(code);
    }
    children.push_back(child);
  }
  for (int i = 0; i < kStores; ++i) {
    Store store(file(i), Store::Access::write);
    set_plan(store);
    store.finish(training(0), "first", "anova", ranked(), {});
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  for (int i = 0; i < kStores; ++i) EXPECT_EQ(Store(file(i), Store::Access::read).units().size(), 1U);
}

TEST_F(StoreTest, WhatTheDeadHeldIsFree) {
  Store store(path("s.db"), Store::Access::write);
  ASSERT_TRUE(store.claim("mine"));
  {
    const Database database(path("s.db"), Database::Mode::write);
    // A process of this machine that is no more: no process has this number and began at tick 1.
    Statement machine(database, "SELECT machine FROM workers");
    ASSERT_TRUE(machine.next());
    const std::string here = machine.text(0);
    Statement(database, "INSERT INTO workers VALUES(99, ?, ?, '1', 0)").with(here, getpid()).run();
    // And one of another machine that has not been heard of for long.
    database.run("INSERT INTO workers VALUES(98, 'elsewhere', 1, '1', 0)");
    database.run("INSERT INTO claims VALUES('a', 99), ('b', 98)");
  }
  EXPECT_EQ(store.workers(), 1U);
  EXPECT_TRUE(store.claim("a"));
  EXPECT_TRUE(store.claim("b"));
}

TEST_F(StoreTest, AUnitFinishedTwiceIsKeptOnce) {
  Store store(path("s.db"), Store::Access::write);
  store.finish(training(0), "first", "anova", ranked(), {.seconds = 1});
  store.finish(training(0), "first", "anova", ranked(), {.seconds = 2});
  ASSERT_EQ(store.units().size(), 1U);
  EXPECT_EQ(store.units()[0].seconds, 1);
}

TEST_F(StoreTest, WhatIsNoStoreIsRefused) {
  const auto opened = [&](const std::string& name, Store::Access access) {
    return message_of([&] { const Store store(path(name), access); });
  };
  expect_holds(opened("none.db", Store::Access::read), "no such store");
  EXPECT_FALSE(fs::exists(path("none.db")));
  write("text.db", "this is a text and no database at all, however long one may look at it");
  expect_holds(opened("text.db", Store::Access::read), "no SQLite file");
  expect_holds(opened("text.db", Store::Access::write), "no SQLite file");
  {
    const Database database(path("other.db"), Database::Mode::create);
    database.run("CREATE TABLE t(a)");
  }
  expect_holds(opened("other.db", Store::Access::write), "not a store of a study");
  expect_holds(opened("no/folder.db", Store::Access::write), "cannot be opened");
}

TEST_F(StoreTest, OfAnOlderOrNewerFormIsRefusedWithWhatToDo) {
  { const Store store(path("s.db"), Store::Access::write); }
  for (const int form : {0, 9}) {
    {
      const Database database(path("s.db"), Database::Mode::write);
      database.run(cat("PRAGMA user_version = ", form));
    }
    for (const Store::Access access : {Store::Access::read, Store::Access::write}) {
      const std::string message = message_of([&] { const Store store(path("s.db"), access); });
      expect_holds(message, cat("a store of form ", form, ", and obverse"));
      expect_holds(message, "use the version of the program that made it, or begin anew under another name");
    }
  }
}

TEST_F(StoreTest, ThatIsDamagedIsRefused) {
  {
    Store store(path("s.db"), Store::Access::write);
    set_plan(store);
    store.finish(training(0), "first", "anova", ranked(std::vector<float>(20000, 1)), {});
  }
  // Zeros over the pages behind the first.
  const auto size = fs::file_size(path("s.db"));
  std::fstream file(path("s.db"), std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(4096);
  file << std::string(size - 4096, '\0');
  file.close();
  expect_holds(message_of([&] { const Store store(path("s.db"), Store::Access::read); }), "damaged");
}

TEST_F(StoreTest, AFullDiskLosesNothingThatWasThere) {
  Store store(path("s.db"), Store::Access::write);
  store.finish(training(0), "first", "anova", ranked(), {});
  const TrainingResult large = ranked(std::vector<float>(1 << 20, 1));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 200000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] { store.finish(training(1), "first", "anova", large, {}); });
  setrlimit(RLIMIT_FSIZE, &before);
  expect_holds(message, "could not be written");
  EXPECT_TRUE(store.is_done(training(0).key));
  EXPECT_FALSE(store.is_done(training(1).key));
  store.finish(training(1), "first", "anova", large, {});
  EXPECT_TRUE(store.is_done(training(1).key));
}

}  // namespace
}  // namespace obverse
