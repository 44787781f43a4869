#include "arguments.h"

#include <algorithm>
#include <array>
#include <utility>

#include <obverse/error.h>

#include "help.h"
#include "memory_bound.h"
#include "options/settings.h"
#include "options/table.h"
#include "readers/bytes.h"
#include "readers/column_groups.h"
#include "readers/columns.h"
#include "readers/formats.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr auto kCommon = std::to_array<std::string_view>(
    {"k",       "rho",        "max_k",   "keep",   "method",     "task",      "metric", "resample",
     "control", "redundancy", "effort",  "recipe", "gamma",      "seeds",     "seed",   "epochs",
     "scaling", "precision",  "threads", "device", "max_memory", "time_limit"});

std::string group_of(const OptionRow& row) {
  return std::find(kCommon.begin(), kCommon.end(), row.name) != kCommon.end() ? "Selection" : "For experts";
}

/// Groups are shown in the order of their first option: common ones come first.
std::vector<OptionRow> engine_rows() {
  std::vector<OptionRow> rows = select_rows();
  for (OptionRow& row : train_rows()) rows.push_back(std::move(row));
  const auto place = [](const OptionRow& row) { return std::find(kCommon.begin(), kCommon.end(), row.name); };
  std::stable_sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) { return place(a) < place(b); });
  return rows;
}

void add_config(CLI::App& app, EngineArguments& arguments) {
  app.add_option("--config", arguments.config, "TOML file with any of these options; what is typed wins")
      ->type_name("FILE")
      ->group("Selection");
}

CLI::Option& add_row(CLI::App& app, std::vector<Setting>& typed, const OptionRow& row, const std::string& group) {
  const auto take = [&typed, row](const std::string& text) {
    typed.push_back({.name = row.name, .text = text, .where = row.flag, .kind = Setting::Kind::typed});
  };
  if (row.value.empty()) {
    return *app.add_flag_callback(
                   row.flag, [take] { take("true"); }, row.help)
                ->group(group);
  }
  const std::string flags = row.name == "k" ? "-k,--k" : row.flag;
  CLI::Option& option = *app.add_option_function<std::string>(flags, take, row.help)
                             ->type_name(row.value)
                             ->default_str(row.initial)
                             ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
                             ->group(group);
  if (row.name == "keep") option.join(',');  // as columns to leave out are
  return option;
}

std::string help_command(const CLI::App& verb) { return cat("`", command_of(verb), " --help`"); }

std::string unknown_option(const CLI::App& verb, const std::string& option) {
  std::vector<std::string> known;
  for (const CLI::Option* o : verb.get_options()) {
    for (const std::string& name : o->get_lnames()) known.push_back("--" + name);
  }
  const auto near = nearest_names(option.substr(0, option.find('=')), known);
  return cat("no option is called '", printable(option), "'",
             near.empty() ? cat("; ", help_command(verb), " lists them") : cat("; is it ", join(near, " or "), "?"));
}

std::string unknown_message(const CLI::App& verb) {
  const std::vector<std::string> rest = verb.remaining(true);
  const auto option = std::find_if(rest.begin(), rest.end(), [](const auto& word) { return word.starts_with('-'); });
  if (option != rest.end()) return unknown_option(verb, *option);
  const std::string word = rest.empty() ? "" : rest.front();
  std::vector<std::string> known;
  for (const CLI::App* sub : verb.get_subcommands({})) known.push_back(sub->get_name());
  const auto near = nearest_names(word, known, 1);
  if (!near.empty()) return cat("no command is called '", printable(word), "'; is it ", near[0], "?");
  return cat("cannot tell what '", printable(word), "' is for; ", help_command(verb), " shows what there is");
}

}  // namespace

ReadOptions DataArguments::resolved(std::span<const Setting> config, Task task) const {
  ReadOptions options = read_options(config, typed);
  options.task = task;
  options.max_memory = memory_bound();
  return options;
}

void add_data_arguments(CLI::App& app, DataArguments& arguments) {
  std::vector<std::string_view> titles;
  for (const DataFormat& format : data_formats()) titles.push_back(format.title);
  app.add_option("DATA", arguments.path,
                 cat(join(titles), " file, gzip or not; known by content; - is standard input"));
  for (const OptionRow& row : read_rows()) {
    CLI::Option& option = add_row(app, arguments.typed, row, "Data");
    if (row.value.find(',') != std::string::npos) option.join(',');  // columns may be named one by one
  }
}

void add_test_arguments(CLI::App& app, TestArguments& arguments, const std::string& help) {
  app.add_option("--test", arguments.path, help)->type_name("FILE")->group("Data");
  app.add_option("--test-labels", arguments.labels, "file with one label for each row of the test file")
      ->type_name("FILE")
      ->group("Data");
}

std::optional<Dataset> read_test(const TestArguments& arguments, ReadOptions how, const Dataset& like) {
  if (arguments.path.empty()) {
    if (arguments.labels.empty()) return std::nullopt;
    throw Error(Fault::usage, "--test-labels: expected --test FILE, the rows that they belong to");
  }
  if (!arguments.labels.empty()) how.target.clear();
  // Test rows count alike and are not split.
  for (std::string* column : {&how.weights, &how.row_groups, &how.time}) {
    if (!column->empty()) how.drop.push_back(std::exchange(*column, {}));
  }
  how.labels = arguments.labels;  // those of the data are for its own rows
  how.target_required = false;
  Dataset test = read_like(arguments.path, like, how);
  if (like.has_target() && !test.has_target()) {
    throw Error(Fault::input,
                cat(arguments.path, ": what is the target of each test row? Give --test-labels FILE, or a ",
                    "file with the target '", like.target_name(), "'"));
  }
  return test;
}

void require_data(const DataArguments& arguments, const std::string& example) {
  if (arguments.path.empty()) throw Error(Fault::usage, cat("expected a data file: ", example));
}

std::vector<Setting> EngineArguments::config_settings() const {
  return config.empty() ? std::vector<Setting>{} : read_config(config);
}

SelectOptions EngineArguments::resolved(std::span<const Setting> settings, Effort effort) const {
  SelectOptions options = select_options(settings, typed, effort);
  bound_memory(options.max_memory);
  return options;
}

EvaluateOptions EngineArguments::resolved_evaluation(std::span<const Setting> settings) const {
  EvaluateOptions options = evaluate_options(settings, typed);
  bound_memory(options.select.max_memory);
  return options;
}

CompareOptions EngineArguments::resolved_comparison(std::span<const Setting> settings) const {
  CompareOptions options = compare_options(settings, typed);
  bound_memory(options.select.max_memory);
  return options;
}

void require_apart(const ReadOptions& read, const SelectOptions& select) {
  for (const std::string& kept : select.keep) {
    for (const std::string& dropped : read.drop) {
      if (!fits_pattern(kept, dropped)) continue;
      throw Error(Fault::usage, cat("--keep ", in_shell(kept), " and --drop ", in_shell(dropped),
                                    " say the opposite of one column; leave one of them out"));
    }
  }
}

void add_engine_arguments(CLI::App& app, EngineArguments& arguments) {
  for (const OptionRow& row : engine_rows()) add_row(app, arguments.typed, row, group_of(row));
  add_config(app, arguments);
}

namespace {

/// The options of selections inside an experiment, which has `own` ones instead of some.
void add_inner_arguments(CLI::App& app, EngineArguments& arguments, std::span<const std::string_view> own) {
  const auto holds = [](std::span<const std::string_view> names, const OptionRow& row) {
    return std::find(names.begin(), names.end(), row.name) != names.end();
  };
  for (const OptionRow& row : engine_rows()) {
    if (!holds(own, row) && !holds(answer_setting_names(), row)) add_row(app, arguments.typed, row, group_of(row));
  }
  add_config(app, arguments);
}

}  // namespace

void add_evaluation_arguments(CLI::App& app, EngineArguments& arguments) {
  constexpr auto kOfTheEvaluation = std::to_array<std::string_view>({"k", "rho", "metric"});
  for (const OptionRow& row : evaluation_rows()) add_row(app, arguments.typed, row, "Evaluation");
  add_inner_arguments(app, arguments, kOfTheEvaluation);
}

void add_comparison_arguments(CLI::App& app, EngineArguments& arguments) {
  constexpr auto kOfTheComparison = std::to_array<std::string_view>({"k", "rho", "metric", "method", "complement"});
  for (const OptionRow& row : comparison_rows()) add_row(app, arguments.typed, row, "Comparison");
  add_inner_arguments(app, arguments, kOfTheComparison);
}

void add_engine_argument(CLI::App& app, EngineArguments& arguments, const std::string& name) {
  for (const OptionRow& row : select_rows()) {
    if (row.name == name) add_row(app, arguments.typed, row, group_of(row));
  }
}

void add_report_data(CLI::App& app, ReportData& report_data) {
  const auto take = [&report_data](const std::string& text) {
    assign({.name = "report_data", .text = text, .where = "--report-data"}, report_data, anything());
  };
  app.add_option_function<std::string>("--report-data", take,
                                       "none: no values of the data in the page and in selection.json, so no "
                                       "distributions, example pictures or names of classes; names of features stay")
      ->type_name(join(names(ReportData{}), "|"))
      ->default_str(std::string(names(ReportData{}).front()))
      ->group("Output");
}

void refuse_empty_names(CLI::App& app) {
  const auto named = [](const std::string& name) {
    return std::string(name.empty() ? "expected a name, found an empty one" : "");
  };
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("FILE") || type.starts_with("DIR")) option->check(CLI::Validator(named, ""));
  }
  for (CLI::App* verb : app.get_subcommands({})) refuse_empty_names(*verb);
}

Inputs inputs_of(const DataArguments& data, const EngineArguments& engine, std::span<const Setting> settings,
                 const TestArguments& test) {
  const ReadOptions read = read_options(settings, data.typed);
  const std::array given{data.path, read.labels, test.path, test.labels};
  if (std::count(given.begin(), given.end(), kStandardInput) > 1) {
    throw Error(Fault::usage, "standard input (`-`) can be read once; give the other data as a file");
  }
  return Inputs().files(
      {data.path, read.labels, column_groups_file(read.column_groups), engine.config, test.path, test.labels});
}

std::string typed_text(std::span<const Setting> settings) {
  std::vector<OptionRow> rows = read_rows();
  for (const auto& more : {select_rows(), train_rows(), evaluation_rows(), comparison_rows()}) {
    rows.insert(rows.end(), more.begin(), more.end());
  }
  std::string out;
  for (const Setting& setting : settings) {
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& one) { return one.name == setting.name; });
    const bool is_flag = row->value.empty();
    if (is_flag && setting.text != "true") continue;
    out += cat(" ", row->flag, is_flag ? "" : " ", is_flag ? "" : in_shell(setting.text));
  }
  return out;
}

std::string usage_message(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& verb = verb_of(app);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) return unknown_message(verb);
  const std::string what = printable(error.what());
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    return cat(what.substr(0, what.find(':')), ": expected one value; ", help_command(verb), " shows how it is used");
  }
  return cat(what, "; ", help_command(verb), " shows how it is used");
}

}  // namespace obverse
