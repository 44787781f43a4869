// --max-memory, for the whole process.
#pragma once

#include <cstdint>
#include <string>

namespace obverse {

/// No allocation goes beyond this many bytes of data from here on; 0 leaves everything as it is.
void bound_memory(std::uint64_t bytes);

/// The bound that was set; 0 without one.
std::uint64_t memory_bound();

/// What to say when an allocation has failed.
std::string memory_message();

}  // namespace obverse
