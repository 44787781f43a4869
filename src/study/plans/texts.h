// The parts of the program's plans that are written down, as the build found them beside this file.
#pragma once

#include <string_view>

namespace obverse {

extern const std::string_view kPaperPlan;
/// What a user gets: each run picks its own model, as `obverse select` does. A thorough sweep of 105 models on all the
/// pictures would take hours: ten thousand of them have to do.
extern const std::string_view kMethodsPlan;
/// The claim behind the method: a complement serves any mask. The protocol is that of the paper.
extern const std::string_view kFrameworkPlan;
/// What a user gets, held to every baseline where masks had a hard time too: thousands of columns for a few hundred
/// rows. Its sets are in it; those of the other plans come in addition.
extern const std::string_view kArenaPlan;
/// Sizes are those of the paper's table of data sets. gisette may come as one file, or as the training and validation
/// rows of its challenge.
extern const std::string_view kTableSets;

}  // namespace obverse
