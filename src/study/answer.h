// Which model answers for k features, and how cells and methods compare.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "study/findings.h"
#include "study/plan.h"
#include "study/units.h"

namespace obverse {

/// (models) what Pick::gamma goes by for one k: the accuracy on the validation rows with the k features, mean over the
/// runs, then half of it and a quarter of that of the next smaller and the next larger k of the plan each; at the ends
/// three quarters of its own. Runs have the same models in the same order.
std::vector<double> validation_merits(std::span<const std::vector<ModelMerit>> runs, std::size_t k);

/// The model of a run that answers for k features. With Pick::gamma it is the same one in all runs, the first of the
/// largest validation merit; with Pick::model the one that the run itself has chosen.
std::size_t answering_model(Pick pick, std::span<const std::vector<ModelMerit>> runs, std::size_t run, std::size_t k);

/// Fills in mean and deviation.
void summarise(CellFinding& cell);

/// A plan's comparisons over the cells that both of their methods have; `cells` are summarised.
std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<CellFinding>& cells);

}  // namespace obverse
