#include "support/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include <obverse/error.h>

#include "support/commit.h"
#include "support/file.h"
#include "support/temporary.h"
#include "support/text.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

constexpr auto kBesideStores = std::to_array<std::string_view>({"-journal", "-wal", "-shm"});

/// Absolute, with links followed, also one that leads to nothing yet.
std::string whole_path(const std::string& path) {
  constexpr int kMostLinks = 40;
  std::error_code fault;
  fs::path place = fs::absolute(path, fault);
  for (int i = 0; i < kMostLinks && fs::is_symlink(fs::symlink_status(place, fault)); ++i) {
    const fs::path leads_to = fs::read_symlink(place, fault);
    if (fault) break;
    place = place.parent_path() / leads_to;
  }
  const fs::path known = fs::weakly_canonical(place, fault);
  return (fault ? place.lexically_normal() : known).string();
}

std::string shown(const std::string& path) { return cat("'", printable(path), "'"); }

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  return path;
}

}  // namespace

FileIdentity::FileIdentity(const std::string& given) : path(given), whole(whole_path(given)) {
  struct stat info {};
  if (stat(given.c_str(), &info) != 0) return;
  number = {info.st_dev, info.st_ino};
  special = !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

bool FileIdentity::same_as(const FileIdentity& other) const {
  if (special || other.special) return false;
  return whole == other.whole || (number && other.number && *number == *other.number);
}

Inputs& Inputs::file(const std::string& path) {
  if (path.empty()) return *this;
  complete_interrupted(folder_of(resolved(path)));
  all_.emplace_back(path);
  return *this;
}

Inputs& Inputs::files(std::initializer_list<std::string> paths) {
  for (const std::string& path : paths) file(path);
  return *this;
}

Inputs& Inputs::folder(const std::string& path, std::string_view except) {
  complete_interrupted(path);
  std::vector<std::string> folders{path};
  while (!folders.empty()) {
    const std::string folder = std::move(folders.back());
    folders.pop_back();
    for (const std::string& name : entries_of(folder)) {
      const std::string entry = folder + "/" + name;
      struct stat state {};
      const bool folder_itself = lstat(entry.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
      const bool folder_behind = stat(entry.c_str(), &state) == 0 && S_ISDIR(state.st_mode);
      if (folder_itself) folders.push_back(entry);
      if (!folder_behind && !(folder == path && name == except)) all_.emplace_back(entry);
    }
  }
  return *this;
}

Inputs& Inputs::store(const std::string& path) {
  file(path);
  for (const std::string_view ending : kBesideStores) all_.emplace_back(cat(path, ending));
  return *this;
}

Outputs& Outputs::file(std::string_view option, const std::string& path) {
  if (path.empty()) return *this;
  declare(option, path);
  const std::string folder = FileIdentity(folder_of(path)).whole;
  const auto made = [&](const Place& place) { return place.file.whole == folder && !fs::exists(folder); };
  if (std::none_of(folders_.begin(), folders_.end(), made)) check_writable(path);
  return *this;
}

Outputs& Outputs::folder(std::string_view option, const std::string& path,
                         std::initializer_list<std::string_view> names) {
  if (path.empty()) return *this;
  check_writable_folder(path);
  if (fs::is_symlink(path) && !fs::exists(path)) {
    throw Error(Fault::output, cat(option, ": ", shown(path), " is a link that leads nowhere; give another name"));
  }
  folders_.push_back({std::string(option), FileIdentity(path)});
  for (const Place& file : files_) refuse_folder_as_file(folders_.back(), file);
  for (const std::string_view name : names) {
    const std::string file = cat(without_slashes(path), "/", name);
    declare(option, file);
    if (fs::is_directory(path)) check_writable(file);
  }
  return *this;
}

Outputs& Outputs::any_in_folder(std::string_view option, const std::string& path) {
  folder(option, path, {});
  open_folders_.push_back(folders_.back());
  return *this;
}

Outputs& Outputs::store(std::string_view option, const std::string& path) {
  if (path.empty()) return *this;
  declare(option, path);
  for (const std::string_view ending : kBesideStores) declare(option, cat(path, ending));
  return *this;
}

void Outputs::declare(std::string_view option, const std::string& path) {
  Place place{std::string(option), FileIdentity(path)};
  refuse_input(option, place.file);
  for (const Place& other : files_) {
    if (!place.file.same_as(other.file)) continue;
    throw Error(Fault::usage, cat(other.option, " and ", option, ": ", shown(path),
                                  " would be written twice; give each output a file of its own"));
  }
  for (const Place& folder : folders_) refuse_folder_as_file(folder, place);
  files_.push_back(std::move(place));
}

void Outputs::refuse_input(std::string_view option, const FileIdentity& file) const {
  for (const FileIdentity& input : inputs_.all()) {
    if (!file.same_as(input)) continue;
    throw Error(Fault::usage, cat(option, ": ", shown(file.path), " is ",
                                  file.path == input.path ? "" : cat("the same file as ", shown(input.path), ", "),
                                  "an input of this command, which would be overwritten; give another name"));
  }
}

void Outputs::refuse_folder_as_file(const Place& folder, const Place& file) const {
  if (folder.file.whole != file.file.whole && !folder.file.whole.starts_with(file.file.whole + "/")) return;
  throw Error(Fault::usage, cat(folder.option, " and ", file.option, ": ", shown(file.file.path),
                                " would be a file and a folder; give another name"));
}

void Outputs::require(const std::string& path) const {
  const FileIdentity asked(path);
  const auto declared = [&](const Place& place) { return place.file.path == path || place.file.same_as(asked); };
  if (std::any_of(files_.begin(), files_.end(), declared)) return;
  const std::string folder = FileIdentity(folder_of(path)).whole;
  for (const Place& place : open_folders_) {
    if (place.file.whole == folder) return refuse_input(place.option, asked);
  }
  throw Error(Fault::internal, cat("the output ", shown(path), " was not declared"));
}

FileGroup::~FileGroup() {
  files_.clear();
  for (const NewFolder& folder : new_folders_) rmdir(folder.built.path.c_str());
  if (committed_) return;
  for (auto folder = made_folders_.rbegin(); folder != made_folders_.rend(); ++folder) rmdir(folder->c_str());
}

/// Once for each folder that is written into.
void FileGroup::prepare(const std::string& folder) {
  if (std::find(prepared_.begin(), prepared_.end(), folder) != prepared_.end()) return;
  complete_interrupted(folder);
  remove_left_over(folder);
  prepared_.push_back(folder);
}

void FileGroup::make_folder(const std::string& given) {
  const std::string path = without_slashes(given);
  check_writable_folder(path);
  made_folders_.reserve(made_folders_.size() + static_cast<std::size_t>(std::count(path.begin(), path.end(), '/')));
  fs::path above;
  for (const fs::path& part : fs::path(path).parent_path()) {
    above /= part;
    if (mkdir(above.c_str(), 0777) == 0) {
      made_folders_.push_back(above.string());
    } else if (const int fault = errno; fault != EEXIST && !fs::is_directory(above)) {
      throw_output_error(path, fault);
    }
  }
  prepare(folder_of(path));
  if (!fs::exists(path) && new_folder(path) == nullptr) {
    new_folders_.push_back({path, {}});
    new_folders_.back().built = make_temporary_folder(path, path);
  }
}

FileGroup::NewFolder* FileGroup::new_folder(const std::string& path) {
  const auto found =
      std::find_if(new_folders_.begin(), new_folders_.end(), [&](const NewFolder& f) { return f.path == path; });
  return found == new_folders_.end() ? nullptr : &*found;
}

AtomicFile& FileGroup::add(const std::string& path) {
  outputs_.require(path);
  if (const NewFolder* folder = new_folder(folder_of(path))) {
    return *files_.emplace_back(std::make_unique<AtomicFile>(path, folder->built.path));
  }
  prepare(folder_of(resolved(path)));
  return *files_.emplace_back(std::make_unique<AtomicFile>(path));
}

/// A folder that is new gets its name with everything in it. Where another process was faster, its files go into it.
void FileGroup::publish(NewFolder& folder) {
  std::vector<AtomicFile*> files;
  for (const auto& file : files_) {
    if (folder_of(file->temporary()) == folder.built.path) files.push_back(file.get());
  }
  if (std::rename(folder.built.path.c_str(), folder.path.c_str()) == 0) {
    for (AtomicFile* file : files) file->release();
    return;
  }
  if (errno != ENOTEMPTY && errno != EEXIST) throw_output_error(folder.path, errno);
  for (AtomicFile* file : files) file->move_beside_target();
}

void FileGroup::commit() {
  for (const auto& file : files_) file->finish();
  for (NewFolder& folder : new_folders_) publish(folder);
  std::map<std::string, std::vector<AtomicFile*>> by_folder;
  for (const auto& file : files_) {
    if (!file->is_direct()) by_folder[resolved(folder_of(file->target()))].push_back(file.get());
  }
  for (const auto& [folder, files] : by_folder) publish_together(folder, files);
  committed_ = true;
}

}  // namespace obverse
