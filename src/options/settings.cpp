#include "options/settings.h"

#include <algorithm>
#include <array>

#include "options/methods.h"
#include "options/table.h"
#include "options/toml.h"
#include "support/file.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kConfigBytes = 1 << 20;

constexpr auto kBaselineSettings = std::to_array<std::string_view>(
    {"k", "rho", "method", "task", "class_weights", "seed", "threads", "device", "max_memory", "time_limit", "metric",
     "resample", "k_rule", "max_k", "keep", "control", "redundancy"});

const auto kRead = [](auto& options, auto&& field) { describe_read(options, field); };
const auto kSelect = [](auto& options, auto&& field) { describe_select(options, field); };
const auto kTrain = [](auto& options, auto&& field) { describe_train(options, field); };
const auto kEvaluate = [](auto& options, auto&& field) { describe_evaluate(options, field); };
const auto kCompare = [](auto& options, auto&& field) { describe_compare(options, field); };

void apply(const Setting& setting, SelectOptions& options) {
  if (setting.name == "effort" || setting.name == "recipe") return;
  bool found = assign_field(setting, options, kSelect);
  for (Recipe& recipe : options.recipes) found = assign_field(setting, recipe.train, kTrain) || found;
  if (!found) throw Error(Fault::usage, cat(setting.where, ": no such option"));
}

/// Takes what the describe function knows; returns the rest, which is of the selection inside.
template <class Options, class Describe>
std::vector<Setting> taken(std::span<const Setting> settings, Options& options, Describe describe) {
  std::vector<Setting> rest;
  for (const Setting& setting : settings) {
    if (!assign_field(setting, options, describe)) rest.push_back(setting);
  }
  return rest;
}

/// The last setting of that name; nullptr when nobody gave one.
const Setting* last_of(std::span<const Setting> settings, std::string_view name) {
  const auto last = std::find_if(settings.rbegin(), settings.rend(), [&](const auto& s) { return s.name == name; });
  return last == settings.rend() ? nullptr : &*last;
}

const Setting* last_of(std::span<const Setting> config, std::span<const Setting> command_line, std::string_view name) {
  const Setting* typed = last_of(command_line, name);
  return typed != nullptr ? typed : last_of(config, name);
}

std::vector<Recipe> recipes(const Setting& setting) {
  std::vector<std::string_view> known;
  for (const auto& [name, purpose] : recipe_names()) known.push_back(name);
  std::vector<Recipe> out;
  for (const std::string& part : split_text(setting.text, ',')) {
    const std::string_view name = trimmed(part);
    const bool given = std::any_of(out.begin(), out.end(), [&](const Recipe& r) { return r.name == name; });
    if (given || std::find(known.begin(), known.end(), name) == known.end()) {
      refuse(setting, cat("one or more of ", join(known), ", each once, with commas between"));
    }
    out.push_back(recipe(name));
  }
  return out;
}

bool is_among(std::span<const std::string_view> names, const Setting& setting) {
  return std::find(names.begin(), names.end(), setting.name) != names.end();
}

/// How many features, what to predict and what splits go by are one question each, which several options can answer.
constexpr std::array<std::string_view, 2> kCounts{"k", "rho"};
constexpr std::array<std::string_view, 3> kTargets{"target", "targets", "labels"};
constexpr std::array<std::string_view, 2> kSplitKeys{"row_groups", "time"};
constexpr std::array<std::span<const std::string_view>, 3> kQuestions{kCounts, kTargets, kSplitKeys};

/// When the command line answers a question, the file is not asked.
std::vector<Setting> without_answered(std::span<const Setting> config, std::span<const Setting> command_line) {
  std::vector<Setting> out(config.begin(), config.end());
  for (const auto& question : kQuestions) {
    const auto answers = [&](const Setting& setting) { return is_among(question, setting); };
    if (std::any_of(command_line.begin(), command_line.end(), answers)) std::erase_if(out, answers);
  }
  return out;
}

/// An option that a selection does not have: of reading, of an evaluation or of a comparison.
bool is_of_others(const Setting& setting) {
  const std::vector<std::string> own = setting_names();
  return std::find(own.begin(), own.end(), setting.name) == own.end();
}

void refuse_both(std::span<const Setting> settings) {
  const Setting* k = last_of(settings, "k");
  const Setting* rho = last_of(settings, "rho");
  if (k != nullptr && rho != nullptr && k->text != "auto" && k->text != "none" && rho->text != "none") {
    throw Error(Fault::usage, cat(k->where, " ", k->text, " and ", rho->where, " ", rho->text,
                                  " both say how many features to select; give one of them"));
  }
}

void refuse_untaken(std::span<const Setting> settings, std::string_view method) {
  for (const Setting& setting : settings) {
    if (takes(method, setting.name)) continue;
    throw Error(Fault::usage, cat(setting.where, ": expected only with a family of masks, found with ", method,
                                  ", which trains no network; leave it out"));
  }
}

/// Those of a config file are for other commands.
void leave_out_answer(std::vector<Setting>& config, std::span<const Setting> command_line) {
  const auto is_of_answer = [](const Setting& setting) { return is_among(answer_setting_names(), setting); };
  std::erase_if(config, is_of_answer);
  const auto typed = std::find_if(command_line.begin(), command_line.end(), is_of_answer);
  if (typed != command_line.end()) throw Error(Fault::usage, cat(typed->where, ": only select has this option"));
}

/// What is found out on parts of the rows can only be asked for together with them; a time limit is for all rows too.
void refuse_without_resamples(std::span<const Setting> settings, const SelectOptions& options) {
  if (options.resample == Resample::on) return;
  for (const Setting& setting : settings) {
    if (setting.name == "resample" || setting.name == "time_limit") continue;
    if (!is_among(answer_setting_names(), setting)) continue;
    throw Error(Fault::usage, cat(setting.where,
                                  ": expected only with --resample on, the default, which finds out how many "
                                  "features are enough; leave out one of the two"));
  }
}

/// A field for the describe functions that refuses what no user could have given.
const auto kCheck = [](std::string_view name, const auto& value, const Bounds& bounds, std::string_view) {
  if (within(value, bounds)) return;
  refuse({.name = {}, .text = written(value, bounds), .where = std::string(name)}, allowed(value, bounds));
};

}  // namespace

std::vector<std::string> read_setting_names() { return field_names(ReadOptions{}, kRead); }

std::vector<std::string> setting_names() {
  std::vector<std::string> names{"effort", "recipe"};
  for (std::string& name : field_names(SelectOptions{}, kSelect)) names.push_back(std::move(name));
  for (std::string& name : field_names(TrainOptions{}, kTrain)) names.push_back(std::move(name));
  return names;
}

std::span<const std::string_view> answer_setting_names() {
  static constexpr std::array<std::string_view, 5> kNames{"resample", "time_limit", "k_rule", "max_k", "control"};
  return kNames;
}

std::vector<std::string> evaluation_setting_names() { return field_names(EvaluateOptions{}, kEvaluate); }

std::vector<std::string> comparison_setting_names() { return field_names(CompareOptions{}, kCompare); }

bool takes(std::string_view method, std::string_view name) {
  return trains_networks(method) ||
         std::find(kBaselineSettings.begin(), kBaselineSettings.end(), name) != kBaselineSettings.end();
}

std::vector<Setting> read_config(const std::string& path) {
  std::vector<std::string> known = setting_names();
  for (const auto& names : {read_setting_names(), evaluation_setting_names(), comparison_setting_names()}) {
    known.insert(known.end(), names.begin(), names.end());
  }
  std::vector<Setting> settings;
  for (const auto& [key, node] : parse_toml(read_text_file(path, kConfigBytes), path)) {
    std::string name(key.str());
    std::replace(name.begin(), name.end(), '-', '_');
    const std::string place = place_of(path, key);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const auto near = nearest_names(name, known, 1);
      throw Error(Fault::usage, cat(place, "no option is called '", printable(key.str()), "'",
                                    near.empty() ? "; `obverse options` lists them" : cat("; is it ", near[0], "?")));
    }
    settings.push_back(setting_of(name, node, place + name));
  }
  return settings;
}

std::vector<Setting> asked_settings(std::span<const Setting> config, std::span<const Setting> command_line) {
  std::vector<Setting> given = without_answered(config, command_line);
  given.insert(given.end(), command_line.begin(), command_line.end());
  const bool other_defaults = last_of(given, "effort") != nullptr || last_of(given, "recipe") != nullptr;
  std::vector<Setting> asked;
  for (const auto& rows : {read_rows(), select_rows(), train_rows()}) {
    for (const OptionRow& row : rows) {
      const Setting* last = last_of(given, row.name);
      if (last != nullptr && (other_defaults || last->text != row.initial)) asked.push_back(*last);
    }
  }
  return asked;
}

ReadOptions read_options(std::span<const Setting> config, std::span<const Setting> command_line) {
  ReadOptions options;
  for (const Setting& setting : without_answered(config, command_line)) assign_field(setting, options, kRead);
  for (const Setting& setting : command_line) assign_field(setting, options, kRead);
  return options;
}

SelectOptions select_options(std::span<const Setting> given_config, std::span<const Setting> command_line,
                             Effort effort) {
  refuse_both(given_config);
  refuse_both(command_line);
  std::vector<Setting> config = without_answered(given_config, command_line);
  std::erase_if(config, is_of_others);
  if (const Setting* given = last_of(config, command_line, "effort")) assign(*given, effort, anything());
  SelectOptions options = options_for(effort);
  if (const Setting* given = last_of(config, command_line, "recipe")) options.recipes = recipes(*given);
  for (const Setting& setting : config) apply(setting, options);
  for (const Setting& setting : command_line) apply(setting, options);
  refuse_untaken(config, options.method);
  refuse_untaken(command_line, options.method);
  refuse_without_resamples(command_line, options);
  return options;
}

EvaluateOptions evaluate_options(std::span<const Setting> config, std::span<const Setting> command_line) {
  refuse_both(config);
  refuse_both(command_line);
  EvaluateOptions options;
  std::vector<Setting> of_config = taken(without_answered(config, command_line), options, kEvaluate);
  const std::vector<Setting> of_command_line = taken(command_line, options, kEvaluate);
  leave_out_answer(of_config, of_command_line);
  options.select = not_repeated(select_options(of_config, of_command_line));
  return options;
}

CompareOptions compare_options(std::span<const Setting> config, std::span<const Setting> command_line) {
  refuse_both(config);
  refuse_both(command_line);
  CompareOptions options;
  std::vector<Setting> of_config = taken(without_answered(config, command_line), options, kCompare);
  std::erase_if(of_config, [](const Setting& s) { return s.name == "method" || s.name == "complement"; });
  const std::vector<Setting> of_command_line = taken(command_line, options, kCompare);
  leave_out_answer(of_config, of_command_line);
  options.select = not_repeated(select_options(of_config, of_command_line));
  const bool trained = options.methods.empty() || std::any_of(options.methods.begin(), options.methods.end(),
                                                              [](const auto& one) { return trains_networks(one); });
  if (!trained) refuse_untaken(of_command_line, options.methods.front());
  return options;
}

std::vector<Setting> selection_settings(std::string_view method, std::size_t k, std::span<const Setting> config,
                                        std::span<const Setting> command_line) {
  // How many features and by which method is known, and so is how their number is found.
  constexpr std::array<std::string_view, 7> kKnown{"k", "rho", "k_rule", "max_k", "control", "method", "complement"};
  const std::vector<Setting> given = asked_settings(config, command_line);
  std::vector<Setting> out;
  const std::vector<std::string> read = read_setting_names();
  for (const Setting& one : given) {
    if (std::find(read.begin(), read.end(), one.name) != read.end()) out.push_back(one);
  }
  const SelectOptions selection = selection_of(method, {});
  out.push_back({.name = "k", .text = std::to_string(k), .where = {}, .kind = Setting::Kind::number});
  out.push_back({.name = "method", .text = selection.method, .where = {}, .kind = Setting::Kind::text});
  if (selection.complement == Complement::on && selection.method != kComplementaryMask) {
    out.push_back({.name = "complement", .text = "on", .where = {}, .kind = Setting::Kind::text});
  }
  for (const Setting& one : given) {
    if (!is_of_others(one) && !is_among(kKnown, one) && takes(selection.method, one.name)) out.push_back(one);
  }
  return out;
}

void check_options(const SelectOptions& options) {
  SelectOptions known = options;
  if (options.mask) known.method = SelectOptions{}.method;
  describe_select(known, kCheck);
  for (const Recipe& recipe : options.recipes) describe_train(recipe.train, kCheck);
}

void check_options(const EvaluateOptions& options) {
  describe_evaluate(options, kCheck);
  check_options(options.select);
}

void check_options(const CompareOptions& options) {
  describe_compare(options, kCheck);
  check_options(options.select);
}

}  // namespace obverse
