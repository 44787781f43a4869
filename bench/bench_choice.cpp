// Every candidate of a sweep with what each judge thinks of it and what it is worth on test rows, for
// bench/quality/choice.py.
//   bench_choice TRAIN TEST EFFORT SEED THREADS k,k,... [option=value ...]
// Prints one line of JSON: for each k, for each model: recipe, gamma, seed, merits by judge, test accuracy of rf, ert,
// knn.
#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

#include <obverse/obverse.h>

#include "dataset/scaling.h"
#include "downstream/forest.h"
#include "downstream/neighbours.h"
#include "metrics/metrics.h"
#include "options/settings.h"
#include "selection/choice.h"

namespace {

using namespace obverse;

struct Worth {
  double rf, ert, knn;
};

Worth worth(const Dataset& train, const Dataset& test, const Affine& scaling, std::span<const std::size_t> features,
            Team& team) {
  const Target target = target_of(train);
  const Target truth = target_of(test);
  const NeighbourQuery query{&train, &test, features, &scaling};
  return {accuracy(truth, Forest(train, features, target, random_forest(1), team).predict(test, team)),
          accuracy(truth, Forest(train, features, target, extra_trees(1), team).predict(test, team)),
          accuracy(truth, neighbour_prediction(query, target, team))};
}

}  // namespace

int main(int count, char** words) {
  if (count < 7) {
    std::fprintf(stderr, "bench_choice TRAIN TEST quick|normal|thorough SEED THREADS k,k,... [option=value ...]\n");
    return 2;
  }
  std::vector<Setting> settings{{.name = "effort", .text = words[3], .where = "EFFORT"},
                                {.name = "seed", .text = words[4], .where = "SEED"},
                                {.name = "threads", .text = words[5], .where = "THREADS"}};
  for (int i = 7; i < count; ++i) {
    const std::string word = words[i];
    const std::size_t at = word.find('=');
    settings.push_back({.name = word.substr(0, at), .text = word.substr(at + 1), .where = word});
  }
  SelectOptions options = not_repeated(select_options({}, settings));
  const auto threads = static_cast<std::size_t>(options.threads);
  const Dataset data = read(words[1], {.target = "y"});
  const Dataset test = read_like(words[2], data, {.target = "y"});
  std::vector<std::size_t> ks;
  std::istringstream list(words[6]);
  for (std::string k; std::getline(list, k, ',');) ks.push_back(std::stoul(k));
  options.k = static_cast<int>(ks.front());
  const Selection selection = Selector(options).fit(data);
  const auto [fit, held] = split(data, {options.validation_fraction, options.seed});
  const Models& candidates = selection.models;
  const Affine scaling = fit_scaling(data, Scaling::automatic);
  Team team(threads);
  std::printf("{\"training_seconds\": %.2f, \"answers\": [", selection.training_seconds);
  for (std::size_t i = 0; i < ks.size(); ++i) {
    std::vector<std::vector<Merit>> merits;
    for (const Choice choice : {Choice::network, Choice::ert, Choice::knn}) {
      merits.push_back(judge(fit, held, candidates, {.k = ks[i], .choice = choice, .threads = threads}, {}));
    }
    std::printf("%s{\"k\": %zu, \"models\": [", i == 0 ? "" : ", ", ks[i]);
    for (std::size_t c = 0; c < candidates.size(); ++c) {
      const Worth w = worth(data, test, scaling, std::span(candidates[c]->order).first(ks[i]), team);
      std::printf(
          "%s{\"recipe\": \"%s\", \"gamma\": %g, \"seed\": %d, \"network\": %.5f, \"ert\": %.5f, \"knn\": %.5f, "
          "\"test\": [%.5f, %.5f, %.5f]}",
          c == 0 ? "" : ", ", candidates[c]->recipe.c_str(), candidates[c]->gamma,
          static_cast<int>(candidates[c]->seed), merits[0][c].merit, merits[1][c].merit, merits[2][c].merit, w.rf,
          w.ert, w.knn);
    }
    std::printf("]}");
  }
  std::printf("]}\n");
  return 0;
}
