// From the rows of a store to what they say.
#include "study/findings.h"

#include <algorithm>
#include <map>
#include <set>

#include "mask/families.h"
#include "options/value.h"
#include "study/answer.h"
#include "study/state.h"
#include "study/store.h"
#include "support/text.h"

namespace obverse {
namespace {

/// The options that differ from those of a plain recipe, as they would be typed.
std::string changes(const Recipe& recipe) {
  std::map<std::string, std::string> plain;
  TrainOptions start;
  describe_train(start, [&](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
    plain[std::string(name)] = written(value, bounds);
  });
  std::string out;
  describe_train(recipe.train, [&](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
    const std::string text = written(value, bounds);
    if (plain[std::string(name)] != text) out += cat(", ", name, " ", text);
  });
  return out;
}

std::string details_of(const PlanMethod& method) {
  const SelectOptions& select = method.select;
  std::string out = cat("method ", select.method);
  if (!trains_networks(select.method)) return out;
  for (const Recipe& recipe : select.recipes) out += cat("; recipe ", recipe.name, changes(recipe));
  if (has_complement(select)) {
    out += cat(select.complement == Complement::remainder ? "; complement (1-m)/D" : "", "; gamma ",
               written(select.gamma, {}));
  }
  if (select.seeds > 1) out += cat("; ", select.seeds, " seeds in each run");
  const Choice judge = select.choice == Choice::validation ? Choice::knn : select.choice;
  const std::string_view choice = names(judge)[static_cast<std::size_t>(judge)];
  out += method.pick == Pick::gamma ? cat("; each run picks a gamma for each k by ", choice, " on its validation rows")
                                    : cat("; each run picks its model by ", choice,
                                          select.choice == Choice::validation ? " on the validation rows" : "");
  return out;
}

bool is_built_in(const std::string& name) {
  const auto plans = built_in_plans();
  return std::any_of(plans.begin(), plans.end(), [&](const BuiltInPlan& plan) { return plan.name == name; });
}

/// What a store holds of one set and method.
struct MethodUnits {
  std::vector<const UnitRecord*> trainings;                                 ///< in the order of their runs
  std::map<std::size_t, std::vector<std::vector<std::size_t>>> selections;  ///< of each k, in the order of their runs
  std::size_t planned_trainings = 0;
};

class FindingsReader {
 public:
  explicit FindingsReader(const Store& store)
      : store_(store), state_(read_state(store)), cells_(state_.plan.evaluate.classifiers) {
    for (UnitRecord& record : store.units()) records_.emplace(record.key, std::move(record));
  }

  Findings read() {
    describe();
    read_units();
    for (const auto& [place, units] : units_) {
      add_choices(place.first, place.second, units);
      add_stability(place.first, place.second, units);
    }
    for (auto& [place, cost] : costs_) out_.costs.push_back(cost);
    out_.cells = cells_.cells();
    out_.comparisons = compare_methods(state_, out_.cells);
    for (ComparisonFinding& one : out_.comparisons) {
      one.planned = planned_cells(state_, state_.plan.methods[one.first], state_.plan.methods[one.second]);
    }
    return std::move(out_);
  }

 private:
  using Place = std::pair<std::size_t, std::size_t>;  // set, method

  void describe() {
    const Plan& plan = state_.plan;
    const StoredPlan stored = *store_.plan();
    out_.plan = plan.name;
    out_.title = plan.title;
    out_.version = stored.version;
    out_.command = cat("obverse study ", stored.text.name, is_built_in(stored.text.name) ? "" : ".toml",
                       stored.smoke ? " --smoke" : "", " --data DIR --store FILE.db");
    for (const std::string& setting : settings_of(stored.text)) out_.command += " --set " + in_shell(setting);
    out_.by_count = plan.evaluate.rho.empty();
    out_.sizes = plan.evaluate.rho;
    if (out_.by_count) out_.sizes.assign(plan.evaluate.k.begin(), plan.evaluate.k.end());
    out_.classifiers = plan.evaluate.classifiers;
    out_.metric = plan.evaluate.metric;
    out_.seeds = plan.runs;
    for (const SetRecord& set : state_.sets) out_.sets.push_back(set.set);
    for (const PlanMethod& method : plan.methods) {
      out_.methods.push_back({method.name, method.title, details_of(method)});
      for (const SetRecord& set : state_.sets) {
        if (set.fingerprint.empty() || !runs_on(method, set.set.name)) continue;
        const std::string why = refusal(method, set_named(plan, set.set.name), set.set.task);
        if (!why.empty()) out_.notes.push_back(cat(method.title, " cannot rank ", set.set.title, ": ", why));
      }
    }
  }

  void read_units() {
    out_.units_planned = state_.units.size();
    std::set<std::string> counted;
    for (const Unit& unit : state_.units) {  // in the order of their runs
      MethodUnits& units = units_[{unit.set, unit.method}];
      units.planned_trainings += unit.kind == Unit::Kind::training ? 1 : 0;
      const auto held = records_.find(unit.key);
      if (held == records_.end()) continue;
      const UnitRecord& record = held->second;
      ++out_.units_done;
      const double seconds = record.seconds * static_cast<double>(record.threads);
      if (counted.insert(unit.key).second) out_.thread_seconds += seconds;  // methods with the same options share it
      CostFinding& cost = costs_[{unit.set, unit.method}];
      cost.set = unit.set;
      cost.method = unit.method;
      cost.memory_bytes = std::max(cost.memory_bytes, record.memory_bytes);
      if (unit.kind == Unit::Kind::training) {
        units.trainings.push_back(&record);
        cost.training_seconds += seconds;
      } else {
        const EvaluationResult found = store_.evaluation(record);
        add_cells(state_, unit, found.rows, cells_);
        add_results(unit, found);
        units.selections[unit.k].emplace_back(found.features.begin(), found.features.end());
        cost.evaluation_seconds += seconds;
      }
    }
  }

  void add_results(const Unit& unit, const EvaluationResult& found) {
    const std::string& set = state_.sets[unit.set].set.name;
    const std::string& method = state_.plan.methods[unit.method].name;
    for (const Result& row : found.rows) {
      Result& added = out_.results.rows.emplace_back(row);
      added.set = set;
      added.method = method;
    }
    out_.results.selected.push_back({set, method, unit.run, 0, unit.k, {found.features.begin(), found.features.end()}});
  }

  std::vector<StudySize> sizes(std::size_t set) const {
    return study_sizes(state_.plan, state_.sets[set].set.features);
  }

  /// The choice of gamma, and the mask of the first run that answers for the middle k.
  void add_choices(std::size_t set, std::size_t m, const MethodUnits& units) {
    const PlanMethod& method = state_.plan.methods[m];
    if (units.trainings.empty() || units.trainings.size() < units.planned_trainings) return;
    std::vector<std::vector<ModelMerit>> merits;  // by run
    for (const UnitRecord* unit : units.trainings) merits.push_back(store_.merits(*unit));
    const UnitRecord& first = *units.trainings.front();
    costs_[{set, m}].models = first.form.models * units.trainings.size();
    const std::vector<StudySize> all = sizes(set);
    if (method.pick == Pick::gamma && first.form.models > 1) add_gammas(set, m, merits);
    const std::size_t middle = all[all.size() / 2].k;
    add_mask(set, m, store_.model(first, answering_model(method.pick, merits.front(), middle)));
  }

  void add_gammas(std::size_t set, std::size_t m, const std::vector<std::vector<ModelMerit>>& merits) {
    GammaFinding gamma{
        .set = set, .method = m, .gammas = state_.plan.methods[m].select.gamma, .ks = {}, .merit = {}, .chosen = {}};
    const std::vector<StudySize> all = sizes(set);
    gamma.merit.assign(gamma.gammas.size(), std::vector<double>(all.size()));
    gamma.chosen.assign(gamma.gammas.size(), std::vector<std::size_t>(all.size()));
    for (std::size_t s = 0; s < all.size(); ++s) {
      gamma.ks.push_back(all[s].k);
      for (const std::vector<ModelMerit>& run : merits) {
        const std::vector<double> of_run = validation_merits(run, all[s].k);
        for (std::size_t g = 0; g < of_run.size(); ++g) {
          gamma.merit[g][s] += of_run[g] / static_cast<double>(merits.size());
        }
        ++gamma.chosen[answering_model(Pick::gamma, run, all[s].k)][s];
      }
    }
    out_.gammas.push_back(std::move(gamma));
  }

  void add_mask(std::size_t set, std::size_t m, const Model& model) {
    const SelectOptions& select = state_.plan.methods[m].select;
    const auto& constant = state_.sets[set].constant;
    MaskFinding mask{.set = set,
                     .method = m,
                     .seed = model.seed,
                     .gamma = model.gamma,
                     .scores = model.scores,
                     .initial_scores = model.initial_scores,
                     .order = descending_order(std::vector<double>(model.scores.begin(), model.scores.end()),
                                               std::vector<std::size_t>(constant.begin(), constant.end())),
                     .mask = trains_networks(select.method) && family_of(select.method).by_softmax,
                     .complement = {}};
    if (mask.mask && model.gamma > 0) {
      mask.complement = select.complement == Complement::remainder ? "remainder" : "opposite";
    }
    out_.masks.push_back(std::move(mask));
  }

  void add_stability(std::size_t set, std::size_t method, const MethodUnits& units) {
    for (const auto& [k, selections] : units.selections) {
      const Agreement found = agreement(selections, state_.sets[set].set.features);
      out_.stability.push_back({set, method, k, found.jaccard, found.stability, found.frequency});
    }
  }

  const Store& store_;
  StudyState state_;
  std::map<std::string, UnitRecord> records_;
  std::map<Place, MethodUnits> units_;
  std::map<Place, CostFinding> costs_;
  ResultCells cells_;
  Findings out_;
};

}  // namespace

Findings findings_of(const Store& store) { return FindingsReader(store).read(); }

}  // namespace obverse
