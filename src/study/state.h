// What a store holds of its study, and what is left of it.
#pragma once

#include "study/answer.h"
#include "study/store.h"

namespace obverse {

/// The units of the plan that a store holds, for the sets that it knows.
struct StudyState {
  Plan plan;
  std::vector<Store::StoredSet> sets;  ///< of the plan, in its order, missing ones too
  std::vector<Unit> units;             ///< `set` is an index into `sets`
};

/// Reads the plan and the sets back from a store; an Error for a store without them.
StudyState read_state(const Store& store);

/// Which of the metrics of a task the plan compares by; an Error for one that does not measure it.
std::size_t metric_of(const Plan& plan, Task task);

/// The cells that both methods are going to have, those of missing sets among them.
std::size_t planned_cells(const StudyState& state, const PlanMethod& first, const PlanMethod& second);

/// The sets of a state as their cells are compared.
std::vector<ComparedSet> compared_sets(const StudyState& state);

}  // namespace obverse
