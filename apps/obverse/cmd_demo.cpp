// obverse demo: the whole path on data made here, whose true features are known.
#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include <obverse/generate.h>
#include <obverse/selector.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "report/selection.h"
#include "selection/requirements.h"
#include "stop.h"
#include "support/json.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

constexpr std::size_t kPixels = 16;

struct DemoArguments {
  EngineArguments engine;
  std::string folder = "obverse-demo";
};

struct Outcome {
  Selection selection;
  std::size_t found = 0;  ///< true features among the selected
};

bool is_true(const GeneratedData& made, std::size_t feature) {
  return std::binary_search(made.true_features.begin(), made.true_features.end(), feature);
}

Outcome select_from(const GeneratedData& generated, SelectOptions options, std::size_t k) {
  options.k = static_cast<int>(k);
  options.rho = 0;
  Outcome outcome{.selection = fit_with_progress(options, generated.data)};
  const auto top = outcome.selection.ranking.top(k);
  outcome.found =
      static_cast<std::size_t>(std::count_if(top.begin(), top.end(), [&](auto f) { return is_true(generated, f); }));
  return outcome;
}

/// Files to go on with: the ranking, the selection with the truth, its report and the data it was made from.
void write_files(const Outputs& outputs, const std::string& folder, const GeneratedData& made,
                 const Selection& selection) {
  nlohmann::ordered_json tree = selection_tree(selection, made.data);
  tree["data"]["path"] = folder + "/data.csv";
  tree["data"]["true_features"] = nlohmann::ordered_json::array();
  for (const std::size_t feature : made.true_features) tree["data"]["true_features"].push_back(feature + 1);
  FileGroup group(outputs);
  group.make_folder(folder);
  group.add(folder + "/ranking.csv").write(ranking_csv(selection));
  group.add(folder + "/curve.csv").write(curve_csv(selection.evidence ? &*selection.evidence : nullptr, selection.k));
  group.add(folder + "/selection.json").write(json_text(tree));
  group.add(folder + "/report.html").write(page_html(selection_page(tree)));
  write_dataset(made.data, all_features(made.data), group.add(folder + "/data.csv"));
  check_stop();
  group.commit();
}

/// The table of the selection with one more column: what each feature really is.
std::string table_with_truth(const GeneratedData& made, const Selection& selection, const TextStyle& style) {
  std::vector<std::string> lines = split_text(selection_table(selection, selection.k, style), '\n');
  lines[0] += "  truth";
  for (std::size_t i = 0; i < selection.k; ++i) {
    lines[i + 1] += is_true(made, selection.ranking.order[i]) ? "  true" : "  noise";
  }
  return join(lines, "\n");
}

Outcome show_madelon(const GeneratedData& made, const SelectOptions& options, const TextStyle& style) {
  const Dataset& data = made.data;
  const std::size_t k = made.true_features.size();
  print(filled(fmt::format("1. A puzzle like madelon: {} rows, {} features, {} classes. {} features tell the classes "
                           "apart, none of them alone; the other {} are noise.",
                           with_commas(data.rows()), data.features(), data.classes(), k, data.features() - k),
               style));
  Outcome outcome = select_from(made, options, k);
  print("\n" + table_with_truth(made, outcome.selection, style) + "\n");
  const double chance = static_cast<double>(k) * static_cast<double>(k) / static_cast<double>(data.features());
  print(filled(fmt::format("Found {} of the {} true features among the first {}; chance would find {:.1f}. Judged {} "
                           "candidates in {}.",
                           outcome.found, k, k, chance, outcome.selection.models.size(),
                           duration_text(outcome.selection.training_seconds)),
               style));
  return outcome;
}

void show_digits(const GeneratedData& made, const SelectOptions& options, const TextStyle& style) {
  const Dataset& data = made.data;
  print(filled(fmt::format("\n2. Drawn digits: {} pictures of {} x {} pixels, {} classes; {} of the {} pixels change "
                           "with the class.",
                           with_commas(data.rows()), data.image_shape()->height, data.image_shape()->width,
                           data.classes(), made.true_features.size(), data.features()),
               style));
  const std::size_t k = std::min(kPixels, made.true_features.size());
  const Outcome outcome = select_from(made, not_repeated(options), k);
  print("\n" + selection_picture(data, outcome.selection, style) + "\n");
  print(filled(fmt::format("{} of the {} selected pixels are true ones. Judged {} candidates in {}.", outcome.found, k,
                           outcome.selection.models.size(), duration_text(outcome.selection.training_seconds)),
               style));
}

void run_demo(const DemoArguments& arguments) {
  Outputs outputs{Inputs()};
  outputs.folder("-o", arguments.folder, {"ranking.csv", "curve.csv", "selection.json", "report.html", "data.csv"});
  const SelectOptions options = arguments.engine.resolved({}, Effort::quick);
  require_device(options);
  const TextStyle style = output_style();
  const StopInOrder guard;
  const GeneratedData puzzle = madelon_like({.seed = options.seed});
  const Outcome outcome = show_madelon(puzzle, options, style);
  show_digits(drawn_digits({.seed = options.seed}), options, style);
  write_files(outputs, arguments.folder, puzzle, outcome.selection);
  print(
      fmt::format("\nWrote {0}/ranking.csv, curve.csv, selection.json and data.csv. Go on with\n\n"
                  "    obverse select {0}/data.csv --target {1} -k 20\n\n"
                  "The report of the puzzle, to open in a browser: {0}/report.html\n",
                  printable(arguments.folder), printable(puzzle.data.target_name())));
}

}  // namespace

void add_demo(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("demo", "make data, select from it, and compare with the truth");
  const auto arguments = std::make_shared<DemoArguments>();
  add_engine_argument(verb, arguments->engine, "effort");
  add_engine_argument(verb, arguments->engine, "seed");
  add_engine_argument(verb, arguments->engine, "threads");
  add_engine_argument(verb, arguments->engine, "device");
  add_engine_argument(verb, arguments->engine, "max_memory");
  verb.get_option("--effort")->default_str("quick");
  verb.add_option("-o,--output", arguments->folder,
                  "folder for ranking.csv, curve.csv, selection.json, report.html and data.csv")
      ->type_name("DIR")
      ->default_str("obverse-demo")
      ->group("Output");
  finish_help(verb, "  obverse demo --seed 7\n");
  verb.callback([arguments] { run_demo(*arguments); });
}

}  // namespace obverse
