#include "study/answer.h"

#include <algorithm>
#include <map>
#include <tuple>

#include <obverse/error.h>

#include "evaluation/summary.h"

namespace obverse {
namespace {

/// A cell without its method.
using Place = std::tuple<std::size_t, double, Classifier>;

std::map<Place, std::size_t> cells_of(const std::vector<CellFinding>& cells, std::size_t method) {
  std::map<Place, std::size_t> found;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].method == method) found[{cells[c].set, cells[c].rho, cells[c].classifier}] = c;
  }
  return found;
}

std::size_t method_named(const Plan& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.methods.begin(), plan.methods.end(), [&](const auto& m) { return m.name == name; });
  return static_cast<std::size_t>(found - plan.methods.begin());
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

std::vector<double> mean_merits(std::span<const std::vector<ModelMerit>> runs, std::size_t k) {
  std::vector<double> sums;
  for (const std::vector<ModelMerit>& run : runs) {
    for (const ModelMerit& merit : run) {
      if (merit.k != k) continue;
      if (merit.model >= sums.size()) sums.resize(merit.model + 1);
      sums[merit.model] += merit.merit;
    }
  }
  for (double& sum : sums) sum /= static_cast<double>(runs.size());
  return sums;
}

std::size_t answering_model(Pick pick, std::span<const std::vector<ModelMerit>> runs, std::size_t run, std::size_t k) {
  if (pick == Pick::gamma) {
    const std::vector<double> merits = mean_merits(runs, k);
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

std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<CellFinding>& cells, std::size_t sets) {
  std::vector<ComparisonFinding> comparisons;
  for (const PlanComparison& asked : plan.comparisons) {
    ComparisonFinding comparison{.title = asked.title,
                                 .first = method_named(plan, asked.first),
                                 .second = method_named(plan, asked.second),
                                 .cells = {}};
    comparison.planned = sets * (plan.evaluate.k.size() + plan.evaluate.rho.size()) * plan.evaluate.classifiers.size();
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
