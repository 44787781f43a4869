// The data of a study: which sets are at hand, their rows, and the split of each run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/splits.h"
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

/// Reads a set and checks its size against the plan.
StudySet read_set(const PlanSet& set, const std::string& folder);

/// Every set that is at hand, by its name.
using StudyData = std::map<std::string, std::shared_ptr<const StudySet>>;
/// One whose files cannot be used, or whose rows cannot be split as the methods need it, loses its form and gets the
/// reason instead; where that leaves none, it is an Error.
StudyData read_sets(const Plan& plan, std::vector<SetAtHand>& sets, const std::string& folder);

/// The rows that a run learns from and is tested on: those of the files, or a stratified split by the run's number.
TrainTest rows_of_run(const StudySet& set, int run);

}  // namespace obverse
