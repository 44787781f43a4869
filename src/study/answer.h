// Which model answers for k features, and how cells and methods compare.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "experiment/findings.h"
#include "study/plan.h"
#include "study/units.h"

namespace obverse {

/// (models) what Pick::gamma goes by for one k in one run: half of the accuracy on the run's validation rows with the k
/// features and a quarter of that with the next smaller and the next larger k of the plan each; at the ends three
/// quarters of its own.
std::vector<double> validation_merits(std::span<const ModelMerit> run, std::size_t k);

/// The model of a run that answers for k features: with Pick::gamma the first of the largest validation merit, with
/// Pick::model the one that the selection has chosen. Other runs have no say, since their training rows are among the
/// test rows of this one.
std::size_t answering_model(Pick pick, std::span<const ModelMerit> run, std::size_t k);

/// Fills in mean and deviation.
void summarise(CellFinding& cell);

/// The rows of a set, as far as a comparison of its cells needs them.
struct ComparedSet {
  std::size_t answers = 0;  ///< in a run, each right or wrong: its test rows; 0 where results are no shares of them
  double overlap = 0;       ///< of paired_difference (experiment/statistics.h)
};

/// A plan's comparisons over the cells that both of their methods have; `cells` are summarised, `sets` are those that
/// cells name.
std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<ComparedSet>& sets,
                                       const std::vector<CellFinding>& cells);

}  // namespace obverse
