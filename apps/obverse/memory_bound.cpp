// The bound is the kernel's: RLIMIT_DATA counts every private writable page, whoever asks for it, so that the readers,
// the trainer and the libraries under them all see a failed allocation instead of a swapping machine.
#include "memory_bound.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <obverse/error.h>

#include "options/value.h"

namespace obverse {
namespace {

std::uint64_t bound = 0;

}  // namespace

void bound_memory(std::uint64_t bytes) {
  if (bytes == 0 || bytes == bound) return;
  rlimit limit{};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0) throw Error(Fault::internal, std::strerror(errno));
  limit.rlim_cur = std::min<rlim_t>(bytes, limit.rlim_max);
  if (::setrlimit(RLIMIT_DATA, &limit) != 0) {
    throw Error(Fault::usage, cat("--max-memory: the system does not take the bound: ", std::strerror(errno)));
  }
  bound = bytes;
}

std::uint64_t memory_bound() { return bound; }

std::string memory_message() {
  constexpr const char* kTry = "try fewer models (--effort quick, --seeds 1), fewer threads or fewer columns";
  if (bound == 0) return cat("not enough memory; ", kTry);
  return cat("this needs more memory than --max-memory ", written(bound, memory_size().or_word("none")), " allows; ",
             kTry, ", or a larger --max-memory");
}

}  // namespace obverse
