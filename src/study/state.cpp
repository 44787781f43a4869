#include "study/state.h"

#include <algorithm>
#include <map>
#include <set>

#include <obverse/error.h>
#include <obverse/study.h>

#include "downstream/classifiers.h"

namespace obverse {

StudyState read_state(const Store& store) {
  const std::optional<StoredPlan> stored = store.plan();
  if (!stored) throw Error(Fault::input, cat(store.path(), ": the store holds no plan yet; was the study ever begun?"));
  StudyState state;
  state.plan = stored->plan();
  std::vector<SetRecord> known = store.sets();
  for (const PlanSet& form : state.plan.sets) {
    const auto has_name = [&](const SetRecord& set) { return set.set.name == form.name; };
    if (std::any_of(state.sets.begin(), state.sets.end(), has_name)) continue;
    if (const auto found = std::find_if(known.begin(), known.end(), has_name); found != known.end()) {
      state.sets.push_back(std::move(*found));
    }
  }
  state.units = units_of(state.plan, state.sets);
  return state;
}

StudyStatus study_status(const std::string& path) {
  const Store store(path, Store::Access::read);
  const StudyState state = read_state(store);
  StudyStatus status;
  status.plan = state.plan.name;
  status.title = state.plan.title;
  status.version = store.plan()->version;
  for (const SetRecord& set : state.sets) status.sets.push_back({.name = set.set.name, .missing = set.set.missing});
  std::map<std::string, UnitRecord> held;
  for (UnitRecord& record : store.units()) held.emplace(record.key, std::move(record));
  std::set<std::string> counted;
  for (const Unit& unit : state.units) {
    StudyStatus::Set& set = status.sets[unit.set];
    ++set.units;
    ++status.units;
    const auto found = held.find(unit.key);
    if (found == held.end()) continue;
    ++set.done;
    ++status.units_done;
    if (!counted.insert(unit.key).second) continue;  // methods with the same options share it
    status.thread_seconds += found->second.seconds * static_cast<double>(found->second.threads);
  }
  status.other_units = held.size() - counted.size();
  status.workers = store.workers();
  return status;
}

void add_cells(const StudyState& state, const Unit& unit, const std::vector<Result>& rows, ResultCells& cells) {
  const SetFinding& set = state.sets[unit.set].set;
  const std::string_view metric = metric_of(state.plan, set.task).name;
  for (const StudySize& size : study_sizes(state.plan, set.features)) {
    if (size.k != unit.k) continue;
    for (const Result& row : rows) {
      if (row.metric != metric) continue;
      cells.add({.set = unit.set,
                 .method = unit.method,
                 .size = size.index,
                 .rho = size.rho,
                 .k = size.k,
                 .classifier = row.classifier},
                unit.run, row.value);
    }
  }
}

std::vector<ComparisonFinding> compare_methods(const StudyState& state, const std::vector<CellFinding>& cells) {
  const auto& methods = state.plan.methods;
  const auto method = [&](const std::string& name) {
    const auto has_name = [&](const PlanMethod& one) { return one.name == name; };
    return static_cast<std::size_t>(std::find_if(methods.begin(), methods.end(), has_name) - methods.begin());
  };
  std::vector<MethodPair> pairs;
  for (const PlanComparison& one : state.plan.comparisons) {
    pairs.push_back({one.title, method(one.first), method(one.second)});
  }
  std::vector<ComparedSet> sets;
  for (const SetRecord& stored : state.sets) {
    const SetFinding& set = stored.set;
    const auto training_rows = static_cast<double>(set.training_rows);
    const bool shares_rows = !set.same_test_rows && training_rows > 0;
    const bool counts_answers = metric_of(state.plan, set.task).name == "accuracy";
    sets.push_back({.answers = counts_answers ? set.test_rows * set.outputs : 0,
                    .overlap = shares_rows ? static_cast<double>(set.test_rows) / training_rows : 0});
  }
  return compare_methods(pairs, sets, cells);
}

std::size_t planned_cells(const StudyState& state, const PlanMethod& first, const PlanMethod& second) {
  const std::size_t sizes = state.plan.evaluate.k.size() + state.plan.evaluate.rho.size();
  std::size_t cells = 0;
  for (const SetRecord& set : state.sets) {
    if (!ranks(state.plan, first, set) || !ranks(state.plan, second, set)) continue;
    cells += sizes * classifiers_for(set.set.task, state.plan.evaluate.classifiers).size();
  }
  return cells;
}

const Metric& metric_of(const Plan& plan, Task task) {
  const std::span<const Metric> known = metrics_of(task);
  if (plan.evaluate.metric == "auto") return known.front();
  const auto found = std::find_if(known.begin(), known.end(), [&](const Metric& metric) {
    return typed_name(metric.name) == plan.evaluate.metric;
  });
  if (found == known.end()) {
    throw Error(Fault::usage, cat("metric ", plan.evaluate.metric, " does not measure task ",
                                  names(task)[static_cast<std::size_t>(task)], "; leave it to auto"));
  }
  return *found;
}

}  // namespace obverse
