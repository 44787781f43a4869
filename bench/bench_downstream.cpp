// The downstream models on one pair of files, for bench/vs_sklearn.py and bench/quality: fit and predict, timed.
//   bench_downstream MODEL TRAIN TEST [--seeds N] [--threads N] [--trees N] [--out FILE]
// MODEL is rf, ert or knn; the files have a variable y with the classes. Prints one line of JSON: for each seed the
// seconds of fit and predict together and the accuracy, then the importances of the first. --out: the predicted classes
// of the last seed, a line each.
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <obverse/obverse.h>

#include "dataset/scaling.h"
#include "downstream/forest.h"
#include "downstream/neighbours.h"
#include "metrics/metrics.h"
#include "support/clock.h"

namespace {

using namespace obverse;
struct Run {
  double fit = 0;
  double predict = 0;
  double accuracy = 0;
  Prediction prediction;
  std::vector<double> importances;
};

// Scaling, where there is any, is part of the fit.
Run run_model(const std::string& model, const Dataset& train, const Dataset& test, const ForestOptions& options,
              Team& team) {
  const std::vector<std::size_t> features = all_features(train);
  Run run;
  const auto start = Clock::now();
  if (model == "knn") {
    const Affine scaling = fit_scaling(train, Scaling::none);
    const NeighbourQuery query{&train, &test, features, &scaling};
    run.prediction = neighbour_prediction(query, target_of(train), team);
    run.predict = seconds_since(start);
  } else {
    const Forest forest(train, features, target_of(train), options, team);
    run.fit = seconds_since(start);
    run.prediction = forest.predict(test, team);
    run.predict = seconds_since(start) - run.fit;
    run.importances = forest.importances();
  }
  run.accuracy = accuracy(target_of(test), run.prediction);
  return run;
}

template <class Get>
std::string list(const std::vector<Run>& runs, Get get) {
  std::string out = "[";
  for (const Run& run : runs) out += (out.size() > 1 ? ", " : "") + std::to_string(get(run));
  return out + "]";
}

}  // namespace

int main(int count, char** words) {
  if (count < 4) {
    std::fprintf(stderr,
                 "usage: bench_downstream rf|ert|knn TRAIN TEST [--seeds N] [--threads N] [--trees N] [--out FILE]\n");
    return 2;
  }
  std::map<std::string, std::string> given;
  for (int i = 4; i + 1 < count; i += 2) given[words[i]] = words[i + 1];
  const auto number = [&](const char* name, int otherwise) {
    return given.contains(name) ? std::stoi(given[name]) : otherwise;
  };
  const std::string model = words[1];
  const Dataset train = read(words[2], {.target = "y"});
  const Dataset test = read_like(words[3], train, {.target = "y"});
  std::vector<Run> runs;
  Team team(static_cast<std::size_t>(number("--threads", 2)));
  for (int seed = 0; seed < number("--seeds", 1); ++seed) {
    ForestOptions options =
        model == "rf" ? random_forest(static_cast<std::uint64_t>(seed)) : extra_trees(static_cast<std::uint64_t>(seed));
    options.trees = static_cast<std::size_t>(number("--trees", 100));
    runs.push_back(run_model(model, train, test, options, team));
  }
  if (given.contains("--out")) {
    std::ofstream out(given["--out"]);
    for (std::size_t r = 0; r < test.rows(); ++r) {
      out << test.class_names()[static_cast<std::size_t>(runs.back().prediction.label(r))] << '\n';
    }
  }
  std::ostringstream importances;
  importances.precision(12);
  for (const double x : runs.front().importances) importances << (importances.tellp() > 0 ? ", " : "") << x;
  std::printf("{\"fit\": %s, \"predict\": %s, \"accuracy\": %s, \"importances\": [%s]}\n",
              list(runs, [](const Run& r) { return r.fit; }).c_str(),
              list(runs, [](const Run& r) { return r.predict; }).c_str(),
              list(runs, [](const Run& r) { return r.accuracy; }).c_str(), importances.str().c_str());
  return 0;
}
