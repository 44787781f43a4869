#include "support/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 1 << 20;
constexpr std::size_t kLongestName = 200;  ///< file systems take 255 bytes; the rest is for our marks

std::string folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string shown(const std::string& path) { return cat("'", printable(path), "'"); }

std::string free_space(const std::string& path) {
  struct statvfs info {};
  if (statvfs(folder_of(path).c_str(), &info) != 0) return {};
  return fmt::format(" ({:.0f} MB free)",
                     static_cast<double>(info.f_bavail) * static_cast<double>(info.f_frsize) / 1e6);
}

std::string advice(const std::string& path, int fault) {
  switch (fault) {
    case ENOSPC:
    case EDQUOT:
      return cat("the disk is full", free_space(path), "; make room or choose another place");
    case EFBIG:
      return cat("larger than a file may be here", free_space(path), "; choose another place");
    case EACCES:
    case EPERM:
      return "no permission; choose a place that you may write to";
    case EROFS:
      return "the file system is read-only; choose another place";
    case ENOENT:
    case ENOTDIR:
      return cat("there is no folder ", shown(folder_of(path)), "; make it first");
    case EISDIR:
      return "it is a folder; give the name of a file";
    default:
      return std::generic_category().message(fault);
  }
}

std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) : path;
}

std::string temporary_name(const std::string& target, int attempt) {
  const fs::path path(target);
  const std::string name = path.filename().string().substr(0, kLongestName);
  return (fs::path(folder_of(target)) / cat(".", name, ".", getpid(), ".", attempt, ".tmp")).string();
}

/// Made anew with the permissions that the user's mask leaves.
std::pair<std::string, int> create_temporary(const std::string& path, const std::string& target) {
  for (int attempt = 0;; ++attempt) {
    std::string name = temporary_name(target, attempt);
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0) return {std::move(name), descriptor};
    if (errno != EEXIST || attempt == 100) throw_output_error(path, errno);
  }
}

}  // namespace

void throw_output_error(const std::string& path, int fault) {
  throw Error(Fault::output, cat("cannot write ", shown(path), ": ", advice(path, fault)));
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  check_writable(path_);
  struct stat info {};
  const bool exists = stat(path_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor_ < 0) throw_output_error(path_, errno);
    return;
  }
  std::tie(temporary_, descriptor_) = create_temporary(path_, target_);
  if (exists) (void)fchmod(descriptor_, info.st_mode & 0777U);
}

AtomicFile::~AtomicFile() {
  close_descriptor();
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::close_descriptor() noexcept {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_output_error(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::finish() {
  flush();
  const bool whole = close(std::exchange(descriptor_, -1)) == 0;
  if (!whole) throw_output_error(path_, errno);
  if (temporary_.empty()) return;
  // Opened again by name: a library may have put a new file in its place.
  descriptor_ = open(temporary_.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor_ < 0 || fsync(descriptor_) != 0) throw_output_error(path_, errno);
  close_descriptor();
}

void AtomicFile::publish() {
  if (temporary_.empty()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw_output_error(path_, errno);
  temporary_.clear();
}

FileGroup::~FileGroup() {
  files_.clear();
  if (committed_) return;
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) rmdir(folder->c_str());
}

void FileGroup::make_folder(const std::string& path) {
  check_writable_folder(path);
  fs::path folder;
  for (const fs::path& part : fs::path(path)) {
    folder /= part;
    if (mkdir(folder.c_str(), 0777) == 0) {
      made_folders_.push_back(folder.string());
    } else if (errno != EEXIST && !fs::is_directory(folder)) {
      throw_output_error(path, errno);
    }
  }
}

AtomicFile& FileGroup::add(const std::string& path) { return *files_.emplace_back(std::make_unique<AtomicFile>(path)); }

void FileGroup::commit() {
  for (const auto& file : files_) file->finish();
  for (const auto& file : files_) file->publish();
  committed_ = true;
}

void check_writable(const std::string& path) {
  if (path.empty()) throw Error(Fault::usage, "expected the name of a file to write, found an empty name");
  struct stat info {};
  if (stat(path.c_str(), &info) == 0) {
    if (S_ISDIR(info.st_mode)) throw_output_error(path, EISDIR);
    if (access(path.c_str(), W_OK) != 0) throw_output_error(path, errno);
    if (!S_ISREG(info.st_mode)) return;
  }
  const std::string folder = folder_of(resolved(path));
  if (stat(folder.c_str(), &info) != 0) throw_output_error(path, errno);
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw_output_error(path, errno);
}

void check_writable_folder(const std::string& path) {
  if (path.empty()) throw Error(Fault::usage, "expected the name of a folder, found an empty name");
  fs::path folder = fs::absolute(path).lexically_normal();
  struct stat info {};
  while (stat(folder.c_str(), &info) != 0) {
    if (errno != ENOENT || folder == folder.root_path()) throw_output_error(path, errno);
    folder = folder.parent_path();
  }
  if (!S_ISDIR(info.st_mode)) {
    throw Error(Fault::output, cat("cannot write into ", shown(path), ": ", shown(folder.string()),
                                   " is a file; give the name of a folder"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw_output_error(path, errno);
}

std::string read_text_file(const std::string& path, std::size_t most) {
  const auto fail = [&](std::string_view why) {
    throw Error(Fault::input, cat("cannot read ", shown(path), ": ", why));
  };
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT || errno == ENOTDIR) fail("there is no such file");
    if (errno == EACCES) fail("no permission");
    fail(std::generic_category().message(errno));
  }
  std::string text;
  std::array<char, 1 << 16> block{};
  ssize_t got = 0;
  while ((got = read(descriptor, block.data(), block.size())) > 0 && text.size() <= most) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  const int fault = errno;
  close(descriptor);
  if (got < 0) fail(fault == EISDIR ? "it is a folder" : std::generic_category().message(fault));
  if (text.size() > most) fail(cat("larger than the ", most, " bytes that such a file may have"));
  return text;
}

}  // namespace obverse
