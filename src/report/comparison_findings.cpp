// A comparison as a study of one set.
#include <algorithm>

#include <obverse/version.h>

#include "comparison/recommend.h"
#include "options/methods.h"
#include "report/comparison.h"
#include "study/answer.h"

namespace obverse {
namespace {

std::string kind_text(std::string_view method) {
  switch (kind_of(method)) {
    case MethodKind::mask_with_complement:
      return "mask with its complement";
    case MethodKind::mask:
      return "mask alone";
    case MethodKind::ranker:
      break;
  }
  return "no network";
}

void add_cells(const Comparison& comparison, const ComparedMethod& method, Findings& out) {
  const auto& sizes = comparison.options.k;
  for (std::size_t size = 0; size < sizes.size(); ++size) {
    for (const std::string& classifier : comparison.options.classifiers) {
      CellFinding cell{
          .method = out.methods.size(), .size = size, .classifier = classifier, .runs = {}, .accuracy = {}};
      cell.k = static_cast<std::size_t>(sizes[size]);
      cell.rho = static_cast<double>(cell.k) / static_cast<double>(comparison.features);
      for (const ComparedScore& score : method.scores) {
        if (score.k != cell.k || score.classifier != classifier) continue;
        cell.runs.push_back(static_cast<int>(score.run));
        cell.accuracy.push_back(score.value);
      }
      summarise(cell);
      out.cells.push_back(std::move(cell));
    }
  }
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
                      .missing = {},
                      .training_rows = comparison.training_rows,
                      .test_rows = comparison.test_rows,
                      .features = comparison.features,
                      .classes = comparison.classes});
  Plan plan;  // whose comparisons are made: each mask with its complement against the mask alone
  for (const ComparedMethod& method : comparison.methods) {
    if (method.rank == 0) continue;
    const std::size_t index = out.methods.size();
    add_cells(comparison, method, out);
    out.costs.push_back({.method = index, .training_seconds = method.seconds});
    const auto middle = static_cast<std::size_t>(comparison.options.k[comparison.options.k.size() / 2]);
    out.stability.push_back(
        {.method = index, .k = middle, .jaccard = kNoValue, .stability = method.stability, .frequency = {}});
    out.methods.push_back({method.name, method.name, {}, kind_text(method.name)});
    plan.methods.push_back({.name = method.name, .title = method.name});
    const ComparedMethod* const alone = comparison.method(without_complement(method.name));
    if (alone != nullptr && alone->rank > 0) plan.comparisons.push_back({alone->name, method.name, alone->name});
  }
  const bool of_classes = comparison.metric == "accuracy" && comparison.classes > 0;
  out.comparisons =
      compare(plan, {{.answers = of_classes ? comparison.test_rows : 0, .overlap = overlap_of(comparison)}}, out.cells);
  for (ComparisonFinding& one : out.comparisons) one.planned = one.cells.size();
  return out;
}

}  // namespace obverse
