#include "study/state.h"

#include <algorithm>
#include <map>

#include <obverse/error.h>
#include <obverse/study.h>

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
    const auto training_rows = static_cast<double>(stored.set.training_rows);
    const bool shares_rows = stored.test_fraction > 0 && training_rows > 0;
    sets.push_back({.answers = stored.set.test_rows,
                    .overlap = shares_rows ? static_cast<double>(stored.set.test_rows) / training_rows : 0});
  }
  return sets;
}

}  // namespace obverse
