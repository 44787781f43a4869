#include "experiment/cells.h"

#include <algorithm>
#include <cmath>
#include <tuple>

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
Outcome outcome_of(const Pairs& pairs, const ComparedSet& set) {
  double more = 0;
  for (std::size_t i = 0; i < pairs.first.size(); ++i) more += pairs.first[i] - pairs.second[i];
  constexpr double kRounding = 1e-12;
  const double least = set.answers > 0 ? 0.5 / static_cast<double>(set.answers) : kRounding;
  if (std::fabs(more) < least) return Outcome::tied;
  return (more > 0) == set.larger_is_better ? Outcome::won : Outcome::lost;
}

void add(const std::vector<CellFinding>& cells, std::size_t first, std::size_t second, const ComparedSet& set,
         ComparisonFinding& comparison) {
  const CellFinding& a = cells[first];
  const CellFinding& b = cells[second];
  const Pairs pairs = pairs_of(a, b);
  if (pairs.first.empty()) return;
  const PairedDifference found = paired_difference(pairs.first, pairs.second, set.overlap);
  const Outcome outcome = outcome_of(pairs, set);
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
  p.reserve(cells.size());
  for (const ComparedCell& cell : cells) p.push_back(cell.p);
  const std::vector<double> corrected = holm(p);
  for (std::size_t c = 0; c < cells.size(); ++c) cells[c].sure_p = corrected[c];
}

}  // namespace

void ResultCells::add(const CellFinding& place, int run, double value) {
  const auto classifier = std::find(classifiers_.begin(), classifiers_.end(), place.classifier) - classifiers_.begin();
  CellFinding& cell =
      cells_.try_emplace({place.set, place.method, place.size, static_cast<std::size_t>(classifier)}, place)
          .first->second;
  const auto at = std::lower_bound(cell.runs.begin(), cell.runs.end(), run) - cell.runs.begin();
  cell.runs.insert(cell.runs.begin() + at, run);
  cell.accuracy.insert(cell.accuracy.begin() + at, value);
}

std::vector<CellFinding> ResultCells::cells() const {
  std::vector<CellFinding> cells;
  for (const auto& [place, cell] : cells_) {
    const Spread spread = spread_of(cell.accuracy);
    cells.push_back(cell);
    cells.back().mean = spread.mean;
    cells.back().deviation = spread.deviation;
  }
  return cells;
}

std::vector<ComparisonFinding> compare_methods(const std::vector<MethodPair>& pairs,
                                               const std::vector<ComparedSet>& sets,
                                               const std::vector<CellFinding>& cells) {
  std::vector<ComparisonFinding> comparisons;
  for (const MethodPair& pair : pairs) {
    ComparisonFinding comparison{.title = pair.title, .first = pair.first, .second = pair.second, .cells = {}};
    const std::map<Place, std::size_t> second = cells_of(cells, pair.second);
    for (std::size_t first = 0; first < cells.size(); ++first) {
      if (cells[first].method != pair.first) continue;
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
