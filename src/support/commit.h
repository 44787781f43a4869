// Several files of one folder that change together. A journal in the folder says which temporary files are to get which
// names; it appears by one rename, when all of them are on the disk. Killed before that, a process leaves the old
// files; killed after it, the new ones: whoever next reads from the folder or writes into it does the renames that are
// left.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "support/file.h"

namespace obverse {

/// Gives the finished files, all of one folder, their names: all of them, or none and an Error.
void publish_together(const std::string& folder, const std::vector<AtomicFile*>& files);

/// Does what is left of a change that a killed process had begun in the folder. Throws Error(Fault::output) where that
/// is not possible, because what is there is neither old nor new.
void complete_interrupted(const std::string& folder);

}  // namespace obverse
