// Stores of shards put together. Everything is compared before anything is written, and units go in one by one, so that
// a merge that was killed is finished by the same command.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

#include <obverse/error.h>
#include <obverse/study.h>
#include <obverse/version.h>

#include "study/registration.h"
#include "study/state.h"
#include "study/store.h"
#include "support/json.h"
#include "support/text.h"

namespace obverse {
namespace {

/// Of results that come from files: undefined ones are equal.
bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool same(const Model& a, const Model& b) {
  return a.recipe == b.recipe && a.seed == b.seed && a.gamma == b.gamma && a.epochs == b.epochs &&
         same(a.loss, b.loss) && same(a.complement_loss, b.complement_loss) &&
         same(a.network_accuracy, b.network_accuracy) && a.scores == b.scores && a.initial_scores == b.initial_scores;
}

bool same(const ModelMerit& a, const ModelMerit& b) {
  return a.model == b.model && a.k == b.k && same(a.accuracy, b.accuracy) && same(a.merit, b.merit) &&
         a.chosen == b.chosen;
}

bool same(const Result& a, const Result& b) {
  return a.classifier == b.classifier && a.metric == b.metric && same(a.value, b.value);  // times differ
}

template <class T>
bool all_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const T& x, const T& y) { return same(x, y); });
}

bool same_results(const Store& a, const UnitRecord& of_a, const Store& b, const UnitRecord& of_b) {
  if (of_a.form.kind == Unit::Kind::training) {
    const TrainingResult one = a.training(of_a);
    const TrainingResult other = b.training(of_b);
    return all_same(one.models, other.models) && all_same(one.merits, other.merits);
  }
  const EvaluationResult one = a.evaluation(of_a);
  const EvaluationResult other = b.evaluation(of_b);
  return one.features == other.features && all_same(one.rows, other.rows);
}

/// A store and its units by key.
struct Part {
  explicit Part(const std::string& path) : store(std::make_unique<Store>(path, Store::Access::read)) {
    for (UnitRecord& unit : store->units()) units.emplace(unit.key, std::move(unit));
  }

  std::unique_ptr<Store> store;
  std::map<std::string, UnitRecord> units;
};

StoredPlan plan_of(const Store& store) {
  const std::optional<StoredPlan> plan = store.plan();
  if (!plan) throw Error(Fault::input, cat(store.path(), ": the store holds no plan yet; was the study ever begun?"));
  if (plan->version != kVersion) {
    throw Error(Fault::input, cat(store.path(), ": made by obverse ", plan->version, ", and this is ", kVersion,
                                  "; merge stores with the version that made them"));
  }
  return *plan;
}

/// The plan of all parts.
StoredPlan shared_plan(const std::vector<Part>& parts) {
  const Store& first = *parts.front().store;
  StoredPlan plan = plan_of(first);
  for (const Part& part : parts) {
    const std::string difference = first_difference(plan_json(plan.plan()), plan_json(plan_of(*part.store).plan()));
    if (difference.empty()) continue;
    throw Error(Fault::input, cat(part.store->path(), ": holds another plan than ", first.path(), " (",
                                  printable(difference), "); merge the shards of one study"));
  }
  return plan;
}

/// The sets of all parts in the order of the plan; one that a part misses is that of another.
std::vector<SetRecord> sets_of(const std::vector<Part>& parts, const Plan& plan) {
  struct Found {
    SetRecord record;
    const Store* store = nullptr;
  };
  std::map<std::string, Found> found;
  for (const Part& part : parts) {
    for (SetRecord& set : part.store->sets()) {
      Found& known = found[set.set.name];
      if (known.store != nullptr && !known.record.fingerprint.empty() && !set.fingerprint.empty() &&
          known.record.fingerprint != set.fingerprint) {
        throw Error(Fault::input, cat(part.store->path(), ": the data of set '", printable(set.set.name),
                                      "' (fingerprint ", set.fingerprint, ") are not those of ", known.store->path(),
                                      " (", known.record.fingerprint, "); run the shards on the same data"));
      }
      if (known.store == nullptr || known.record.fingerprint.empty()) known = {std::move(set), part.store.get()};
    }
  }
  std::vector<SetRecord> sets;
  for (const PlanSet& set : plan.sets) {
    const auto known = found.find(set.name);
    if (known == found.end()) continue;  // another form of a set that has been taken
    sets.push_back(std::move(known->second.record));
    found.erase(known);
  }
  return sets;
}

class Merge {
 public:
  Merge(const std::string& out, std::vector<Part> parts)
      : out_(out),
        parts_(std::move(parts)),
        asked_(shared_plan(parts_)),
        plan_(asked_.plan()),
        sets_(sets_of(parts_, plan_)),
        units_(units_of(plan_, sets_)) {
    for (const Unit& unit : units_) require_same_results(unit);
  }

  MergedStudy run() {
    Store store(out_, Store::Access::write);
    register_plan(store, asked_, false);
    for (const SetRecord& set : sets_) store.set_set(set);
    MergedStudy merged;
    for (const Unit& unit : units_) {
      const Part* part = holder_of(unit);
      if (part == nullptr || store.is_done(unit.key)) continue;
      copy(unit, *part, store);
      ++merged.added;
    }
    merged.units = units_.size();
    for (const Unit& unit : units_) merged.units_done += store.is_done(unit.key) ? 1 : 0;
    return merged;
  }

 private:
  const Part* holder_of(const Unit& unit) const {
    for (const Part& part : parts_) {
      if (part.units.contains(unit.key)) return &part;
    }
    return nullptr;
  }

  void require_same_results(const Unit& unit) const {
    const Part* first = holder_of(unit);
    for (const Part& part : parts_) {
      const auto found = part.units.find(unit.key);
      if (found == part.units.end() || &part == first) continue;
      if (same_results(*first->store, first->units.at(unit.key), *part.store, found->second)) continue;
      throw Error(Fault::input,
                  cat(part.store->path(), " and ", first->store->path(), ": different results of ",
                      unit.kind == Unit::Kind::training ? "training " : "evaluating ", plan_.methods[unit.method].name,
                      " on set '", printable(sets_[unit.set].set.name), "', run ", unit.run + 1,
                      unit.k > 0 ? cat(", k ", unit.k) : std::string(),
                      "; processors of different kinds round differently: leave one of the two stores out"));
    }
  }

  void copy(const Unit& unit, const Part& part, Store& store) const {
    const UnitRecord& record = part.units.at(unit.key);
    const UnitCost cost{record.seconds, record.threads, record.memory_bytes};
    const std::string& set = sets_[unit.set].set.name;
    const std::string& method = plan_.methods[unit.method].name;
    if (unit.kind == Unit::Kind::training) {
      store.finish(unit, set, method, part.store->training(record), cost);
    } else {
      store.finish(unit, set, method, part.store->evaluation(record), cost);
    }
  }

  std::string out_;
  std::vector<Part> parts_;
  StoredPlan asked_;
  Plan plan_;
  std::vector<SetRecord> sets_;
  std::vector<Unit> units_;
};

}  // namespace

MergedStudy merge_studies(const std::string& out, const std::vector<std::string>& stores) {
  if (stores.empty()) throw Error(Fault::usage, "expected stores to merge, found none");
  std::vector<Part> parts;
  parts.reserve(stores.size() + 1);
  for (const std::string& path : stores) parts.emplace_back(path);
  if (std::filesystem::exists(out)) parts.emplace_back(out);  // what it holds must agree as well
  return Merge(out, std::move(parts)).run();
}

}  // namespace obverse
