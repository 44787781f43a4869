// The report of a study: the question, the answer of every comparison, how sure it is, and all that led to it.
#pragma once

#include "experiment/findings.h"
#include "report/page.h"

namespace obverse {

/// Works for any plan: without comparisons, with sets missing, and with work left to do. Sections that would have
/// nothing to show are left out. Throws Error when an index in the findings points nowhere.
Page study_page(const Findings& findings);

}  // namespace obverse
