// How the values of the first selected features are distributed, as reports show them.
#pragma once

#include <nlohmann/json.hpp>

#include <obverse/dataset.h>
#include <obverse/selector.h>

namespace obverse {

/// `rows` that were counted, the names of the `groups` of rows, and at most 12 `panels`, a feature each: by class the
/// share of the rows of every class, by label those of the rows with it and without it, against a quantity its
/// quartiles or the rows as points, without a target all rows. Rows where a feature is missing are left out of its
/// panel, and of a feature of several columns the first is shown. At most 20,000 rows are looked at, spread evenly.
nlohmann::ordered_json distributions(const Selection& selection, const Dataset& data);

}  // namespace obverse
