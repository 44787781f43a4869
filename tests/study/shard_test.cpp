// Studies in shards, and their stores put together.
#include "study/shard.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "report/study.h"
#include "study/findings.h"
#include "study/sample.h"
#include "study/store.h"
#include "support/sqlite.h"
#include "support/text.h"
#include "writers/writers.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

using study_test::expect_holds;
using study_test::kPlan;
using study_test::small_csv;

constexpr std::array<const char*, 10> kVariables{"OMPI_COMM_WORLD_RANK",
                                                 "OMPI_COMM_WORLD_SIZE",
                                                 "PMI_RANK",
                                                 "PMI_SIZE",
                                                 "SLURM_PROCID",
                                                 "SLURM_STEP_NUM_TASKS",
                                                 "SLURM_ARRAY_TASK_ID",
                                                 "SLURM_ARRAY_TASK_COUNT",
                                                 "SLURM_ARRAY_TASK_MIN",
                                                 "SLURM_ARRAY_TASK_STEP"};

/// An environment that no launcher has been at.
class ShardNames : public testing::Test {
 protected:
  ShardNames() { clear(); }
  ~ShardNames() override { clear(); }

  static void clear() {
    for (const char* name : kVariables) unsetenv(name);
  }
  static std::string automatic(const std::map<std::string, std::string>& variables) {
    clear();
    for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
    try {
      const Shard shard = shard_named("auto");
      return cat(shard.number, "/", shard.count);
    } catch (const Error& error) {
      return error.what();
    }
  }
};

TEST_F(ShardNames, AreANumberAndACount) {
  EXPECT_EQ(shard_named("3/16").number, 3U);
  EXPECT_EQ(shard_named("3/16").count, 16U);
  EXPECT_EQ(shard_named("").count, 1U);
  for (const char* wrong : {"3", "0/4", "5/4", "1/0", "a/b", "1/2/3", "-1/4", "1/9999999999", "/", "3/"}) {
    try {
      shard_named(wrong);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.fault(), Fault::usage);
      expect_holds(error.what(), cat("such as 3/16, or auto; found '", wrong, "'"));
    }
  }
}

TEST_F(ShardNames, AreTheRankThatALauncherGives) {
  EXPECT_EQ(automatic({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}), "1/2");
  EXPECT_EQ(automatic({{"PMI_RANK", "3"}, {"PMI_SIZE", "4"}}), "4/4");
  EXPECT_EQ(automatic({{"SLURM_PROCID", "2"}, {"SLURM_STEP_NUM_TASKS", "8"}}), "3/8");
  EXPECT_EQ(automatic({{"SLURM_ARRAY_TASK_ID", "14"},
                       {"SLURM_ARRAY_TASK_COUNT", "5"},
                       {"SLURM_ARRAY_TASK_MIN", "10"},
                       {"SLURM_ARRAY_TASK_STEP", "2"}}),
            "3/5");
  // Tasks of srun within the tasks of an array.
  EXPECT_EQ(automatic({{"SLURM_ARRAY_TASK_ID", "1"},
                       {"SLURM_ARRAY_TASK_COUNT", "3"},
                       {"SLURM_ARRAY_TASK_MIN", "0"},
                       {"SLURM_PROCID", "1"},
                       {"SLURM_STEP_NUM_TASKS", "2"}}),
            "4/6");
}

TEST_F(ShardNames, NeedALauncherWhoseTasksAreEvenlySpaced) {
  expect_holds(automatic({}), "give --shard NUMBER/COUNT");
  // A batch script that nobody started with srun has rank 0 of many, and would run one shard alone.
  expect_holds(automatic({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), "found none of");
  expect_holds(
      automatic({{"SLURM_ARRAY_TASK_ID", "9"}, {"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_MIN", "1"}}),
      "evenly spaced");
}

TEST_F(ShardNames, GiveStoresTheirNames) {
  EXPECT_EQ(store_of_shard("some/results.db", {3, 16}), "some/results.3-of-16.db");
  EXPECT_EQ(store_of_shard("results", {1, 2}), "results.1-of-2");
  EXPECT_EQ(store_of_shard("results.db", {1, 1}), "results.db");
}

TEST(ShardUnits, AreEachInOneShardBesideTheirTraining) {
  const Plan plan = parse_plan({"plan", "plan.toml", std::string(kPlan)});
  const std::vector<Unit> units =
      units_of(plan, {{.set = {.name = "first", .training_rows = 64, .features = 4}, .fingerprint = "0"},
                      {.set = {.name = "second", .training_rows = 64, .features = 4}, .fingerprint = "1"}});
  for (const std::size_t count : {1U, 2U, 5U, 40U}) {
    std::vector<std::size_t> owners(units.size());
    std::size_t most = 0;
    for (std::size_t number = 1; number <= count; ++number) {
      const std::vector<char> is_in = units_of_shard(units, {number, count});
      std::size_t trainings = 0;
      for (std::size_t u = 0; u < units.size(); ++u) {
        owners[u] += is_in[u];
        if (units[u].training) {
          EXPECT_EQ(is_in[u], is_in[*units[u].training]);
        }
        trainings += is_in[u] != 0 && !units[u].training ? 1 : 0;
      }
      most = std::max(most, trainings);
    }
    for (const std::size_t one : owners) EXPECT_EQ(one, 1U);
    EXPECT_LE(most, (12 + count - 1) / count);  // of 2 sets x 3 methods x 2 runs
  }
}

class MergeTest : public study_test::Study {
 protected:
  std::string shard(std::size_t number, std::size_t count) const {
    StudyOptions some = options();
    some.shard = cat(number, "/", count);
    run_study(some);
    return study_store(some);
  }
  std::string exported(const std::string& store) const {
    const Findings found = findings_of(Store(path(store), Store::Access::read));
    return results_csv(found.results) + cells_csv(found) + comparisons_csv(found);
  }
  void change(const std::string& store, const std::string& statement) const {
    Database(store, Database::Mode::create).run(statement);
  }
  std::string refusal(const std::vector<std::string>& stores) const {
    std::string message = message_of([&] { merge_studies(path("out.db"), stores); });
    EXPECT_FALSE(fs::exists(path("out.db")));
    return message;
  }
};

TEST_F(MergeTest, OfAllShardsIsTheStudyInAnyOrder) {
  run_study(options("whole.db"));
  const std::vector<std::string> stores{shard(1, 3), shard(2, 3), shard(3, 3)};
  EXPECT_FALSE(fs::exists(path("results.db")));
  const MergedStudy merged = merge_studies(path("out.db"), stores);
  EXPECT_EQ(merged.added, merged.units);
  EXPECT_EQ(merged.units_done, merged.units);
  merge_studies(path("other.db"), {stores[2], stores[0], stores[1]});
  EXPECT_EQ(exported("out.db"), exported("whole.db"));
  EXPECT_EQ(exported("other.db"), exported("whole.db"));
}

TEST_F(MergeTest, CanBeRepeatedAndGoneOnWith) {
  const std::string first = shard(1, 2);
  const MergedStudy half = merge_studies(path("out.db"), {first});
  EXPECT_GT(half.added, 0U);
  EXPECT_LT(half.units_done, half.units);
  EXPECT_EQ(merge_studies(path("out.db"), {first, first}).added, 0U);
  const StudyStatus rest = run_study(options("out.db"));  // makes the other half here
  EXPECT_EQ(rest.units_done, rest.units);
  EXPECT_EQ(merge_studies(path("out.db"), {shard(2, 2)}).added, 0U);
  run_study(options("whole.db"));
  EXPECT_EQ(exported("out.db"), exported("whole.db"));
}

TEST_F(MergeTest, RefusesStoresOfAnotherPlanDataOrVersion) {
  const std::string first = shard(1, 2);
  const std::string second = shard(2, 2);
  EXPECT_EQ(first, path("results.1-of-2.db"));
  fs::copy_file(second, path("old.db"));
  change(path("old.db"), "UPDATE study SET version = '0.0.1'");
  expect_holds(refusal({first, path("old.db")}), "old.db: made by obverse 0.0.1, and this is");
  write("first.csv", small_csv(80, 1));
  StudyOptions changed = options("changed.db");
  changed.shard = "2/2";
  run_study(changed);
  expect_holds(refusal({first, study_store(changed)}), "are not those of " + first);
  changed = options("longer.db");
  changed.settings = {"runs=3"};
  run_study(changed);
  expect_holds(refusal({first, path("longer.db")}), "longer.db: holds another plan than " + first);
  EXPECT_NE(refusal({first, path("absent.db")}).find("no such store"), std::string::npos);
  EXPECT_NE(refusal({}).find("found none"), std::string::npos);
}

TEST_F(MergeTest, RefusesDifferentResultsOfOneUnitAndNamesIt) {
  const std::string first = shard(1, 2);
  fs::copy_file(first, path("copy.db"));
  EXPECT_EQ(merge_studies(path("same.db"), {first, path("copy.db")}).units_done,
            merge_studies(path("alone.db"), {first}).units_done);
  change(path("copy.db"), "UPDATE results SET value = 0.125 WHERE unit = (SELECT max(unit) FROM results)");
  const std::string message = refusal({first, path("copy.db")});
  expect_holds(message, "copy.db and " + first + ": different results of evaluating ");
  expect_holds(message, ", run ");
  // The store that is merged into counts as well.
  merge_studies(path("held.db"), {first});
  const std::string before = exported("held.db");
  expect_holds(message_of([&] { merge_studies(path("held.db"), {path("copy.db")}); }), "different results");
  EXPECT_EQ(exported("held.db"), before);
}

}  // namespace
}  // namespace obverse
