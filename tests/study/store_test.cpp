#include "study/store.h"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "study/sample.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using study_test::expect_holds;

class StoreTest : public study_test::Study {
 protected:
  static Unit unit(const std::string& key, Unit::Kind kind = Unit::Kind::training) {
    Unit made;
    made.kind = kind;
    made.key = key;
    made.k = kind == Unit::Kind::evaluation ? 2 : 0;
    return made;
  }
};

TEST_F(StoreTest, GivesBackWhatItTook) {
  const std::string file = path("s.db");
  TrainingResult training;
  training.models.push_back({.recipe = "paper",
                             .seed = 7,
                             .gamma = 0.1,
                             .epochs = 3,
                             .loss = 0.25,
                             .complement_loss = 0.5,
                             .scores = {1.5F, -2},
                             .initial_scores = {0, 1},
                             .network_accuracy = 0.75});
  training.merits.push_back({.model = 0, .k = 2, .accuracy = 0.5, .merit = 0.625, .chosen = true});
  EvaluationResult evaluation{.features = {1, 0}, .classifiers = {}};
  evaluation.classifiers.push_back({.classifier = Classifier::knn, .values = {0.9, 0.8, 0.7, 0.6, 0.5}, .seconds = 2});
  evaluation.classifiers.back().values[4] = std::numeric_limits<double>::quiet_NaN();
  {
    Store store(file, Store::Access::write);
    EXPECT_FALSE(store.plan());
    store.set_plan({{"small", "", "runs = 1"}, true, "9.9"});
    ASSERT_TRUE(store.claim("a"));
    store.finish(unit("a"), "first", "cfm", training, {.seconds = 1.5, .threads = 2, .memory_bytes = 77});
    store.finish(unit("b", Unit::Kind::evaluation), "first", "cfm", evaluation, {});
  }
  const Store store(file, Store::Access::read);
  EXPECT_EQ(store.plan()->text.text, "runs = 1");
  EXPECT_TRUE(store.plan()->smoke);
  EXPECT_EQ(store.plan()->version, "9.9");
  const std::vector<UnitRecord> units = store.units();
  ASSERT_EQ(units.size(), 2U);
  EXPECT_EQ(units[0].key, "a");
  EXPECT_EQ(units[0].seconds, 1.5);
  EXPECT_EQ(units[0].threads, 2U);
  EXPECT_EQ(units[0].memory_bytes, 77U);
  const std::vector<ModelResult> models = store.models(units[0].id);
  ASSERT_EQ(models.size(), 1U);
  EXPECT_EQ(models[0].recipe, "paper");
  EXPECT_EQ(models[0].seed, 7U);
  EXPECT_EQ(models[0].scores, training.models[0].scores);
  EXPECT_EQ(models[0].initial_scores, training.models[0].initial_scores);
  const std::vector<ModelMerit> merits = store.merits(units[0].id);
  ASSERT_EQ(merits.size(), 1U);
  EXPECT_EQ(merits[0].merit, 0.625);
  EXPECT_TRUE(merits[0].chosen);
  const EvaluationResult back = store.results(units[1].id);
  EXPECT_EQ(back.features, evaluation.features);
  ASSERT_EQ(back.classifiers.size(), 1U);
  EXPECT_EQ(back.classifiers[0].classifier, Classifier::knn);
  EXPECT_EQ(back.classifiers[0].values[0], 0.9);
  EXPECT_TRUE(std::isnan(back.classifiers[0].values[4]));
}

TEST_F(StoreTest, SetsAreKnownByTheirFingerprint) {
  Store store(path("s.db"), Store::Access::write);
  Store::StoredSet set;
  set.set.name = "pictures";
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
  EXPECT_EQ(one.workers(), 2U);
  one.finish(unit("a"), "first", "cfm", TrainingResult{}, {});
  EXPECT_FALSE(other.claim("a"));
  EXPECT_TRUE(other.is_done("a"));
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
  TrainingResult result;
  result.models.resize(1);
  store.finish(unit("a"), "first", "cfm", result, {.seconds = 1});
  store.finish(unit("a"), "first", "cfm", result, {.seconds = 2});
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

TEST_F(StoreTest, OfAnotherFormIsRefused) {
  { const Store store(path("s.db"), Store::Access::write); }
  {
    const Database database(path("s.db"), Database::Mode::write);
    database.run("PRAGMA user_version = 9");
  }
  expect_holds(message_of([&] { const Store store(path("s.db"), Store::Access::write); }), "a store of form 9");
}

TEST_F(StoreTest, ThatIsDamagedIsRefused) {
  {
    Store store(path("s.db"), Store::Access::write);
    TrainingResult result;
    result.models.resize(1);
    result.models[0].scores.resize(20000, 1.0F);
    store.finish(unit("a"), "first", "cfm", result, {});
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
  store.finish(unit("a"), "first", "cfm", TrainingResult{}, {});
  TrainingResult large;
  large.models.resize(1);
  large.models[0].scores.resize(1 << 20, 1.0F);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{.rlim_cur = 200000, .rlim_max = before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const std::string message = message_of([&] { store.finish(unit("b"), "first", "cfm", large, {}); });
  setrlimit(RLIMIT_FSIZE, &before);
  expect_holds(message, "could not be written");
  EXPECT_TRUE(store.is_done("a"));
  EXPECT_FALSE(store.is_done("b"));
  store.finish(unit("b"), "first", "cfm", large, {});
  EXPECT_TRUE(store.is_done("b"));
}

}  // namespace
}  // namespace obverse
