// obverse select: from a data file to the k features that carry the information.
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/report.h>
#include <obverse/selector.h>
#include <obverse/writer.h>

#include "arguments.h"
#include "commands.h"
#include "experiment/share_interval.h"
#include "help.h"
#include "metrics/base_rate.h"
#include "metrics/metrics.h"
#include "options/settings.h"
#include "report/control.h"
#include "report/evidence.h"
#include "report/selection.h"
#include "report/selection_stand_ins.h"
#include "selection/requirements.h"
#include "stop.h"
#include "support/json.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kRowsShown = 50;

struct SelectArguments {
  DataArguments data;
  EngineArguments engine;
  TestArguments test;
  std::string folder;
  std::string transform;
  ReportData report_data = ReportData::shown;
  bool json = false;
  bool all = false;
};

/// Accuracy on the rows of the test file.
struct TestAccuracy {
  Task task = Task::classification;
  std::size_t rows = 0;
  double selected = 0;
  double all = 0;
  double base_rate = 0;
  std::optional<ShareInterval> interval = {};  ///< of `selected`, where it is a share of right answers
};

TestAccuracy test_accuracy(const Dataset& train, const Dataset& test, const Selection& selection) {
  const SelectOptions& options = selection.options;
  TestAccuracy out{
      .task = train.task(),
      .rows = test.rows(),
      .selected = neighbour_accuracy(train, test, selection.ranking.top(selection.k), options.threads, options.device),
      .all = neighbour_accuracy(train, test, all_features(train), options.threads, options.device),
      .base_rate = base_rate(metrics_of(train.task()).front(), train, test)};
  if (metrics_of(out.task).front().of_classes) out.interval = wilson_interval(out.selected, out.rows);
  return out;
}

bool trained(const Selection& selection) { return trains_networks(selection.options.method); }

std::string answer_line(const Selection& selection) {
  if (!trained(selection)) return fmt::format("No network was trained: {}.", selection.reason);
  if (selection.options.method == "auto") return fmt::format("Answered by {}.", printable(selection.reason));
  return fmt::format("Model {} of {} answers: {}.", selection.chosen + 1, selection.models.size(),
                     printable(selection.reason));
}

std::string test_line(const TestAccuracy& test, const Selection& selection) {
  const std::string interval = test.interval ? fmt::format(" (95% interval {:.1f} to {:.1f}%)",
                                                           100 * test.interval->low, 100 * test.interval->high)
                                             : std::string();
  return fmt::format(
      "Test, {} rows, 5 nearest neighbours, {}: {:.1f}% with the {} selected{}, {:.1f}% with all {} features, {:.1f}% "
      "without any.",
      with_commas(test.rows), measure_name(test.task), 100 * test.selected, with_commas(selection.k), interval,
      100 * test.all, with_commas(selection.ranking.order.size()), 100 * test.base_rate);
}

nlohmann::ordered_json test_json(const TestAccuracy& test, const std::string& path) {
  nlohmann::ordered_json out{{"path", path}, {"rows", test.rows}, {"accuracy_selected", test.selected}};
  if (test.interval) out.update({{"low", test.interval->low}, {"high", test.interval->high}});
  out.update({{"accuracy_all", test.all}, {"base_rate", test.base_rate}});
  return out;
}

/// What was asked for, so that a report can tell how to repeat it.
nlohmann::ordered_json request_json(const SelectArguments& arguments, std::span<const Setting> config) {
  std::vector<Setting> typed = arguments.data.typed;
  typed.insert(typed.end(), arguments.engine.typed.begin(), arguments.engine.typed.end());
  nlohmann::ordered_json out = nlohmann::ordered_json::object();
  for (const Setting& setting : asked_settings(config, typed)) out[setting.name] = setting.text;
  if (!arguments.test.path.empty()) out["test"] = arguments.test.path;
  if (!arguments.test.labels.empty()) out["test_labels"] = arguments.test.labels;
  return out;
}

/// Ranking, selection, report and reduced data appear together or not at all.
std::vector<std::string> write_files(const Outputs& outputs, const SelectArguments& arguments, const Dataset& data,
                                     const Selection& selection, const nlohmann::ordered_json& tree) {
  FileGroup group(outputs);
  std::vector<std::string> written;
  const auto add = [&](const std::string& path) -> AtomicFile& {
    written.push_back(path);
    return group.add(path);
  };
  if (!arguments.folder.empty()) {
    group.make_folder(arguments.folder);
    add(arguments.folder + "/ranking.csv").write(ranking_csv(selection));
    add(arguments.folder + "/curve.csv")
        .write(curve_csv(selection.evidence ? &*selection.evidence : nullptr, selection.k));
    add(arguments.folder + "/selection.json").write(json_text(tree));
    add(arguments.folder + "/report.html").write(page_html(selection_page(tree)));
  }
  if (!arguments.transform.empty()) {
    if (selection.k == 0) {
      throw Error(Fault::input, cat("--transform: no feature passes --control ", selection.options.control,
                                    ", which leaves nothing to write; leave --transform out, or allow a larger pfer"));
    }
    write_dataset(data, selection.ranking.top(selection.k), add(arguments.transform));
  }
  check_stop();
  group.commit();
  return written;
}

std::string report(const SelectArguments& arguments, const Selection& selection,
                   const std::optional<TestAccuracy>& test, const std::vector<std::string>& files, double seconds) {
  const TextStyle style = output_style();
  const std::optional<Evidence>& evidence = selection.evidence;
  std::string out = "\n";
  for (const std::string& warning : selection.warnings) out += filled("Warning: " + printable(warning), style) + "\n";
  if (evidence && !evidence->verdict.signal) out += filled(verdict_text(evidence->verdict), style) + "\n";
  if (evidence && evidence->control) out += filled(control_text(*evidence->control, selection.k), style) + "\n";
  if (selection.k > 0) out += selection_table(selection, arguments.all ? selection.k : kRowsShown, style) + "\n";
  if (const std::string block = groups_text(selection, kRowsShown, style); !block.empty()) out += block + "\n";
  if (const std::string block = stand_ins_text(selection, style); !block.empty()) out += block + "\n";
  if (evidence) {
    out += curve_table(selection, style) + "\n";
    if (!evidence->size_reason.empty() && !evidence->control) {
      out += filled(cat(with_commas(selection.k), ": ", evidence->size_reason, "."), style);
    }
    if (selection.k > 0) out += filled(score_sentence(selection), style);
    if (evidence->verdict.signal) out += filled(verdict_text(evidence->verdict), style);
    if (evidence->stability) out += filled(stability_text(*evidence->stability), style);
  } else if (trained(selection)) {
    out += filled(agreement_text(selection), style);
  }
  out += filled(answer_line(selection), style);
  if (test) out += filled(test_line(*test, selection), style);
  for (const std::string& note : selection.notes) out += filled("Note: " + printable(note), style);
  if (!files.empty()) out += filled("Wrote " + printable(join(files)) + ".", style);
  return out + fmt::format("Took {}, {} of it {}, and at most {} of memory.\n", duration_text(seconds),
                           duration_text(selection.training_seconds), trained(selection) ? "training" : "ranking",
                           byte_text(peak_memory()));
}

void run_select(const SelectArguments& arguments) {
  const auto began = Clock::now();
  require_data(arguments.data, "obverse select data.csv --target churn -k 20");
  const std::vector<Setting> config = arguments.engine.config_settings();
  Outputs outputs(inputs_of(arguments.data, arguments.engine, config, arguments.test));
  outputs.folder("-o", arguments.folder, {"ranking.csv", "curve.csv", "selection.json", "report.html"});
  outputs.file("--transform", arguments.transform);
  const SelectOptions options = arguments.engine.resolved(config);
  require_device(options);
  require_control(options);
  FileSummary summary;
  const ReadOptions how = arguments.data.resolved(config, options.task);
  require_apart(how, options);
  const Dataset data = read(arguments.data.path, how, &summary);
  const std::optional<Dataset> test_data = read_test(arguments.test, how, data);
  if (!arguments.transform.empty()) check_dataset_format(data, arguments.transform);
  if (!arguments.json) print(read_text(arguments.data.path, data, summary));

  const StopInOrder guard;
  const Selection selection = fit_with_progress(options, data);
  std::optional<TestAccuracy> test;
  if (test_data && selection.k > 0) test = test_accuracy(data, *test_data, selection);
  nlohmann::ordered_json tree = selection_tree(selection, data);
  if (arguments.report_data == ReportData::none) leave_out_values(tree);
  tree["data"]["path"] = arguments.data.path;
  tree["data"]["format"] = summary.format;
  tree["notes"] = all_notes(summary, selection.notes);
  tree["request"] = request_json(arguments, config);
  if (test) tree["test"] = test_json(*test, arguments.test.path);
  tree["timings"]["peak_memory_bytes"] = peak_memory();
  const std::vector<std::string> files = write_files(outputs, arguments, data, selection, tree);
  const double seconds = std::chrono::duration<double>(Clock::now() - began).count();
  print(arguments.json ? json_text(tree) : report(arguments, selection, test, files, seconds));
}

}  // namespace

void add_select(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("select", "select the features that carry the information about a target");
  const auto arguments = std::make_shared<SelectArguments>();
  add_data_arguments(verb, arguments->data);
  add_test_arguments(verb, arguments->test, "file with test rows: shows the accuracy with the selected features");
  add_engine_arguments(verb, arguments->engine);
  verb.add_option("-o,--output", arguments->folder, "folder for ranking.csv, curve.csv, selection.json and report.html")
      ->type_name("DIR")
      ->group("Output");
  verb.add_option("--transform", arguments->transform,
                  "write the selected columns and the target: .csv, .tsv, .svm, .npz")
      ->type_name("FILE")
      ->group("Output");
  add_report_data(verb, arguments->report_data);
  verb.add_flag("--json", arguments->json, "print everything as JSON, for programs")->group("Output");
  verb.add_flag("--all", arguments->all, "show every selected feature, not only the first 50")->group("Output");
  finish_help(verb,
              "  obverse select data.csv --target churn\n"
              "  obverse select data.csv --target churn -k 20\n"
              "  obverse select train.npz --rho 5% --effort thorough -o result\n"
              "  obverse select data.csv --target churn -k 20 --method anova\n"
              "  obverse select data.csv --target churn --control pfer=1\n"
              "  obverse select houses.csv --target price -k 10\n"
              "  obverse select genes.csv --task reconstruction -k 50\n"
              "  obverse select images.idx3 --labels labels.idx1 -k 50 --gamma 0.1,1 --seeds 3 --json\n");
  verb.callback([arguments] { run_select(*arguments); });
}

}  // namespace obverse
