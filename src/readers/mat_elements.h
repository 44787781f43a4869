// A look at the tags of a MAT v5 file before matio acts on them.
#pragma once

#include <cstdint>
#include <string>

namespace obverse {

/// Throws Error for elements that reach beyond what holds them, and for cell arrays and structs with more parts than
/// their bytes can hold: matio takes memory for what they claim.
void check_mat_elements(const std::string& path, std::uint64_t size);

}  // namespace obverse
