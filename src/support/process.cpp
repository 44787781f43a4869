#include "support/process.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <vector>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

/// One line of a file of the system; empty where there is none.
std::string line_of(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

}  // namespace

std::string process_space() {
  std::array<char, 256> name{};
  gethostname(name.data(), name.size() - 1);
  std::error_code ignored;
  const auto space = std::filesystem::read_symlink("/proc/self/ns/pid", ignored);
  return cat(name.data(), ' ', line_of("/proc/sys/kernel/random/boot_id"), ' ', space.string());
}

std::string start_of(std::int64_t process) {
  const std::string line = line_of(cat("/proc/", process, "/stat"));
  const std::size_t name_end = line.rfind(')');  // the name may hold spaces
  if (name_end == std::string::npos) return {};
  const std::vector<std::string> fields = split_text(std::string_view(line).substr(name_end + 2), ' ');
  constexpr std::size_t kStart = 19;
  return fields.size() > kStart ? fields[kStart] : std::string();
}

std::size_t resident_memory() {
  std::ifstream file("/proc/self/statm");
  std::size_t total = 0;
  std::size_t resident = 0;
  file >> total >> resident;
  return resident * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

}  // namespace obverse
