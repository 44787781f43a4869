#include "study/state.h"

#include <algorithm>
#include <map>

#include <obverse/error.h>
#include <obverse/study.h>

#include "downstream/classifiers.h"
#include "metrics/metrics.h"

namespace obverse {

StudyState read_state(const Store& store) {
  const std::optional<StoredPlan> stored = store.plan();
  if (!stored) throw Error(Fault::input, cat(store.path(), ": the store holds no plan yet; was the study ever begun?"));
  StudyState state;
  state.plan = stored->plan();
  std::vector<Store::StoredSet> known = store.sets();
  for (const PlanSet& form : state.plan.sets) {
    const auto has_name = [&](const Store::StoredSet& set) { return set.set.name == form.name; };
    if (std::any_of(state.sets.begin(), state.sets.end(), has_name)) continue;
    if (const auto found = std::find_if(known.begin(), known.end(), has_name); found != known.end()) {
      state.sets.push_back(std::move(*found));
    }
  }
  std::vector<SetSize> sizes;
  std::vector<std::size_t> at;  // of each size its place among the sets
  for (std::size_t s = 0; s < state.sets.size(); ++s) {
    if (state.sets[s].fingerprint.empty()) continue;
    sizes.push_back(state.sets[s].size());
    at.push_back(s);
  }
  state.units = units_of(state.plan, sizes);
  for (Unit& unit : state.units) unit.set = at[unit.set];
  return state;
}

StudyStatus study_status(const std::string& path) {
  const Store store(path, Store::Access::read);
  const StudyState state = read_state(store);
  StudyStatus status;
  status.plan = state.plan.name;
  status.title = state.plan.title;
  status.version = store.plan()->version;
  for (const Store::StoredSet& set : state.sets)
    status.sets.push_back({.name = set.set.name, .missing = set.set.missing});
  std::map<std::string, UnitRecord> held;
  for (UnitRecord& record : store.units()) held.emplace(record.key, std::move(record));
  for (const Unit& unit : state.units) {
    StudyStatus::Set& set = status.sets[unit.set];
    ++set.units;
    ++status.units;
    const auto found = held.find(unit.key);
    if (found == held.end()) continue;
    ++set.done;
    ++status.units_done;
    status.thread_seconds += found->second.seconds * static_cast<double>(found->second.threads);
  }
  status.other_units = held.size() - status.units_done;
  status.workers = store.workers();
  return status;
}

std::vector<ComparedSet> compared_sets(const StudyState& state) {
  std::vector<ComparedSet> sets;
  for (const Store::StoredSet& stored : state.sets) {
    const SetFinding& set = stored.set;
    const auto training_rows = static_cast<double>(set.training_rows);
    const bool shares_rows = !set.same_test_rows && training_rows > 0;
    const Metric& metric = metrics_of(set.task)[metric_of(state.plan, set.task)];
    sets.push_back({.answers = metric.name == "accuracy" ? set.test_rows * set.outputs : 0,
                    .overlap = shares_rows ? static_cast<double>(set.test_rows) / training_rows : 0});
  }
  return sets;
}

std::size_t planned_cells(const StudyState& state, const PlanMethod& first, const PlanMethod& second) {
  const std::size_t sizes = state.plan.evaluate.k.size() + state.plan.evaluate.rho.size();
  std::size_t cells = 0;
  for (const Store::StoredSet& set : state.sets) {
    if (!ranks(state.plan, first, set.size()) || !ranks(state.plan, second, set.size())) continue;
    cells += sizes * classifiers_for(set.set.task, state.plan.evaluate.classifiers).size();
  }
  return cells;
}

std::size_t metric_of(const Plan& plan, Task task) {
  if (plan.evaluate.metric == "auto") return 0;
  const std::span<const Metric> known = metrics_of(task);
  const auto found = std::find_if(known.begin(), known.end(),
                                  [&](const Metric& metric) { return typed_name(metric) == plan.evaluate.metric; });
  if (found == known.end()) {
    throw Error(Fault::usage, cat("metric ", plan.evaluate.metric, " does not measure task ",
                                  names(task)[static_cast<std::size_t>(task)], "; leave it to auto"));
  }
  return static_cast<std::size_t>(found - known.begin());
}

}  // namespace obverse
