// obverse evaluate: what selected features are worth to classifiers, beside all features and random ones.
#include <algorithm>
#include <chrono>
#include <memory>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/evaluation.h>
#include <obverse/writer.h>

#include "arguments.h"
#include "backend/device.h"
#include "commands.h"
#include "help.h"
#include "options/settings.h"
#include "report/evaluation.h"
#include "selection/requirements.h"
#include "stop.h"
#include "support/json.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Clock = std::chrono::steady_clock;

struct EvaluateArguments {
  DataArguments data;
  EngineArguments engine;
  TestArguments test;
  std::string ranking;
  std::string folder;
  bool json = false;
};

/// With a ranking nothing is selected, and who asks how means something else.
void refuse_selection(const EvaluateArguments& arguments) {
  std::vector<std::string> names = evaluation_setting_names();
  names.insert(names.end(), {"seed", "threads", "device", "max_memory"});
  for (const Setting& setting : arguments.engine.typed) {
    if (std::find(names.begin(), names.end(), setting.name) == names.end()) {
      throw Error(Fault::usage, cat(setting.where, " says how to select, but the features come from ",
                                    printable(arguments.ranking), "; leave one of the two out"));
    }
  }
}

/// Only as much of the ranking as is going to be used has to be in the data.
std::vector<std::size_t> ranked_features(const EvaluateArguments& arguments, const Dataset& data,
                                         const EvaluateOptions& options) {
  const std::vector<std::string> ranked = read_ranking(arguments.ranking);
  std::size_t most = ranked.size();
  if (!options.k.empty()) {
    most = static_cast<std::size_t>(*std::max_element(options.k.begin(), options.k.end()));
  }
  return features_named(data, std::span(ranked).first(std::min(most, ranked.size())), arguments.data.path,
                        arguments.ranking);
}

EvaluationInput read_input(const EvaluateArguments& arguments, std::span<const Setting> config,
                           const EvaluateOptions& options, FileSummary& summary) {
  const ReadOptions how = arguments.data.resolved(config, options.select.task);
  require_apart(how, options.select);
  EvaluationInput input{.data = read(arguments.data.path, how, &summary)};
  input.test = read_test(arguments.test, how, input.data);
  if (!arguments.ranking.empty()) input.ranking = ranked_features(arguments, input.data, options);
  return input;
}

Evaluation evaluate_with_progress(const EvaluationInput& input, const EvaluateOptions& options) {
  ProgressBar bar;
  return evaluate(input, options, [&](const Progress& progress) {
    bar.show(progress);
    return !stop_asked();
  });
}

std::vector<std::string> write_files(const Outputs& outputs, const EvaluateArguments& arguments,
                                     const Evaluation& evaluation, const std::string& json) {
  if (arguments.folder.empty()) return {};
  std::vector<std::string> written{arguments.folder + "/evaluation.csv", arguments.folder + "/results.csv",
                                   arguments.folder + "/evaluation.json"};
  FileGroup group(outputs);
  group.make_folder(arguments.folder);
  group.add(written[0]).write(evaluation_csv(evaluation));
  group.add(written[1]).write(results_csv(evaluation.results));
  group.add(written[2]).write(json);
  check_stop();
  group.commit();
  return written;
}

std::string selection_line(const EvaluateArguments& arguments, const Evaluation& evaluation) {
  if (evaluation.ranking_given) return fmt::format("Features in the order of {}.", printable(arguments.ranking));
  return fmt::format("Features selected by {} in {}.", evaluation.options.select.method,
                     duration_text(evaluation.selection_seconds));
}

std::string report(const EvaluateArguments& arguments, const Evaluation& evaluation,
                   const std::vector<std::string>& files, double seconds) {
  const TextStyle style = output_style();
  std::string out = filled(rows_text(evaluation) + " " + selection_line(arguments, evaluation), style);
  for (const std::string& warning : evaluation.warnings) out += filled("Warning: " + printable(warning) + ".", style);
  out += "\n" + evaluation_tables(evaluation, style) + "\n" + filled(spread_text(evaluation), style);
  for (const std::string& sentence : evaluation_sentences(evaluation)) out += filled(sentence, style);
  for (const std::string& note : evaluation.notes) out += filled("Note: " + printable(note), style);
  if (!files.empty()) out += filled("Wrote " + printable(join(files)) + ".", style);
  return out + fmt::format("Took {} and at most {} of memory.\n", duration_text(seconds), byte_text(peak_memory()));
}

void run_evaluate(const EvaluateArguments& arguments) {
  const auto began = Clock::now();
  require_data(arguments.data, "obverse evaluate data.csv --target churn -k 10,20 --cv 5 --refit");
  const std::vector<Setting> config = arguments.engine.config_settings();
  Outputs outputs(inputs_of(arguments.data, arguments.engine, config, arguments.test).file(arguments.ranking));
  outputs.folder("-o", arguments.folder, {"evaluation.csv", "results.csv", "evaluation.json"});
  const EvaluateOptions options = arguments.engine.resolved_evaluation(config);
  if (arguments.ranking.empty()) {
    require_device(options.select);
  } else {
    refuse_selection(arguments);
    device_named(options.select.device);
  }
  FileSummary summary;
  const EvaluationInput input = read_input(arguments, config, options, summary);
  if (!arguments.json) print(read_text(arguments.data.path, input.data, summary));

  const StopInOrder guard;
  const Evaluation evaluation = evaluate_with_progress(input, options);
  nlohmann::ordered_json tree = evaluation_tree(evaluation);
  tree["data"]["path"] = arguments.data.path;
  tree["data"]["format"] = summary.format;
  tree["notes"] = all_notes(summary, evaluation.notes);
  if (!arguments.test.path.empty()) tree["data"]["test_path"] = arguments.test.path;
  if (!arguments.ranking.empty()) tree["data"]["ranking_path"] = arguments.ranking;
  tree["timings"]["peak_memory_bytes"] = peak_memory();
  const std::string json = json_text(tree);
  const std::vector<std::string> files = write_files(outputs, arguments, evaluation, json);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  print(arguments.json ? json : report(arguments, evaluation, files, seconds));
}

}  // namespace

void add_evaluate(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("evaluate", "measure what selected features are worth to classifiers");
  const auto arguments = std::make_shared<EvaluateArguments>();
  add_data_arguments(verb, arguments->data);
  add_test_arguments(verb, arguments->test, "file with the rows to test on; otherwise some rows of DATA");
  verb.add_option("--ranking", arguments->ranking, "ranking.csv of `obverse select -o`, instead of a selection now")
      ->type_name("FILE")
      ->group("Data");
  add_evaluation_arguments(verb, arguments->engine);
  verb.add_option("-o,--output", arguments->folder, "folder for evaluation.csv, results.csv and evaluation.json")
      ->type_name("DIR")
      ->group("Output");
  verb.add_flag("--json", arguments->json, "print everything as JSON, for programs")->group("Output");
  finish_help(verb,
              "  obverse evaluate data.csv --target churn -k 10,20 --cv 5 --refit\n"
              "  obverse evaluate train.npz --test test.npz --rho 1%,5% --method mrmr --classifiers rf,ert,knn\n"
              "  obverse evaluate train.csv --test test.csv --target churn --ranking ranking.csv -k 20 --json\n");
  verb.callback([arguments] { run_evaluate(*arguments); });
}

}  // namespace obverse
