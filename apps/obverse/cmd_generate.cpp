// obverse generate: a data set made here, and which of its features are true.
#include <algorithm>
#include <array>
#include <memory>

#include <fmt/format.h>

#include <obverse/error.h>
#include <obverse/generate.h>
#include <obverse/writer.h>

#include "arguments.h"
#include "commands.h"
#include "help.h"
#include "stop.h"
#include "support/text.h"
#include "terminal.h"
#include "writers/csv.h"
#include "writers/writers.h"

namespace obverse {
namespace {

struct GenerateArguments {
  std::string set;
  EngineArguments engine;      ///< holds --seed
  std::vector<Setting> sizes;  ///< as they were typed
  std::string pictures;
  std::string labels;
  std::string output;
  std::string truth;
};

/// What may be said about the size of a set.
struct Size {
  std::string name;
  double least;
  std::string help;
};

const std::vector<Size>& known_sizes() {
  static const std::vector<Size> kSizes = [] {
    const MadelonOptions madelon;
    const FournineOptions fournine;
    return std::vector<Size>{
        {"rows", 1,
         cat("rows [madelon ", madelon.rows, ", digits ", DigitsOptions{}.rows, ", fournine ", fournine.rows,
             ", shapes ", ShapesOptions{}.rows, "]")},
        {"informative", 1, cat("madelon: dimensions of the hypercube [", madelon.informative, "]")},
        {"combinations", 0,
         cat("madelon: linear combinations of the informative features [", madelon.combinations, "]")},
        {"pixels", 1, cat("fournine: pixels of the middle of the upper part [", fournine.pixels, "]")},
        {"products", 0, cat("fournine: products of pairs of these pixels [", fournine.products, "]")},
        {"probes", 0,
         cat("features without information [madelon ", madelon.probes, ", fournine ", fournine.probes, ", shapes ",
             ShapesOptions{}.probes, "]")},
    };
  }();
  return kSizes;
}

/// The sizes that were typed, each taken by the set it is for.
class TypedSizes {
 public:
  explicit TypedSizes(std::vector<Setting> typed) : left_(std::move(typed)) {}

  void take(std::string_view name, std::size_t& value) {
    const auto typed = std::find_if(left_.begin(), left_.end(), [&](const Setting& s) { return s.name == name; });
    if (typed == left_.end()) return;
    const auto& known = known_sizes();
    const auto size = std::find_if(known.begin(), known.end(), [&](const Size& s) { return s.name == name; });
    int number = 0;  // the bounds of an int keep what is asked for within a machine's reach
    assign(*typed, number, at_least(size->least));
    value = static_cast<std::size_t>(number);
    left_.erase(typed);
  }

  void refuse_the_rest(const std::string& set) const {
    if (left_.empty()) return;
    throw Error(Fault::usage, cat(left_.front().where, ": the set ", set, " has no such size"));
  }

 private:
  std::vector<Setting> left_;
};

GeneratedData make_madelon(const GenerateArguments&, TypedSizes& sizes, std::uint64_t seed) {
  MadelonOptions options{.seed = seed};
  sizes.take("rows", options.rows);
  sizes.take("informative", options.informative);
  sizes.take("combinations", options.combinations);
  sizes.take("probes", options.probes);
  sizes.refuse_the_rest("madelon");
  return madelon_like(options);
}

GeneratedData make_digits(const GenerateArguments&, TypedSizes& sizes, std::uint64_t seed) {
  DigitsOptions options{.seed = seed};
  sizes.take("rows", options.rows);
  sizes.refuse_the_rest("digits");
  return drawn_digits(options);
}

GeneratedData make_fournine(const GenerateArguments& arguments, TypedSizes& sizes, std::uint64_t seed) {
  FournineOptions options{.seed = seed};
  sizes.take("rows", options.rows);
  sizes.take("pixels", options.pixels);
  sizes.take("products", options.products);
  sizes.take("probes", options.probes);
  sizes.refuse_the_rest("fournine");
  if (arguments.pictures.empty()) return fournine(options);
  const Dataset pictures = read(arguments.pictures, {.labels = arguments.labels, .target_required = false});
  try {
    return fournine(pictures, options);
  } catch (const Error& error) {
    throw Error(error.fault(), cat(printable(arguments.pictures), ": ", error.what()));
  }
}

template <Shapes kShapes>
GeneratedData make_shapes(const GenerateArguments& arguments, TypedSizes& sizes, std::uint64_t seed) {
  ShapesOptions options{.shapes = kShapes, .seed = seed};
  sizes.take("rows", options.rows);
  sizes.take("probes", options.probes);
  sizes.refuse_the_rest(arguments.set);
  return shapes(options);
}

struct Set {
  std::string_view name;
  GeneratedData (*make)(const GenerateArguments&, TypedSizes&, std::uint64_t);
};

constexpr auto kSets = std::to_array<Set>({{"madelon", make_madelon},
                                           {"digits", make_digits},
                                           {"fournine", make_fournine},
                                           {"xor", make_shapes<Shapes::only_xor>},
                                           {"ring", make_shapes<Shapes::ring>},
                                           {"ring-xor", make_shapes<Shapes::ring_xor>},
                                           {"ring-xor-sum", make_shapes<Shapes::ring_xor_sum>}});

const Set& find_set(const std::string& name) {
  const auto found = std::find_if(kSets.begin(), kSets.end(), [&](const Set& set) { return set.name == name; });
  if (found != kSets.end()) return *found;
  std::array<std::string_view, kSets.size()> known;
  std::transform(kSets.begin(), kSets.end(), known.begin(), [](const Set& set) { return set.name; });
  throw Error(Fault::usage, cat("expected the name of a set, ", alternatives(known), ", found ",
                                name.empty() ? "none" : cat("'", printable(name), "'"),
                                "; as in obverse generate madelon -o data.csv"));
}

void check_arguments(const GenerateArguments& arguments) {
  if (arguments.output.empty()) throw Error(Fault::usage, "expected -o FILE, the name of the data file");
  if (!arguments.pictures.empty() && arguments.set != "fournine") {
    throw Error(Fault::usage, "--pictures: only the set fournine is made of pictures");
  }
  if (!arguments.labels.empty() && arguments.pictures.empty()) {
    throw Error(Fault::usage, "--labels: expected --pictures beside it");
  }
}

/// A line for each feature, in the order of the columns.
std::string truth_csv(const GeneratedData& made) {
  std::string text = "feature,name,truth\n";
  auto next = made.true_features.begin();
  for (std::size_t f = 0; f < made.data.features(); ++f) {
    const bool is_true = next != made.true_features.end() && *next == f;
    if (is_true) ++next;
    text += cat(f + 1, ',', csv_field(made.data.feature_names()[f]), is_true ? ",true\n" : ",noise\n");
  }
  return text;
}

void run_generate(const GenerateArguments& arguments) {
  const Set& set = find_set(arguments.set);
  check_arguments(arguments);
  Outputs outputs(Inputs().files({arguments.pictures, arguments.labels}));
  outputs.file("-o", arguments.output).file("--truth", arguments.truth);
  const StopInOrder guard;
  TypedSizes sizes(arguments.sizes);
  const GeneratedData made = set.make(arguments, sizes, arguments.engine.resolved().seed);
  const Dataset& data = made.data;
  FileGroup group(outputs);
  write_dataset(data, all_features(data), group.add(arguments.output));
  if (!arguments.truth.empty()) group.add(arguments.truth).write(truth_csv(made));
  check_stop();
  group.commit();
  print(fmt::format("Wrote {}: {} rows, {} features, {} of them true; the target is '{}'.\n",
                    printable(arguments.output), with_commas(data.rows()), with_commas(data.features()),
                    with_commas(made.true_features.size()), data.target_name()));
  if (!arguments.truth.empty()) print(fmt::format("Wrote {}: which ones.\n", printable(arguments.truth)));
}

}  // namespace

void add_generate(CLI::App& app) {
  CLI::App& verb = *app.add_subcommand("generate", "make a data set whose true features are known");
  const auto arguments = std::make_shared<GenerateArguments>();
  verb.add_option("SET", arguments->set,
                  "madelon: a puzzle like XOR; digits: drawn digits; fournine: pixels of fours and nines and products "
                  "of pairs of them; xor, ring, ring-xor, ring-xor-sum: shapes, pairs of features that tell nothing "
                  "alone");
  for (const Size& size : known_sizes()) {
    const std::string flag = cat("--", size.name);
    const auto take = [arguments, size, flag](const std::string& text) {
      arguments->sizes.push_back({.name = size.name, .text = text, .where = flag});
    };
    verb.add_option_function<std::string>(flag, take, size.help)
        ->type_name("N")
        ->multi_option_policy(CLI::MultiOptionPolicy::Throw)
        ->group("Data");
  }
  verb.add_option("--pictures", arguments->pictures,
                  "fournine: a file with pictures of the classes 4 and 9, such as MNIST, instead of drawn ones")
      ->type_name("FILE")
      ->group("Data");
  verb.add_option("--labels", arguments->labels, "labels of the pictures, where they do not stand beside them")
      ->type_name("FILE")
      ->group("Data");
  add_engine_argument(verb, arguments->engine, "seed");
  verb.get_option("--seed")->description("same seed, same data")->group("Data");
  verb.add_option("-o,--output", arguments->output, "file to write: .csv, .tsv, .svm (each also .gz) or .npz")
      ->type_name("FILE")
      ->group("Output");
  verb.add_option("--truth", arguments->truth, "CSV file that says for each feature whether it is true or noise")
      ->type_name("FILE")
      ->group("Output");
  finish_help(verb,
              "  obverse generate madelon -o data.csv --truth truth.csv\n"
              "  obverse generate fournine --rows 6000 --pixels 150 --products 2350 --probes 2500 -o large.npz\n");
  verb.callback([arguments] { run_generate(*arguments); });
}

}  // namespace obverse
