// The data of a study: which sets are at hand, their rows, and the split of each run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "experiment/findings.h"
#include "experiment/trial.h"
#include "study/plan.h"

namespace obverse {

/// A set of a plan and where it is. Without a form there is nothing to run.
struct SetAtHand {
  std::string name;
  std::string title;
  std::optional<PlanSet> form;  ///< the first whose file is there
  std::string missing;          ///< otherwise which files were looked for
};

/// One for each name, in the order of the plan. `folder` is where the data are.
std::vector<SetAtHand> sets_at_hand(const Plan& plan, const std::string& folder);

/// The files that the sets of the plan which are at hand are read from.
std::vector<std::string> data_files(const Plan& plan, const std::string& folder);

/// The rows of a set.
struct StudySet {
  PlanSet plan;
  Dataset data;
  std::optional<Dataset> test;
  std::string fingerprint;  ///< of all rows
};

/// What is known of a set without its rows.
struct SetRecord {
  SetFinding set = {};
  std::string fingerprint = {};              ///< of its data; empty for a set that is missing
  std::vector<std::uint32_t> constant = {};  ///< features that hold one value in the training rows of the first run
  double test_fraction = 0;                  ///< 0 for test rows of their own
};

/// Reads a set and checks its size against the plan.
StudySet read_set(const PlanSet& set, const std::string& folder);

/// Every set that is at hand, by its name.
using StudyData = std::map<std::string, std::shared_ptr<const StudySet>>;
/// One whose files cannot be used, or whose rows cannot be split as the methods need it, loses its form and gets the
/// reason instead; where that leaves none, it is an Error.
StudyData read_sets(const Plan& plan, std::vector<SetAtHand>& sets, const std::string& folder);

/// The rows that a run learns from and is tested on: those of the files, or a stratified split by the run's number.
TrainTest rows_of_run(const StudySet& set, int run);

/// What all units of one run on one set share.
struct StudyRun {
  StudyRun(const StudySet& set, int number, Scaling neighbour_scaling);

  int number;
  Task selects_for;  ///< that of the set in the plan
  PreparedSplit split;
  std::vector<std::size_t> constant;  ///< features that hold one value in the training rows
};

/// Prepares runs and keeps those that were asked for last, since the units of a run follow each other.
class StudyRuns {
 public:
  StudyRuns(Scaling neighbour_scaling, std::size_t kept) : scaling_(neighbour_scaling), kept_(kept) {}
  /// From any thread.
  std::shared_ptr<const StudyRun> run(const StudySet& set, int number);

 private:
  struct Kept {
    std::string set;
    int number = 0;
    std::shared_ptr<const StudyRun> run;
  };
  std::shared_ptr<const StudyRun> find(const std::string& set, int number);

  Scaling scaling_;
  std::size_t kept_;
  std::mutex mutex_;
  std::list<Kept> runs_;  ///< the last one first
};

}  // namespace obverse
