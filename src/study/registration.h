// The plan and the sets of a study enter its store, unless they are not those of the results that it holds.
#pragma once

#include "study/sets.h"
#include "study/store.h"

namespace obverse {

/// Unless `update` asks for it, an Error for a plan or a version other than that of the results in the store.
void register_plan(Store& store, const StoredPlan& asked, bool update);

/// Every set, those that are missing too. Unless `update` asks for it, an Error for data that have changed since there
/// are results.
void register_sets(Store& store, const std::vector<SetAtHand>& sets, const StudyData& data, bool update);

}  // namespace obverse
