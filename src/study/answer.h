// Which model answers for k features, and how cells and methods compare.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "study/findings.h"
#include "study/plan.h"
#include "study/units.h"

namespace obverse {

/// (models) for one k: the merit of each model, mean over the runs. Runs have the same models in the same order.
std::vector<double> mean_merits(std::span<const std::vector<ModelMerit>> runs, std::size_t k);

/// The model of a run that answers for k features. With Pick::gamma it is the same one in all runs, the first of the
/// largest mean merit; with Pick::model the one that the run itself has chosen.
std::size_t answering_model(Pick pick, std::span<const std::vector<ModelMerit>> runs, std::size_t run, std::size_t k);

/// Fills in mean and deviation.
void summarise(CellFinding& cell);

/// A plan's comparisons over the cells that both of their methods have; `cells` are summarised. `sets` counts those of
/// the plan, missing ones too.
std::vector<ComparisonFinding> compare(const Plan& plan, const std::vector<CellFinding>& cells, std::size_t sets);

}  // namespace obverse
