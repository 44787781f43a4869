// Which model of a run answers for k features.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

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

}  // namespace obverse
