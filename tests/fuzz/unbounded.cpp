// In place of apps/obverse/memory_bound.cpp: an input with a small --max-memory must not bound the fuzzer itself.
#include "memory_bound.h"

namespace obverse {

void bound_memory(std::uint64_t) {}
std::uint64_t memory_bound() { return 0; }
std::string memory_message() { return {}; }

}  // namespace obverse
