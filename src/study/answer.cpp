#include "study/answer.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>

#include <obverse/error.h>

#include "evaluation/summary.h"

namespace obverse {
namespace {

/// A cell without its method.
using Place = std::tuple<std::size_t, std::size_t, Classifier>;

std::map<Place, std::size_t> cells_of(const std::vector<CellFinding>& cells, std::size_t method) {
  std::map<Place, std::size_t> found;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].method == method) found[{cells[c].set, cells[c].size, cells[c].classifier}] = c;
  }
  return found;
}

std::size_t method_named(const Plan& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.methods.begin(), plan.methods.end(), [&](const auto& m) { return m.name == name; });
  return static_cast<std::size_t>(found - plan.methods.begin());
}

/// Sets of the plan, missing ones too, that both methods are for.
std::size_t shared_sets(const Plan& plan, const ComparisonFinding& comparison) {
  std::set<std::string> names;
  for (const PlanSet& set : plan.sets) {
    const bool both =
        runs_on(plan.methods[comparison.first], set.name) && runs_on(plan.methods[comparison.second], set.name);
    if (both) names.insert(set.name);
  }
  return names.size();
}

void add(const std::vector<CellFinding>& cells, std::size_t first, std::size_t second, ComparisonFinding& comparison) {
  const CellFinding& a = cells[first];
  const CellFinding& b = cells[second];
  const double difference = a.mean - b.mean;
  const bool paired = a.accuracy.size() == b.accuracy.size();
  comparison.cells.push_back({first, second, difference, paired ? paired_t_test(a.accuracy, b.accuracy) : 1});
  comparison.won += difference > 0 ? 1 : 0;
  comparison.lost += difference < 0 ? 1 : 0;
  comparison.tied += difference == 0 ? 1 : 0;
  comparison.steadier += a.deviation < b.deviation ? 1 : 0;
  comparison.rougher += a.deviation > b.deviation ? 1 : 0;
  comparison.first_mean += a.mean;
  comparison.second_mean += b.mean;
}

}  // namespace

std::vector<double> validation_merits(std::span<const std::vector<ModelMerit>> runs, std::size_t k) {
  std::map<std::size_t, std::vector<double>> accuracies;  // of each k, by model
  for (const std::vector<ModelMerit>& run : runs) {
    for (const ModelMerit& merit : run) {
      std::vector<double>& models = accuracies[merit.k];
      if (merit.model >= models.size()) models.resize(merit.model + 1);
      models[merit.model] += merit.accuracy / static_cast<double>(runs.size());
    }
  }
  const auto own = accuracies.find(k);
  if (own == accuracies.end()) throw Error(Fault::internal, cat("no model was judged with k = ", k));
  const auto& fewer = own == accuracies.begin() ? own->second : std::prev(own)->second;
  const auto& more = std::next(own) == accuracies.end() ? own->second : std::next(own)->second;
  std::vector<double> merits(own->second.size());
  for (std::size_t m = 0; m < merits.size(); ++m) merits[m] = 0.5 * own->second[m] + 0.25 * (fewer[m] + more[m]);
  return merits;
}

std::size_t answering_model(Pick pick, std::span<const std::vector<ModelMerit>> runs, std::size_t run, std::size_t k) {
  if (pick == Pick::gamma) {
    const std::vector<double> merits = validation_merits(runs, k);
    return static_cast<std::size_t>(std::max_element(merits.begin(), merits.end()) - merits.begin());
  }
  const auto is_chosen = [&](const ModelMerit& merit) { return merit.k == k && merit.chosen; };
  const auto chosen = std::find_if(runs[run].begin(), runs[run].end(), is_chosen);
  if (chosen == runs[run].end()) throw Error(Fault::internal, cat("no model of run ", run, " answers for k = ", k));
  return chosen->model;
}

void summarise(CellFinding& cell) {
  const Spread spread = spread_of(cell.accuracy);
  cell.mean = spread.mean;
  cell.deviation = spread.deviation;
}

std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<CellFinding>& cells) {
  std::vector<ComparisonFinding> comparisons;
  for (const PlanComparison& asked : plan.comparisons) {
    ComparisonFinding comparison{.title = asked.title,
                                 .first = method_named(plan, asked.first),
                                 .second = method_named(plan, asked.second),
                                 .cells = {}};
    comparison.planned = shared_sets(plan, comparison) * (plan.evaluate.k.size() + plan.evaluate.rho.size()) *
                         plan.evaluate.classifiers.size();
    const std::map<Place, std::size_t> second = cells_of(cells, comparison.second);
    for (const auto& [place, first] : cells_of(cells, comparison.first)) {
      if (const auto found = second.find(place); found != second.end()) add(cells, first, found->second, comparison);
    }
    const auto count = static_cast<double>(std::max<std::size_t>(1, comparison.cells.size()));
    comparison.first_mean /= count;
    comparison.second_mean /= count;
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace obverse
