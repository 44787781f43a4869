#include "study/plan.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <sstream>

#include <obverse/error.h>

#include "metrics/metrics.h"
#include "options/json.h"
#include "options/methods.h"
#include "options/settings.h"
#include "options/toml.h"
#include "selection/requirements.h"
#include "support/file.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kPlanBytes = 1 << 20;
constexpr std::array<std::string_view, 2> kPicks{"gamma", "model"};
/// What a method cannot set: the study does.
constexpr std::array<std::string_view, 8> kByStudy{"k",    "rho",     "metric", "keep",
                                                   "seed", "threads", "device", "max_memory"};

template <class Names>
bool holds(const Names& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// The options that a method may set.
std::vector<std::string> method_settings() {
  std::vector<std::string> names = setting_names();
  std::erase_if(names,
                [](const std::string& name) { return holds(kByStudy, name) || holds(answer_setting_names(), name); });
  return names;
}

const auto kDescribeSet = [](auto& options, auto&& field) { describe_set(options, field); };
const auto kDescribeMethod = [](auto& options, auto&& field) { describe_method(options, field); };
const auto kDescribeComparison = [](auto& options, auto&& field) { describe_comparison(options, field); };
const auto kDescribePlan = [](auto& options, auto&& field) { describe_plan(options, field); };
/// The options of an evaluation that a plan may set; the others are for a single data set.
const auto kDescribeTrials = [](auto& options, auto&& field) {
  describe_measurement(options, field);
  describe_trial_models(options, field);
};

/// A field for the describe functions that writes every value under its name.
auto into(nlohmann::ordered_json& out) {
  return [&out](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
    out[std::string(name)] = written(value, bounds);
  };
}

class PlanReader {
 public:
  PlanReader(std::string source, Plan& plan) : source_(std::move(source)), plan_(plan) {}

  void read(const toml::table& table) {
    std::vector<std::string> known = field_names(plan_, kDescribePlan);
    for (std::string& name : field_names(plan_.evaluate, kDescribeTrials)) known.push_back(std::move(name));
    for (const std::string_view name : {"set", "method", "comparison"}) known.emplace_back(name);
    // The plan's own keys come first: `k` is a size to evaluate, not an option of its methods.
    const std::vector<std::string> own = known;
    for (std::string& name : method_settings()) known.push_back(std::move(name));
    for (const auto& [key, node] : table) {
      const std::string name = known_name(key, known, "a plan");
      if (name == "set") {
        each(key, node, [&](const toml::table& one) { read_set(one); });
      } else if (name == "comparison") {
        each(key, node, [&](const toml::table& one) { read_comparison(one); });
      } else if (name != "method") {
        Setting setting = setting_of(name, node, place_of(source_, key) + name);
        if (!holds(own, name)) {
          shared_.push_back(std::move(setting));
        } else if (!assign_field(setting, plan_, kDescribePlan)) {
          assign_field(setting, plan_.evaluate, kDescribeTrials);
        }
      }
    }
    for (const auto& [key, node] : table) {
      if (key.str() == "method") each(key, node, [&](const toml::table& one) { read_method(one); });
    }
    check();
  }

 private:
  /// With underscores; a key that no one knows is an Error with the nearest one.
  std::string known_name(const toml::key& key, const std::vector<std::string>& known, std::string_view owner) const {
    std::string name(key.str());
    std::replace(name.begin(), name.end(), '-', '_');
    if (holds(known, name)) return name;
    const auto near = nearest_names(name, known, 1);
    throw Error(Fault::usage, cat(place_of(source_, key), owner, " has no key '", printable(key.str()), "'; ",
                                  near.empty() ? cat("it has ", join(known)) : cat("is it ", near[0], "?")));
  }

  template <class Read>
  void each(const toml::key& key, const toml::node& node, Read read) const {
    const toml::array* list = node.as_array();
    const bool tables = list != nullptr && list->is_homogeneous(toml::node_type::table);
    if (!tables) {
      throw Error(Fault::usage, cat(place_of(source_, key), "expected tables that begin with [[", key.str(), "]]"));
    }
    for (const toml::node& one : *list) read(*one.as_table());
  }

  std::string place(const toml::table& table) const { return cat(source_, ":", table.source().begin.line, ": "); }

  void require_name(const toml::table& table, std::string_view kind, std::string_view key,
                    const std::string& value) const {
    if (value.empty()) throw Error(Fault::usage, cat(place(table), kind, " needs a ", key, ", found none"));
  }

  void read_set(const toml::table& table) {
    PlanSet set;
    const std::vector<std::string> known = field_names(set, kDescribeSet);
    for (const auto& [key, node] : table) {
      const std::string name = known_name(key, known, "a set");
      assign_field(setting_of(name, node, place_of(source_, key) + name), set, kDescribeSet);
    }
    require_name(table, "a set", "name", set.name);
    require_name(table, "a set", "data, the path of its file", set.data);
    if (set.title.empty()) set.title = set.name;
    plan_.sets.push_back(std::move(set));
  }

  void read_method(const toml::table& table) {
    PlanMethod method;
    const std::vector<std::string> own = field_names(method, kDescribeMethod);
    std::vector<std::string> known = own;
    known.emplace_back("sets");
    for (std::string& name : method_settings()) known.push_back(std::move(name));
    std::vector<Setting> settings;
    for (const auto& [key, node] : table) {
      const std::string name = known_name(key, known, "a method");
      Setting setting = setting_of(name, node, place_of(source_, key) + name);
      if (name == "sets") {
        method.sets = split_text(setting.text, ',');
      } else if (!assign_field(setting, method, kDescribeMethod)) {
        settings.push_back(std::move(setting));
      }
    }
    require_name(table, "a method", "name", method.name);
    if (method.title.empty()) method.title = method.name;
    method.select = not_repeated(select_options(shared_for(settings), settings));
    if (!has_complement(method.select)) method.select.gamma = {0};
    const bool pool = method.select.method == kPool;
    if (pool && table.contains("pick") && method.pick == Pick::gamma) {
      throw Error(Fault::usage,
                  cat(place(table), "method '", printable(method.name), "' lets masks compete with rankers, ",
                      "which have no gamma to choose; give pick = \"model\", or a method such as cfm"));
    }
    if (pool) method.pick = Pick::model;
    const auto grid = pool ? pool_gammas() : gamma_grid();
    if (method.select.gamma.empty()) method.select.gamma.assign(grid.begin(), grid.end());
    const SelectOptions& select = method.select;
    if (method.pick == Pick::gamma && trains_networks(select.method) &&
        (select.seeds > 1 || select.recipes.size() > 1)) {
      throw Error(Fault::usage, cat(place(table), "method '", printable(method.name), "' trains ",
                                    select.seeds > 1 ? "several seeds" : "several recipes",
                                    " in a run, and pick = \"gamma\" chooses between gammas alone; give pick = "
                                    "\"model\""));
    }
    plan_.methods.push_back(std::move(method));
  }

  /// A baseline leaves aside what is for networks.
  std::vector<Setting> shared_for(const std::vector<Setting>& own) const {
    std::string method = SelectOptions{}.method;
    for (const Setting& setting : own) {
      if (setting.name == "method") method = setting.text;
    }
    std::vector<Setting> taken = shared_;
    std::erase_if(taken, [&](const Setting& setting) { return !takes(method, setting.name); });
    return taken;
  }

  void read_comparison(const toml::table& table) {
    PlanComparison comparison;
    const std::vector<std::string> known = field_names(comparison, kDescribeComparison);
    for (const auto& [key, node] : table) {
      const std::string name = known_name(key, known, "a comparison");
      assign_field(setting_of(name, node, place_of(source_, key) + name), comparison, kDescribeComparison);
    }
    require_name(table, "a comparison", "first", comparison.first);
    require_name(table, "a comparison", "second", comparison.second);
    plan_.comparisons.push_back(std::move(comparison));
  }

  void check() {
    if (plan_.sets.empty()) throw Error(Fault::usage, cat(source_, ": expected at least one [[set]], found none"));
    if (plan_.methods.empty()) {
      throw Error(Fault::usage, cat(source_, ": expected at least one [[method]], found none"));
    }
    if (!plan_.evaluate.k.empty() && !plan_.evaluate.rho.empty()) {
      throw Error(Fault::usage, cat(source_, ": k and rho both say how many features to select; give one of them"));
    }
    if (plan_.evaluate.k.empty() && plan_.evaluate.rho.empty()) plan_.evaluate.rho = {0.1};
    require_metric();
    require_at_most(kMostSizes, plan_.evaluate.k.size() + plan_.evaluate.rho.size(), "values of k or rho");
    require_at_most(kMostEntries, plan_.sets.size(), "sets");
    require_at_most(kMostEntries, plan_.methods.size(), "methods");
    require_at_most(kMostEntries, plan_.comparisons.size(), "comparisons");
    for (const PlanMethod& method : plan_.methods) {
      require_at_most(kMostModels, models_of(method),
                      cat("models (recipes x seeds x gammas) in a run of method '", excerpt(method.name), "'"));
    }
    std::set<std::string> methods;
    for (const PlanMethod& method : plan_.methods) {
      if (!methods.insert(method.name).second) {
        throw Error(Fault::usage, cat(source_, ": two methods are called '", printable(method.name), "'"));
      }
    }
    std::vector<std::string> sets;
    for (const PlanSet& set : plan_.sets) sets.push_back(set.name);
    for (PlanMethod& method : plan_.methods) {
      for (std::string& set : method.sets) {
        set = std::string(trimmed(set));
        require_known(set, sets, cat("the sets of method '", printable(method.name), "'"));
      }
      method.runs = method.runs == 0 ? plan_.runs : std::min(method.runs, plan_.runs);
    }
    const std::vector<std::string> names(methods.begin(), methods.end());
    for (PlanComparison& comparison : plan_.comparisons) {
      require_known(comparison.first, names, "a comparison");
      require_known(comparison.second, names, "a comparison");
      if (comparison.title.empty()) {
        comparison.title = cat(title_of(comparison.first), " against ", title_of(comparison.second));
      }
    }
  }

  /// Wins and losses are counted by what grows with the quality.
  void require_metric() const {
    std::vector<std::string> known{"auto"};
    for (const Metric& metric : metrics()) {
      if (metric.larger_is_better) known.push_back(typed_name(metric.name));
    }
    if (holds(known, plan_.evaluate.metric)) return;
    throw Error(Fault::usage, cat(source_, ": metric: a study compares by what grows with the quality: expected ",
                                  join(known, " or "), "; found ", plan_.evaluate.metric));
  }

  void require_at_most(std::size_t most, std::size_t found, std::string_view what) const {
    if (found <= most) return;
    throw Error(Fault::usage, cat(source_, ": expected at most ", most, " ", what, ", found ", found));
  }

  void require_known(const std::string& name, const std::vector<std::string>& known, const std::string& place) const {
    if (holds(known, name)) return;
    const auto near = nearest_names(name, known, 1);
    throw Error(Fault::usage, cat(source_, ": ", place, ": there is no '", printable(name), "'; ",
                                  near.empty() ? cat("there are ", join(known)) : cat("is it ", near[0], "?")));
  }

  const std::string& title_of(const std::string& method) const {
    return std::find_if(plan_.methods.begin(), plan_.methods.end(),
                        [&](const PlanMethod& m) { return m.name == method; })
        ->title;
  }

  std::string source_;
  Plan& plan_;
  std::vector<Setting> shared_;  // of every method that does not give its own
};

/// The first and the last of a list.
template <class T>
std::vector<T> ends(const std::vector<T>& list) {
  if (list.size() <= 2) return list;
  return {list.front(), list.back()};
}

/// The same plan with another value of a key; comments are lost.
PlanText with_setting(const PlanText& plan, const std::string& setting) {
  const std::size_t at = std::min(setting.find('='), setting.size());
  const std::string key(trimmed(std::string_view(setting).substr(0, at)));
  if (at == setting.size() || key.empty()) {
    throw Error(Fault::usage, cat("--set: expected KEY=VALUE, found '", printable(setting), "'"));
  }
  const std::string value(trimmed(std::string_view(setting).substr(at + 1)));
  toml::table table = parse_toml(plan.text, plan.source);
  // Numbers and lists are TOML, and so is a name in quotes; one without them is what is usually typed.
  toml::table one;
  try {
    one = parse_toml(cat("value = ", value), "--set");
  } catch (const Error&) {
    one.insert("value", value);
  }
  table.erase(key);  // and with it the line that messages would name
  one.at("value").visit([&](const auto& node) { table.insert(key, node); });
  Plan checked;
  PlanReader(cat("--set ", printable(setting)), checked).read(table);
  std::ostringstream out;
  out << table << '\n';
  return {plan.name, plan.source, out.str()};
}

/// As it is written.
PlanText plan_of(const std::string& name_or_path) {
  std::vector<std::string> known;
  for (const BuiltInPlan& plan : built_in_plans()) {
    if (plan.name == name_or_path) return {name_or_path, cat("plan ", plan.name), plan.text};
    known.emplace_back(plan.name);
  }
  const std::filesystem::path path(name_or_path);
  if (!std::filesystem::exists(path) && path.extension().empty()) {
    const auto near = nearest_names(name_or_path, known, 1);
    throw Error(Fault::usage, cat("expected a plan of the program (", join(known), ") or a TOML file, found '",
                                  printable(name_or_path), "'", near.empty() ? "" : cat("; is it ", near[0], "?")));
  }
  return {path.stem().string(), name_or_path, read_text_file(name_or_path, kPlanBytes)};
}

}  // namespace

std::span<const std::string_view> names(Pick) { return kPicks; }

bool runs_on(const PlanMethod& method, const std::string& set) {
  return method.sets.empty() || holds(method.sets, set);
}

std::uint64_t seed_of_run(const PlanMethod& method, int run) {
  return static_cast<std::uint64_t>(run) * static_cast<std::uint64_t>(method.select.seeds);
}

std::string refusal(const PlanMethod& method, const PlanSet& set, Task task) {
  SelectOptions options = method.select;
  options.task = set.task == Task::reconstruction ? Task::reconstruction : task;
  try {
    require_task(options);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

const PlanSet& set_named(const Plan& plan, const std::string& name) {
  return *std::find_if(plan.sets.begin(), plan.sets.end(), [&](const PlanSet& set) { return set.name == name; });
}

std::size_t models_of(const PlanMethod& method) {
  const SelectOptions& select = method.select;
  if (!trains_networks(select.method)) return 1;
  return select.recipes.size() * static_cast<std::size_t>(select.seeds) * select.gamma.size();
}

PlanText find_plan(const std::string& name_or_path, std::span<const std::string> settings) {
  PlanText plan = plan_of(name_or_path);
  if (settings.empty()) return plan;
  parse_plan(plan);  // its own faults first, with its own lines
  for (const std::string& setting : settings) plan = with_setting(plan, setting);
  return plan;
}

std::vector<std::string> settings_of(const PlanText& plan) {
  const auto plans = built_in_plans();
  const auto known = std::find_if(plans.begin(), plans.end(), [&](const auto& one) { return one.name == plan.name; });
  if (known == plans.end()) return {};
  const toml::table was = parse_toml(known->text, plan.source);
  std::vector<std::string> settings;
  for (const auto& [key, node] : parse_toml(plan.text, plan.source)) {
    const bool one_value = node.is_value() || (node.is_array() && !node.is_array_of_tables());
    if (!one_value) continue;
    const Setting is = setting_of(key.str(), node, {});
    if (!was.contains(key.str()) || setting_of(key.str(), was.at(key.str()), {}).text != is.text) {
      const bool list = is.kind == Setting::Kind::list;
      settings.push_back(cat(is.name, "=", list ? "[" : "", is.text, list ? "]" : ""));
    }
  }
  return settings;
}

Plan parse_plan(const PlanText& text) {
  Plan plan;
  plan.name = text.name;
  PlanReader(text.source, plan).read(parse_toml(text.text, text.source));
  if (plan.title.empty()) plan.title = plan.name;
  return plan;
}

Plan smoke(Plan plan) {
  plan.name += "-smoke";
  plan.title += " (a smoke test: few rows, runs and epochs; its numbers mean nothing)";
  plan.runs = std::min(plan.runs, 2);
  plan.evaluate.k = ends(plan.evaluate.k);
  plan.evaluate.rho = ends(plan.evaluate.rho);
  plan.evaluate.trees = std::min(plan.evaluate.trees, 10);
  for (PlanSet& set : plan.sets) {
    set.most_rows = set.most_rows == 0 ? 400 : std::min(set.most_rows, 400);
    set.training_rows = 0;
    set.test_rows = 0;
  }
  for (PlanMethod& method : plan.methods) {
    method.runs = std::min(method.runs, plan.runs);
    method.select.seeds = 1;
    method.select.gamma = ends(method.select.gamma);
    for (Recipe& recipe : method.select.recipes) recipe.train.epochs = 5;
  }
  return plan;
}

nlohmann::ordered_json plan_json(const Plan& plan) {
  nlohmann::ordered_json out{{"name", plan.name}};
  describe_plan(plan, into(out));
  kDescribeTrials(plan.evaluate, into(out));
  for (const PlanSet& set : plan.sets) {
    nlohmann::ordered_json one;
    describe_set(set, into(one));
    if (set.column_groups.empty()) one.erase("column_groups");
    out["sets"].push_back(std::move(one));
  }
  for (const PlanMethod& method : plan.methods) {
    nlohmann::ordered_json one;
    describe_method(method, into(one));
    one["sets"] = method.sets;
    one["options"] = method_json(method);
    out["methods"].push_back(std::move(one));
  }
  out["comparisons"] = nlohmann::ordered_json::array();
  for (const PlanComparison& comparison : plan.comparisons) {
    nlohmann::ordered_json one;
    describe_comparison(comparison, into(one));
    out["comparisons"].push_back(std::move(one));
  }
  return out;
}

nlohmann::ordered_json method_json(const PlanMethod& method) {
  nlohmann::ordered_json options = options_json(method.select);
  for (const std::string_view name : kByStudy) options.erase(std::string(name));
  return options;
}

}  // namespace obverse
