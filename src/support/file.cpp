#include "support/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
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

}  // namespace

void throw_output_error(const std::string& path, int fault) {
  throw Error(Fault::output, cat("cannot write ", shown(path), ": ", advice(path, fault)));
}

AtomicFile::AtomicFile(std::string path) : path_(std::move(path)), target_(resolved(path_)) {
  check_writable(path_);
  struct stat info {};
  const bool exists = stat(path_.c_str(), &info) == 0;
  if (exists && !S_ISREG(info.st_mode)) {
    descriptor_ = Descriptor(open(path_.c_str(), O_WRONLY | O_CLOEXEC));
    if (!descriptor_) throw_output_error(path_, errno);
    return;
  }
  Temporary made = make_temporary_file(path_, target_);
  temporary_ = std::move(made.path);
  descriptor_ = std::move(made.descriptor);
  if (exists) (void)fchmod(descriptor_.get(), info.st_mode & 0777U);
}

AtomicFile::AtomicFile(std::string path, const std::string& folder)
    : path_(std::move(path)),
      target_(path_),
      temporary_((fs::path(folder) / fs::path(path_).filename()).string()),
      descriptor_(open(temporary_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666)) {
  if (!descriptor_) throw_output_error(path_, errno);
}

AtomicFile::~AtomicFile() {
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void AtomicFile::write(std::string_view bytes) {
  buffer_ += bytes;
  if (buffer_.size() >= kBufferBytes) flush();
}

void AtomicFile::flush() {
  std::string_view rest = buffer_;
  while (!rest.empty()) {
    const ssize_t written = ::write(descriptor_.get(), rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw_output_error(path_, errno);
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  buffer_.clear();
}

void AtomicFile::finish() {
  flush();
  if (is_direct()) {
    if (close(descriptor_.release()) != 0) throw_output_error(path_, errno);
  } else if (fsync(descriptor_.get()) != 0) {
    throw_output_error(path_, errno);
  }
}

void AtomicFile::publish() {
  if (is_direct()) return;
  if (rename(temporary_.c_str(), target_.c_str()) != 0) throw_output_error(path_, errno);
  release();
}

void AtomicFile::move_beside_target() {
  const Temporary place = make_temporary_file(path_, target_);
  if (rename(temporary_.c_str(), place.path.c_str()) != 0) {
    const int fault = errno;
    unlink(place.path.c_str());
    throw_output_error(path_, fault);
  }
  temporary_ = place.path;
}

void write_file(const std::string& path, const std::function<void(AtomicFile&)>& fill) {
  remove_left_over(folder_of(resolved(path)));
  AtomicFile file(path);
  fill(file);
  file.finish();
  file.publish();
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
    if ((errno != ENOENT && errno != ENOTDIR) || folder == folder.root_path()) throw_output_error(path, errno);
    folder = folder.parent_path();
  }
  if (!S_ISDIR(info.st_mode)) {
    throw Error(Fault::output, cat("cannot write into ", shown(path), ": ", shown(folder.string()),
                                   " is a file; give the name of a folder"));
  }
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw_output_error(path, errno);
}

std::vector<std::string> entries_of(const std::string& folder) {
  struct Close {
    void operator()(DIR* open) const { closedir(open); }
  };
  const std::unique_ptr<DIR, Close> open(opendir(folder.c_str()));
  std::vector<std::string> names;
  while (const dirent* entry = open == nullptr ? nullptr : readdir(open.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
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
