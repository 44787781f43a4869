// obverse transform: the columns that a ranking puts first, as a file.
#include <memory>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/writer.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "stop.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/writers.h"

namespace obverse {
namespace {

struct TransformArguments {
  DataArguments data;
  EngineArguments engine;  ///< holds -k, --task and --max-memory
  std::string ranking;
  std::string output;
};

std::size_t asked_count(const TransformArguments& arguments, std::size_t ranked) {
  const SelectOptions options = arguments.engine.resolved();
  if (options.k == 0) throw Error(Fault::usage, "-k: expected how many features of the ranking to keep, found none");
  const auto k = static_cast<std::size_t>(options.k);
  if (k > ranked) {
    throw Error(Fault::usage, cat("-k: expected at most ", ranked, ", the features in ", printable(arguments.ranking),
                                  "; found ", k));
  }
  return k;
}

void run_transform(const TransformArguments& arguments) {
  require_data(arguments.data, "obverse transform data.csv --ranking ranking.csv -k 20 -o reduced.csv");
  if (arguments.ranking.empty()) throw Error(Fault::usage, "expected --ranking FILE, as `obverse select -o` writes it");
  if (arguments.output.empty()) throw Error(Fault::usage, "expected -o FILE, the name of the reduced data");
  Outputs outputs(inputs_of(arguments.data, arguments.engine).file(arguments.ranking));
  outputs.file("-o", arguments.output);
  const std::vector<std::string> ranked = read_ranking(arguments.ranking);
  const std::size_t k = asked_count(arguments, ranked.size());
  ReadOptions how = arguments.data.resolved({}, arguments.engine.resolved().task);
  how.target_required = false;
  const Dataset data = read(arguments.data.path, how);
  const auto features = features_named(data, std::span(ranked).first(k), arguments.data.path, arguments.ranking);

  const StopInOrder guard;
  FileGroup group(outputs);
  write_dataset(data, features, group.add(arguments.output));
  check_stop();
  group.commit();
  print(fmt::format("Wrote {}: {} rows, {} features{}.\n", printable(arguments.output), with_commas(data.rows()),
                    with_commas(k), data.has_target() ? " and the target" : ""));
}

}  // namespace

void add_transform(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("transform", "write a data set with the first columns of a ranking only");
  const auto arguments = std::make_shared<TransformArguments>();
  add_data_arguments(verb, arguments->data);
  verb.add_option("--ranking", arguments->ranking, "ranking.csv of `obverse select -o`; columns are found by name")
      ->type_name("FILE")
      ->group("Selection");
  add_engine_argument(verb, arguments->engine, "k");
  add_engine_argument(verb, arguments->engine, "task");
  add_engine_argument(verb, arguments->engine, "max_memory");
  verb.add_option("-o,--output", arguments->output, "file to write: .csv, .tsv, .svm (each also .gz) or .npz")
      ->type_name("FILE")
      ->group("Output");
  finish_help(verb, "  obverse transform data.csv --target churn --ranking result/ranking.csv -k 20 -o reduced.csv\n");
  verb.callback([arguments] { run_transform(*arguments); });
}

}  // namespace obverse
