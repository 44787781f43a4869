#include "study/answer.h"

#include <algorithm>
#include <iterator>
#include <map>

#include <obverse/error.h>

namespace obverse {

std::vector<double> validation_merits(std::span<const ModelMerit> run, std::size_t k) {
  std::map<std::size_t, std::vector<double>> accuracies;  // of each k, by model
  for (const ModelMerit& merit : run) {
    std::vector<double>& models = accuracies[merit.k];
    if (merit.model >= models.size()) models.resize(merit.model + 1);
    models[merit.model] = merit.accuracy;
  }
  const auto own = accuracies.find(k);
  if (own == accuracies.end()) throw Error(Fault::internal, cat("no model was judged with k = ", k));
  const auto& fewer = own == accuracies.begin() ? own->second : std::prev(own)->second;
  const auto& more = std::next(own) == accuracies.end() ? own->second : std::next(own)->second;
  std::vector<double> merits(own->second.size());
  for (std::size_t m = 0; m < merits.size(); ++m) merits[m] = 0.5 * own->second[m] + 0.25 * (fewer[m] + more[m]);
  return merits;
}

std::size_t answering_model(Pick pick, std::span<const ModelMerit> run, std::size_t k) {
  if (pick == Pick::gamma) {
    const std::vector<double> merits = validation_merits(run, k);
    return static_cast<std::size_t>(std::max_element(merits.begin(), merits.end()) - merits.begin());
  }
  const auto is_chosen = [&](const ModelMerit& merit) { return merit.k == k && merit.chosen; };
  const auto chosen = std::find_if(run.begin(), run.end(), is_chosen);
  if (chosen == run.end()) throw Error(Fault::internal, cat("no model answers for k = ", k));
  return chosen->model;
}

}  // namespace obverse
