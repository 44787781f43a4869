// Replays inputs of a fuzz target in an ordinary build: every file of the folders given, each in a process of its own
// with bounds on time and memory. Prints one line for each that breaks one of them, and fails if there is any.
//   fuzz_csv FOLDER|FILE...
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

#if defined(__SANITIZE_ADDRESS__)
extern "C" const char* __asan_default_options() { return "quarantine_size_mb=16:allocator_may_return_null=1"; }
#endif

namespace {

namespace fs = std::filesystem;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;
#else
constexpr bool kSanitized = false;
#endif
constexpr rlim_t kSeconds = 20;      // of processor time
constexpr unsigned kPatience = 120;  // seconds, for an input that sleeps
constexpr long kMegabytes = kSanitized ? 600 : 300;

std::vector<fs::path> files_of(const fs::path& place) {
  if (!fs::is_directory(place)) return {place};
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(place)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

[[noreturn]] void run(const fs::path& path) {
  const rlimit time{kSeconds, kSeconds + 1};
  setrlimit(RLIMIT_CPU, &time);
  if (!kSanitized) {  // a guard for the machine; the bound itself is on the memory that was used
    constexpr rlim_t kGuard = rlim_t{4} << 30;
    const rlimit memory{kGuard, kGuard};
    setrlimit(RLIMIT_DATA, &memory);
  }
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  alarm(kPatience);
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  std::exit(0);
}

/// Empty for an input that kept to all bounds, otherwise what it did.
std::string fault_of(const fs::path& path) {
  std::fflush(nullptr);
  const pid_t child = fork();
  if (child == 0) run(path);
  int status = 0;
  rusage used{};
  if (child < 0 || wait4(child, &status, 0, &used) != child) return "could not be run";
  const long megabytes = used.ru_maxrss / 1024;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU) return "took over " + std::to_string(kSeconds) + " s";
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM) return "did not end";
  if (WIFSIGNALED(status)) return std::string("was killed: ") + strsignal(WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return "ended with " + std::to_string(WEXITSTATUS(status));
  if (megabytes > kMegabytes) {
    return "took " + std::to_string(megabytes) + " MB, over " + std::to_string(kMegabytes);
  }
  return {};
}

}  // namespace

int main(int argc, char** argv) {
  std::size_t inputs = 0;
  std::size_t faults = 0;
  for (const std::string& place : std::vector<std::string>(argv + 1, argv + argc)) {
    for (const fs::path& path : files_of(place)) {
      ++inputs;
      const std::string fault = fault_of(path);
      if (fault.empty()) continue;
      ++faults;
      std::printf("%s %s\n", path.c_str(), fault.c_str());
    }
  }
  std::printf("%zu inputs, %zu faults\n", inputs, faults);
  return faults == 0 && inputs > 0 ? 0 : 1;
}
