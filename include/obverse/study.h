// Many data sets x methods x runs x k x classifiers, by a plan, into a store that outlives every interruption.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace obverse {

/// What to run, on what, and where the results go.
struct StudyOptions {
  std::string plan = "paper";  ///< of the program, or a TOML file
  std::string data = ".";      ///< the folder of the data
  std::string store;           ///< the SQLite file; made where there is none
  /// Keys of the whole plan with other values, each as KEY=VALUE: "runs=3", "precision=bf16".
  std::vector<std::string> settings = {};
  int threads = 0;             ///< 0: all processors
  std::string device = "cpu";  ///< for networks and neighbours, as in SelectOptions; no part of the plan
  /// Only one of several parts of the study, "3/16", or "auto" for the rank that srun, a Slurm array or mpirun gives.
  /// Each part writes a store of its own, named after `store`: results.3-of-16.db.
  std::string shard = {};
  bool smoke = false;  ///< the plan on few rows, with few runs and epochs
  /// Take a changed plan, changed data or another version over: results that still apply are kept, the others made
  /// anew.
  bool update = false;
};

/// A unit of work that is running.
struct RunningUnit {
  std::string what;  ///< "training cfm on mnist, run 2"
  double done = 0;   ///< share of it, 0 to 1
};

/// How a comparison of the plan stands.
struct RunningComparison {
  std::string title;
  std::string first;
  std::string second;
  double first_mean = 0;  ///< accuracy over the cells done by both
  double second_mean = 0;
  std::size_t won = 0;
  std::size_t cells = 0;
};

/// What a running study tells several times a second.
struct StudyProgress {
  std::size_t units_done = 0;
  std::size_t units = 0;
  std::size_t cells_done = 0;  ///< set, method, k and classifier, all runs
  std::size_t cells = 0;
  double done = 0;          ///< share of the work
  double seconds_left = 0;  ///< 0 while nobody can tell
  std::vector<RunningUnit> running;
  std::vector<RunningComparison> comparisons;
};

/// Returns false to stop: the study ends with Fault::stopped, and what is finished is kept.
using StudyCallback = std::function<bool(const StudyProgress&)>;

/// How far a study is.
struct StudyStatus {
  std::string plan;
  std::string title;
  std::string version;
  struct Set {
    std::string name;
    std::string missing;  ///< why it cannot be run; empty where it can
    std::size_t done = 0;
    std::size_t units = 0;
  };
  std::vector<Set> sets;
  std::size_t units_done = 0;
  std::size_t units = 0;        ///< of the sets at hand
  std::size_t other_units = 0;  ///< results in the store that the plan does not ask for
  std::size_t workers = 0;      ///< processes at work on it
  double thread_seconds = 0;    ///< of all units done
};

/// Runs whatever the plan asks for and the store does not hold. Other processes may run the same study at the same
/// time.
StudyStatus run_study(const StudyOptions& options, const StudyCallback& progress = {});

/// The store that a study with these options writes.
std::string study_store(const StudyOptions& options);

/// What the store holds of its plan.
StudyStatus study_status(const std::string& store);

/// What came of a merge.
struct MergedStudy {
  std::size_t added = 0;       ///< units that the store did not hold before
  std::size_t units_done = 0;  ///< of the units of the plan
  std::size_t units = 0;
};

/// Puts the results of stores, such as those of shards, into another, made where there is none. The order of the stores
/// does not matter, and merging again changes nothing. Throws Error for stores of different plans, data or versions,
/// and for different results of one unit; nothing is written then.
MergedStudy merge_studies(const std::string& out, const std::vector<std::string>& stores);

}  // namespace obverse
