// obverse compare: every method on one data set, how good its features are, how long it takes, and which one to use.
#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include <obverse/compare.h>
#include <obverse/error.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "options/methods.h"
#include "options/settings.h"
#include "page/table.h"
#include "page/terminal.h"
#include "report/comparison.h"
#include "selection/requirements.h"
#include "stop.h"
#include "support/json.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Clock = std::chrono::steady_clock;

struct CompareArguments {
  DataArguments data;
  EngineArguments engine;
  TestArguments test;
  std::string folder;
  bool json = false;
};

Comparison compare_with_progress(const ComparisonInput& input, const CompareOptions& options) {
  ProgressBar bar;
  return compare(input, options, [&](const Progress& progress) {
    bar.show(progress);
    return !stop_asked();
  });
}

/// For every method that is compared.
void require_device(const CompareOptions& options) {
  const auto all = compared_methods();
  const std::vector<std::string> known(all.begin(), all.end());
  for (const std::string& name : options.methods.empty() ? known : options.methods) {
    require_device(selection_of(name, options.select));
  }
}

/// " --test FILE --test-labels FILE", as far as they were given.
std::string test_text(const TestArguments& test) {
  std::string out;
  if (!test.path.empty()) out += " --test " + in_shell(test.path);
  if (!test.labels.empty()) out += " --test-labels " + in_shell(test.labels);
  return out;
}

/// The options that say what is computed, as they would be typed again.
std::string command_text(const CompareArguments& arguments) {
  const std::string& config = arguments.engine.config;
  return cat("obverse compare ", in_shell(arguments.data.path), typed_text(arguments.data.typed),
             test_text(arguments.test), config.empty() ? "" : " --config " + in_shell(config),
             typed_text(arguments.engine.typed));
}

/// Selects from all rows by the recommended method; empty where there is none. What a config file says is typed out:
/// it may hold options that this method does not take.
std::string next_command(const CompareArguments& arguments, std::span<const Setting> config,
                         const Comparison& comparison) {
  if (comparison.recommended.empty()) return {};
  std::vector<Setting> typed = arguments.data.typed;
  typed.insert(typed.end(), arguments.engine.typed.begin(), arguments.engine.typed.end());
  const std::vector<Setting> settings =
      selection_settings(comparison.recommended, comparison.consensus.k, config, typed);
  const std::string_view folder = arguments.folder == "result" ? "selection" : "result";  // keep both reports
  return cat("obverse select ", in_shell(arguments.data.path), typed_text(settings), test_text(arguments.test), " -o ",
             folder);
}

std::vector<std::string> write_files(const Outputs& outputs, const CompareArguments& arguments,
                                     const Comparison& comparison, const ComparisonOrigin& origin,
                                     const std::string& json) {
  if (arguments.folder.empty()) return {};
  std::vector<std::string> written;
  FileGroup group(outputs);
  group.make_folder(arguments.folder);
  const auto add = [&](const std::string& name, const std::string& text) {
    written.push_back(arguments.folder + "/" + name);
    group.add(written.back()).write(text);
  };
  add("results.csv", results_csv(comparison.results));
  add("comparison.json", json);
  add("report.html", page_html(comparison_page(comparison, origin)));
  check_stop();
  group.commit();
  return written;
}

/// The features of the recommended method, what others say of them, and the command to type next.
std::string features_text(const Comparison& comparison, const std::string& next, const TextStyle& style) {
  if (comparison.consensus.features.empty()) return {};
  constexpr std::size_t kShown = 20;
  const auto text = [&style](const std::string& words) { return filled(terminal_text(words, style), style); };
  ReportTable table = features_table(comparison);
  const std::size_t rest = table.rows.size() - std::min(table.rows.size(), kShown);
  table.rows.resize(table.rows.size() - rest);
  std::string out = text(features_words(comparison)) + "\n" + table_plain(table, style);
  if (rest > 0) out += fmt::format("  and {} more\n", with_commas(rest));
  out += "\n";
  if (const std::string missed = missed_words(comparison); !missed.empty()) out += text(missed) + "\n";
  return out + "Next, select from all rows:\n\n  " + printable(next) + "\n\n";
}

std::string report(const Comparison& comparison, const ComparisonOrigin& origin, const std::vector<std::string>& files,
                   double seconds) {
  const TextStyle style = output_style();
  const auto text = [&style](const std::string& words) { return filled(terminal_text(words, style), style); };
  std::string out = text(rows_text(comparison)) + "\n";
  for (const std::string& warning : comparison.warnings)
    out += filled("Warning: " + printable(warning) + ".", style) + "\n";
  out += table_plain(methods_table(comparison), style) + "\n";
  out += text(table_words(comparison)) + "\n" + text(comparison.recommendation) + "\n";
  out += features_text(comparison, origin.next_command, style);
  for (const ComparedMethod& method : comparison.methods) {
    if (!method.note.empty())
      out += text(fmt::format("Note: {} could not rank the data: {}.", method.name, method.note));
  }
  for (const std::string& note : comparison.notes) out += filled("Note: " + printable(note), style);
  if (!files.empty()) out += filled("Wrote " + printable(join(files)) + ".", style);
  return out + fmt::format("Took {} and at most {} of memory.\n", duration_text(seconds), byte_text(peak_memory()));
}

void run_compare(const CompareArguments& arguments) {
  const auto began = Clock::now();
  require_data(arguments.data, "obverse compare data.csv --target churn -k 10,20");
  const std::vector<Setting> config = arguments.engine.config_settings();
  Outputs outputs(inputs_of(arguments.data, arguments.engine, config, arguments.test));
  outputs.folder("-o", arguments.folder, {"results.csv", "comparison.json", "report.html"});
  const CompareOptions options = arguments.engine.resolved_comparison(config);
  require_device(options);
  FileSummary summary;
  const ReadOptions how = arguments.data.resolved(config, options.select.task);
  require_apart(how, options.select);
  ComparisonInput input{.data = read(arguments.data.path, how, &summary)};
  input.test = read_test(arguments.test, how, input.data);
  if (!arguments.json) print(read_text(arguments.data.path, input.data, summary));

  const StopInOrder guard;
  const Comparison comparison = compare_with_progress(input, options);
  const ComparisonOrigin origin{.path = arguments.data.path,
                                .format = summary.format,
                                .test_path = arguments.test.path,
                                .command = command_text(arguments),
                                .next_command = next_command(arguments, config, comparison),
                                .peak_memory = peak_memory()};
  nlohmann::ordered_json tree = comparison_tree(comparison, origin);
  tree["notes"] = all_notes(summary, comparison.notes);
  const std::string json = json_text(tree);
  const std::vector<std::string> files = write_files(outputs, arguments, comparison, origin, json);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  print(arguments.json ? json : report(comparison, origin, files, seconds));
}

}  // namespace

void add_compare(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("compare", "try every method on one data set and say which one to use");
  const auto arguments = std::make_shared<CompareArguments>();
  add_data_arguments(verb, arguments->data);
  add_test_arguments(verb, arguments->test,
                     "file with the rows to test on; otherwise some rows of DATA, others in each run");
  add_comparison_arguments(verb, arguments->engine);
  verb.add_option("-o,--output", arguments->folder, "folder for results.csv, comparison.json and report.html")
      ->type_name("DIR")
      ->group("Output");
  verb.add_flag("--json", arguments->json, "print everything as JSON, for programs")->group("Output");
  finish_help(verb,
              "  obverse compare data.csv --target churn --effort quick -o result\n"
              "  obverse compare data.csv --target churn -k 10,20 --methods cfm,fm,rf,mrmr --runs 5\n"
              "  obverse compare train.npz --test test.npz --rho 5% --classifiers ert --json\n");
  verb.callback([arguments] { run_compare(*arguments); });
}

}  // namespace obverse
