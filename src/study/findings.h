// What a study found so far.
#pragma once

#include "experiment/findings.h"

namespace obverse {

class Store;

/// Everything that a store holds of its plan, as far as it has been run.
Findings findings_of(const Store& store);

}  // namespace obverse
