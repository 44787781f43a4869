// What a store holds of its study, and what is left of it.
#pragma once

#include "experiment/cells.h"
#include "metrics/metrics.h"
#include "study/store.h"

namespace obverse {

/// The units of the plan that a store holds, for the sets that it knows.
struct StudyState {
  Plan plan;
  std::vector<SetRecord> sets;  ///< of the plan, in its order, missing ones too
  std::vector<Unit> units;      ///< `set` is an index into `sets`
};

/// Reads the plan and the sets back from a store; an Error for a store without them.
StudyState read_state(const Store& store);

/// By which metric the plan compares results of a task; an Error for one that does not measure it.
const Metric& metric_of(const Plan& plan, Task task);

/// The cells that both methods are going to have, those of missing sets among them.
std::size_t planned_cells(const StudyState& state, const PlanMethod& first, const PlanMethod& second);

/// Adds the results of an evaluation to the cells that it is of: one for each size of its k and each classifier.
void add_cells(const StudyState& state, const Unit& unit, const std::vector<Result>& rows, ResultCells& cells);

/// The comparisons of the plan, over the cells that there are.
std::vector<ComparisonFinding> compare_methods(const StudyState& state, const std::vector<CellFinding>& cells);

}  // namespace obverse
