// A comparison as a study of one set.
#include <algorithm>

#include <obverse/version.h>

#include "comparison/consensus.h"
#include "comparison/recommend.h"
#include "experiment/cells.h"
#include "metrics/metrics.h"
#include "options/methods.h"
#include "report/comparison.h"

namespace obverse {
namespace {

std::string kind_text(std::string_view method) {
  switch (kind_of(method)) {
    case MethodKind::pool:
      return "masks and rankers";
    case MethodKind::mask_with_complement:
      return "mask with its complement";
    case MethodKind::mask:
      return "mask alone";
    case MethodKind::ranker:
      break;
  }
  return "no network";
}

std::vector<CellFinding> cells_of(const Comparison& comparison, const Findings& findings) {
  ResultCells table(comparison.options.classifiers);
  for (const Result& row : comparison.results.rows) {
    const auto method = std::find_if(findings.methods.begin(), findings.methods.end(),
                                     [&](const MethodFinding& one) { return one.name == row.method; });
    if (method == findings.methods.end()) continue;  // all features
    const auto size = std::find(findings.sizes.begin(), findings.sizes.end(), static_cast<double>(row.k));
    table.add({.method = static_cast<std::size_t>(method - findings.methods.begin()),
               .size = static_cast<std::size_t>(size - findings.sizes.begin()),
               .rho = static_cast<double>(row.k) / static_cast<double>(comparison.features),
               .k = row.k,
               .classifier = row.classifier},
              row.run, row.value);
  }
  return table.cells();
}

}  // namespace

Findings findings_of(const Comparison& comparison) {
  Findings out;
  out.plan = "compare";
  out.version = kVersion;
  out.sizes.assign(comparison.options.k.begin(), comparison.options.k.end());
  out.by_count = true;
  out.classifiers = comparison.options.classifiers;
  out.metric = comparison.metric;
  out.seeds = comparison.options.runs;
  out.sets.push_back({.name = "data",
                      .title = comparison.target_name.empty() ? "the data" : comparison.target_name,
                      .training_rows = comparison.training_rows,
                      .test_rows = comparison.test_rows,
                      .features = comparison.features,
                      .classes = comparison.classes});
  for (const ComparedMethod& method : comparison.methods) {
    if (method.rank == 0) continue;
    const std::size_t index = out.methods.size();
    out.costs.push_back({.method = index, .training_seconds = method.seconds});
    out.stability.push_back({.method = index,
                             .k = middle_size(comparison),
                             .jaccard = kNoValue,
                             .stability = method.stability,
                             .frequency = {}});
    out.methods.push_back({method.name, method.name, {}, kind_text(method.name)});
  }
  out.cells = cells_of(comparison, out);
  std::vector<MethodPair> pairs;  // each mask with its complement against the mask alone
  for (std::size_t first = 0; first < out.methods.size(); ++first) {
    const std::string alone = without_complement(out.methods[first].name);
    const auto second = std::find_if(out.methods.begin(), out.methods.end(),
                                     [&](const MethodFinding& one) { return one.name == alone; });
    if (second == out.methods.end()) continue;
    pairs.push_back({alone, first, static_cast<std::size_t>(second - out.methods.begin())});
  }
  const bool counts_answers = comparison.metric == "accuracy" && comparison.classes > 0;
  out.comparisons = compare_methods(pairs,
                                    {{.answers = counts_answers ? comparison.test_rows : 0,
                                      .overlap = overlap_of(comparison),
                                      .larger_is_better = metric_named(comparison.metric).larger_is_better}},
                                    out.cells);
  for (ComparisonFinding& one : out.comparisons) one.planned = one.cells.size();
  return out;
}

}  // namespace obverse
