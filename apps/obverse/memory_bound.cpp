// The bound is the kernel's: RLIMIT_DATA counts every private writable page, whoever asks for it, so that the readers,
// the trainer and the libraries under them all see a failed allocation instead of a swapping machine.
#include "memory_bound.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

#include <obverse/error.h>

#include "options/value.h"

namespace obverse {
namespace {

std::uint64_t bound = 0;
std::string last_words;  // made while there is memory

/// oneDNN 2 and 3 write through the null pointer of a failed allocation, at some offset. With a bound that is what a
/// fault in the lowest addresses means; any other fault stays what it is.
void on_fault(int signal, siginfo_t* info, void*) {
  constexpr std::uintptr_t kLowest = std::uintptr_t{1} << 30;  // programs and libraries are loaded far above
  constexpr int kExitFault = 2;
  if (reinterpret_cast<std::uintptr_t>(info->si_addr) < kLowest) {
    [[maybe_unused]] const ssize_t told = ::write(STDERR_FILENO, last_words.data(), last_words.size());
    ::_exit(kExitFault);
  }
  ::signal(signal, SIG_DFL);
}

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
  last_words = cat("obverse: ", memory_message(), "\n");
  struct sigaction action {};
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  ::sigaction(SIGSEGV, &action, nullptr);
}

std::uint64_t memory_bound() { return bound; }

std::string memory_message() {
  constexpr const char* kTry = "try fewer models (--effort quick, --seeds 1), fewer threads or fewer columns";
  if (bound == 0) return cat("not enough memory; ", kTry);
  return cat("this needs more memory than --max-memory ", written(bound, memory_size().or_word("none")), " allows; ",
             kTry, ", or a larger --max-memory");
}

}  // namespace obverse
