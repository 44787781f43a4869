// What the system knows of processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace obverse {

/// Where the numbers of processes mean something: this machine since it was started, and its name space.
std::string process_space();

/// When a process began, in ticks since the machine did: two processes of one number differ in it. Empty for none.
std::string start_of(std::int64_t process);

/// Bytes that this process holds in memory now.
std::size_t resident_memory();

}  // namespace obverse
