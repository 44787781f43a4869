#include "study/answer.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <tuple>

#include <obverse/error.h>

#include "experiment/statistics.h"

namespace obverse {
namespace {

/// A cell without its method.
using Place = std::tuple<std::size_t, std::size_t, std::string>;

Place place_of(const CellFinding& cell) { return {cell.set, cell.size, cell.classifier}; }

std::map<Place, std::size_t> cells_of(const std::vector<CellFinding>& cells, std::size_t method) {
  std::map<Place, std::size_t> found;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    if (cells[c].method == method) found[place_of(cells[c])] = c;
  }
  return found;
}

std::size_t method_named(const Plan& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.methods.begin(), plan.methods.end(), [&](const auto& m) { return m.name == name; });
  return static_cast<std::size_t>(found - plan.methods.begin());
}

/// What two cells have of the runs that both of them have.
struct Pairs {
  std::vector<double> first;
  std::vector<double> second;
};

Pairs pairs_of(const CellFinding& a, const CellFinding& b) {
  Pairs pairs;
  for (std::size_t i = 0; i < a.runs.size(); ++i) {
    const auto found = std::lower_bound(b.runs.begin(), b.runs.end(), a.runs[i]);
    if (found == b.runs.end() || *found != a.runs[i]) continue;
    pairs.first.push_back(a.accuracy[i]);
    pairs.second.push_back(b.accuracy[static_cast<std::size_t>(found - b.runs.begin())]);
  }
  return pairs;
}

/// Sums of shares of the same answers differ by whole answers, or by rounding alone.
Outcome outcome_of(const Pairs& pairs, std::size_t answers) {
  double more = 0;
  for (std::size_t i = 0; i < pairs.first.size(); ++i) more += pairs.first[i] - pairs.second[i];
  constexpr double kRounding = 1e-12;
  const double least = answers > 0 ? 0.5 / static_cast<double>(answers) : kRounding;
  if (std::fabs(more) < least) return Outcome::tied;
  return more > 0 ? Outcome::won : Outcome::lost;
}

void add(const std::vector<CellFinding>& cells, std::size_t first, std::size_t second, const ComparedSet& set,
         ComparisonFinding& comparison) {
  const CellFinding& a = cells[first];
  const CellFinding& b = cells[second];
  const Pairs pairs = pairs_of(a, b);
  if (pairs.first.empty()) return;
  const PairedDifference found = paired_difference(pairs.first, pairs.second, set.overlap);
  const Outcome outcome = outcome_of(pairs, set.answers);
  comparison.cells.push_back({.first = first,
                              .second = second,
                              .difference = found.mean,
                              .low = found.low,
                              .high = found.high,
                              .p = outcome == Outcome::tied ? 1 : found.p,
                              .outcome = outcome});
  comparison.won += outcome == Outcome::won ? 1 : 0;
  comparison.lost += outcome == Outcome::lost ? 1 : 0;
  comparison.tied += outcome == Outcome::tied ? 1 : 0;
  comparison.steadier += a.deviation < b.deviation ? 1 : 0;
  comparison.rougher += a.deviation > b.deviation ? 1 : 0;
  comparison.first_mean += a.mean;
  comparison.second_mean += b.mean;
}

/// Of many tests some are passed by chance: each has to be surer the more there are.
void correct(std::vector<ComparedCell>& cells) {
  std::vector<double> p;
  for (const ComparedCell& cell : cells) p.push_back(cell.p);
  const std::vector<double> corrected = holm(p);
  for (std::size_t c = 0; c < cells.size(); ++c) cells[c].sure_p = corrected[c];
}

}  // namespace

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

void summarise(CellFinding& cell) {
  const Spread spread = spread_of(cell.accuracy);
  cell.mean = spread.mean;
  cell.deviation = spread.deviation;
}

std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<ComparedSet>& sets,
                                       const std::vector<CellFinding>& cells) {
  std::vector<ComparisonFinding> comparisons;
  for (const PlanComparison& asked : plan.comparisons) {
    ComparisonFinding comparison{.title = asked.title,
                                 .first = method_named(plan, asked.first),
                                 .second = method_named(plan, asked.second),
                                 .cells = {}};
    const std::map<Place, std::size_t> second = cells_of(cells, comparison.second);
    for (std::size_t first = 0; first < cells.size(); ++first) {
      if (cells[first].method != comparison.first) continue;
      const auto found = second.find(place_of(cells[first]));
      if (found != second.end()) add(cells, first, found->second, sets[cells[first].set], comparison);
    }
    correct(comparison.cells);
    const auto count = static_cast<double>(std::max<std::size_t>(1, comparison.cells.size()));
    comparison.first_mean /= count;
    comparison.second_mean /= count;
    comparisons.push_back(std::move(comparison));
  }
  return comparisons;
}

}  // namespace obverse
