#include "report/findings_view.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include <obverse/error.h>

#include "downstream/classifiers.h"
#include "experiment/statistics.h"
#include "metrics/metrics.h"
#include "support/text.h"

namespace obverse {
namespace {

template <class Items>
std::vector<std::string> keys_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return unique_keys(names);
}

void check(bool holds, std::string_view what) {
  if (!holds) throw Error(Fault::internal, cat("the findings name ", what, " that they do not hold"));
}

void check_findings(const Findings& findings) {
  const auto known = [&](const auto& items) {
    return std::all_of(items.begin(), items.end(), [&](const auto& item) {
      return item.set < findings.sets.size() && item.method < findings.methods.size();
    });
  };
  check(known(findings.cells) && known(findings.gammas) && known(findings.masks) && known(findings.stability) &&
            known(findings.costs),
        "a set or a method");
  for (const ComparisonFinding& comparison : findings.comparisons) {
    check(comparison.first < findings.methods.size() && comparison.second < findings.methods.size(), "a method");
    for (const ComparedCell& cell : comparison.cells) {
      check(cell.first < findings.cells.size() && cell.second < findings.cells.size(), "a cell");
    }
  }
  for (const MaskFinding& mask : findings.masks) {
    check(std::all_of(mask.order.begin(), mask.order.end(), [&](std::size_t f) { return f < mask.scores.size(); }) &&
              mask.scores.size() == findings.sets[mask.set].features,
          "a feature");
  }
  for (const GammaFinding& gamma : findings.gammas) {
    const auto is_whole = [&](const auto& table) {
      return table.size() == gamma.gammas.size() &&
             std::all_of(table.begin(), table.end(), [&](const auto& row) { return row.size() == gamma.ks.size(); });
    };
    check(is_whole(gamma.merit) && is_whole(gamma.chosen), "a gamma");
  }
}

}  // namespace

FindingsView::FindingsView(const Findings& findings)
    : findings_(findings), set_keys_(keys_of(findings.sets)), method_keys_(keys_of(findings.methods)) {
  check_findings(findings);
  for (std::size_t s = 0; s < findings.sets.size(); ++s) {
    if (findings.sets[s].missing.empty()) sets_at_hand_.push_back(s);
  }
  for (std::size_t i = 0; i < findings.cells.size(); ++i) {
    const CellFinding& cell = findings.cells[i];
    if (!cell.accuracy.empty()) cells_[{cell.set, cell.method}].push_back(i);
  }
}

SeriesLook FindingsView::look(std::size_t method) const {
  return {.key = method_keys_[method], .name = findings_.methods[method].title, .place = method};
}

std::vector<SeriesLook> FindingsView::looks() const {
  std::vector<SeriesLook> out;
  for (std::size_t m = 0; m < findings_.methods.size(); ++m) out.push_back(look(m));
  return out;
}

MeanResult FindingsView::mean(std::size_t set, std::size_t method, const CellFilter& filter) const {
  MeanResult out;
  const auto found = cells_.find({set, method});
  if (found == cells_.end()) return out;
  double sum = 0;
  std::vector<double> runs;  // sums over the cells
  bool whole = true;
  for (const std::size_t index : found->second) {
    const CellFinding& cell = findings_.cells[index];
    if (filter.size.value_or(cell.size) != cell.size) continue;
    if (!filter.classifier.empty() && filter.classifier != cell.classifier) continue;
    if (out.cells++ == 0) runs.resize(cell.accuracy.size());
    whole = whole && cell.accuracy.size() == runs.size();
    for (std::size_t i = 0; whole && i < runs.size(); ++i) runs[i] += cell.accuracy[i];
    sum += cell.mean;
    out.rho = cell.rho;
    out.k = cell.k;
  }
  out.runs = runs.size();
  if (out.cells == 0) return out;
  out.mean = sum / static_cast<double>(out.cells);
  if (!whole) return out;
  for (double& run : runs) run /= static_cast<double>(out.cells);
  out.deviation = spread_of(runs).deviation;
  return out;
}

const Metric& FindingsView::metric(std::size_t set) const {
  return findings_.metric == "auto" ? metrics_of(findings_.sets[set].task).front() : metric_named(findings_.metric);
}

ScoreFormat FindingsView::format() const {
  return ScoreFormat(findings_.metric == "auto" ? metrics().front() : metric_named(findings_.metric));
}

std::string FindingsView::measure(std::size_t set) const { return std::string(measure_name(metric(set))); }

Tally FindingsView::tally(const ComparisonFinding& comparison, std::size_t set) const {
  Tally out;
  for (const ComparedCell& cell : comparison.cells) {
    const CellFinding& first = first_cell(cell);
    const CellFinding& second = second_cell(cell);
    if (set < findings_.sets.size() && first.set != set) continue;
    ++out.cells;
    const bool sure = cell.sure_p < kSure;
    if (cell.outcome == Outcome::won) {
      ++out.won;
      out.surely_won += sure ? 1 : 0;
    } else if (cell.outcome == Outcome::lost) {
      ++out.lost;
      out.surely_lost += sure ? 1 : 0;
    } else {
      ++out.tied;
    }
    out.first_mean += first.mean;
    out.second_mean += second.mean;
    out.first_deviation += first.deviation;
    out.second_deviation += second.deviation;
  }
  for (double* sum : {&out.first_mean, &out.second_mean, &out.first_deviation, &out.second_deviation}) {
    *sum = out.cells > 0 ? *sum / static_cast<double>(out.cells) : kNoValue;
  }
  return out;
}

std::size_t FindingsView::cells_of(std::size_t set) const {
  return findings_.sizes.size() * classifiers_for(findings_.sets[set].task, findings_.classifiers).size();
}

std::size_t FindingsView::runnable(const ComparisonFinding& comparison) const {
  std::size_t cells = 0;
  for (const std::size_t set : sets_at_hand_) cells += cells_of(set);
  return std::max(comparison.cells.size(), std::min(comparison.planned, cells));
}

std::string FindingsView::feature_name(std::size_t set, std::size_t feature) const {
  const SetFinding& found = findings_.sets[set];
  if (feature < found.feature_names.size()) return found.feature_names[feature];
  if (!found.image_shape) return fmt::format("feature {}", feature + 1);
  return fmt::format("pixel_{}_{}", feature / found.image_shape->width, feature % found.image_shape->width);
}

std::size_t FindingsView::shown_k(std::size_t set) const {
  const SetFinding& found = findings_.sets[set];
  if (found.image_shape) return std::min<std::size_t>(50, found.features);
  const double size = findings_.sizes.empty() ? 0.1 : findings_.sizes[findings_.sizes.size() / 2];
  const double k = findings_.by_count ? size : size * static_cast<double>(found.features);
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::lround(k)), 1, std::max<std::size_t>(1, found.features));
}

const StabilityFinding* FindingsView::stability_near(std::size_t set, std::size_t method, std::size_t k) const {
  const StabilityFinding* best = nullptr;
  const auto distance = [k](const StabilityFinding& s) { return s.k > k ? s.k - k : k - s.k; };
  for (const StabilityFinding& one : findings_.stability) {
    if (one.set != set || one.method != method) continue;
    if (best == nullptr || distance(one) < distance(*best)) best = &one;
  }
  return best;
}

}  // namespace obverse
