#include "support/temporary.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "support/file.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestName = 190;  ///< file systems take 255 bytes; the rest is for our marks
constexpr std::string_view kMark = ".obverse-";
constexpr std::string_view kEnding = ".tmp";
constexpr std::size_t kBootDigits = 8;
constexpr int kAttempts = 1000;
constexpr std::time_t kForeignSeconds = 24 * 60 * 60;
constexpr auto kLockTick = std::chrono::milliseconds(10);
constexpr int kLockTicks = 500;

/// Eight digits for this run of this kernel. Processes that share it see each other's locks, in containers and on any
/// file system; of a file made under another one that cannot be known.
std::string boot_digits() {
  std::uint32_t hash = 2166136261U;
  if (const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/sys/kernel/random/boot_id", "re"),
                                                                 &std::fclose);
      file != nullptr) {
    for (int c = 0; (c = std::fgetc(file.get())) != EOF;) hash = (hash ^ static_cast<std::uint32_t>(c)) * 16777619U;
  }
  return fmt::format("{:08x}", hash);
}

/// .NAME.obverse-BOOT-PID-N.tmp
std::string temporary_name(const std::string& target, int attempt) {
  const std::string name = fs::path(target).filename().string().substr(0, kLongestName);
  return fmt::format("{}/.{}{}{}-{}-{}{}", folder_of(target), name, kMark, boot_digits(), getpid(), attempt, kEnding);
}

/// The digits after our mark; empty for a name that is not ours.
std::string_view boot_of(std::string_view name) {
  if (!name.starts_with('.') || !name.ends_with(kEnding)) return {};
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos) return {};
  std::string_view rest = name.substr(mark + kMark.size());
  rest.remove_suffix(kEnding.size());
  const std::size_t first = rest.find('-');
  const std::size_t last = rest.rfind('-');
  if (first != kBootDigits || last <= first + 1 || last + 1 == rest.size()) return {};
  for (const char c : rest) {
    if (c != '-' && std::isxdigit(static_cast<unsigned char>(c)) == 0) return {};
  }
  return rest.substr(0, kBootDigits);
}

bool lock(int descriptor) {
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EINTR) return false;
  }
  return true;
}

/// Between its making and its lock, another process may have taken a file for left over and removed it.
bool still_there(const std::string& path, int descriptor) {
  struct stat held {};
  struct stat named {};
  return fstat(descriptor, &held) == 0 && held.st_nlink > 0 && lstat(path.c_str(), &named) == 0;
}

template <class Make>
Temporary make_temporary(const std::string& path, const std::string& target, const Make& make) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    Temporary made{.path = temporary_name(target, attempt), .descriptor = Descriptor()};
    made.descriptor = make(made.path);
    if (!made.descriptor) {
      if (errno == EEXIST) continue;
      throw_output_error(path, errno);
    }
    (void)lock(made.descriptor.get());  // some file systems have no locks: then nothing there is ever left over
    if (still_there(made.path, made.descriptor.get())) return made;
  }
  throw_output_error(path, EEXIST);
}

/// Only files: a folder of ours holds nothing else.
void remove_folder(const std::string& path) {
  for (const std::string& name : entries_of(path)) unlink((path + "/" + name).c_str());
  rmdir(path.c_str());
}

void remove_if_left_over(const std::string& path, std::string_view boot, const std::string& our_boot) {
  struct stat info {};
  if (lstat(path.c_str(), &info) != 0 || info.st_uid != geteuid()) return;
  const bool folder = S_ISDIR(info.st_mode);
  if (!folder && !S_ISREG(info.st_mode)) return;
  if (boot != our_boot && std::time(nullptr) - info.st_mtime < kForeignSeconds) return;
  const Descriptor descriptor(open(path.c_str(), (folder ? O_RDONLY | O_DIRECTORY : O_RDWR) | O_NOFOLLOW | O_CLOEXEC));
  if (!descriptor || !lock(descriptor.get())) return;
  if (folder) {
    remove_folder(path);
  } else {
    unlink(path.c_str());
  }
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    reset();
    number_ = other.release();
  }
  return *this;
}

int Descriptor::release() { return std::exchange(number_, -1); }

void Descriptor::reset() {
  if (number_ >= 0) close(number_);
  number_ = -1;
}

Temporary make_temporary_file(const std::string& path, const std::string& target) {
  return make_temporary(path, target, [](const std::string& name) {
    // With the permissions that the user's mask leaves.
    return Descriptor(open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  });
}

Temporary make_temporary_folder(const std::string& path, const std::string& target) {
  return make_temporary(path, target, [](const std::string& name) {
    if (mkdir(name.c_str(), 0777) != 0) return Descriptor();
    Descriptor opened(open(name.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!opened) {
      const int fault = errno;
      rmdir(name.c_str());
      errno = fault;
    }
    return opened;
  });
}

std::string link_aside(const std::string& target) {
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    std::string name = temporary_name(target, attempt);
    if (link(target.c_str(), name.c_str()) == 0) return name;
    if (errno != EEXIST) break;
  }
  return {};
}

bool is_temporary_name(std::string_view name) { return !boot_of(name).empty() && name.find('/') == name.npos; }

FolderLock::FolderLock(const std::string& folder, bool wait)
    : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!descriptor_) return;
  for (int tick = 0; !(held_ = lock(descriptor_.get())); ++tick) {
    if (!wait || errno != EWOULDBLOCK || tick == kLockTicks) return;
    std::this_thread::sleep_for(kLockTick);
  }
}

void remove_left_over(const std::string& folder) {
  const FolderLock guard(folder, false);
  if (!guard.held()) return;
  const std::string our_boot = boot_digits();
  for (const std::string& name : entries_of(folder)) {
    const std::string_view boot = boot_of(name);
    if (!boot.empty()) remove_if_left_over(folder + "/" + name, boot, our_boot);
  }
}

}  // namespace obverse
