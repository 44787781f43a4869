#include "support/commit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include <obverse/error.h>

#include "support/temporary.h"
#include "support/text.h"

namespace obverse {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJournal = ".obverse-commit";
constexpr std::string_view kFirst = "obverse commit 1";
constexpr std::string_view kLast = "end";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;

/// Names in the folder. Without `from`, `to` did not exist and goes.
struct Step {
  std::string from;
  std::string to;
};

std::string name_of(const std::string& path) { return fs::path(path).filename().string(); }
std::string in(const std::string& folder, std::string_view name) { return cat(folder, "/", name); }

void sync_folder(const std::string& folder) {
  const Descriptor descriptor(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (descriptor) (void)fsync(descriptor.get());  // not every file system can
}

/// Lines may stand in names, so zero bytes end them.
std::string journal_text(const std::vector<Step>& steps) {
  std::string text(kFirst);
  for (const Step& step : steps) text += '\0' + step.from + '\0' + step.to;
  return text + '\0' + std::string(kLast);
}

std::optional<std::vector<Step>> parsed(const std::string& text) {
  const std::vector<std::string> parts = split_text(text, '\0');
  if (parts.size() % 2 != 0 || parts.front() != kFirst || parts.back() != kLast) return std::nullopt;
  std::vector<Step> steps;
  for (std::size_t i = 1; i + 1 < parts.size(); i += 2) {
    const std::string& to = parts[i + 1];
    if (!parts[i].empty() && !is_temporary_name(parts[i])) return std::nullopt;
    if (to.empty() || to == "." || to == ".." || to.find('/') != std::string::npos) return std::nullopt;
    steps.push_back({parts[i], to});
  }
  return steps;
}

void write_journal(const std::string& folder, const std::vector<Step>& steps) {
  AtomicFile journal(in(folder, kJournal));
  journal.write(journal_text(steps));
  journal.finish();
  journal.publish();
  sync_folder(folder);
}

/// A step that was done before is done: its temporary name is gone.
bool do_step(const std::string& folder, const Step& step) {
  const std::string to = in(folder, step.to);
  if (step.from.empty()) return unlink(to.c_str()) == 0 || errno == ENOENT;
  return std::rename(in(folder, step.from).c_str(), to.c_str()) == 0 || errno == ENOENT;
}

/// On the disk before anything else happens here: a journal that came back would undo later work.
void remove_journal(const std::string& folder) {
  sync_folder(folder);
  unlink(in(folder, kJournal).c_str());
  sync_folder(folder);
}

/// The journal, if it is there and one of this user or of the owner of the folder wrote it: in a folder that all may
/// write to, a stranger must not have files renamed.
std::optional<std::vector<Step>> read_journal(const std::string& folder) {
  const Descriptor file(open(in(folder, kJournal).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file) return std::nullopt;
  struct stat info {};
  struct stat around {};
  if (fstat(file.get(), &info) != 0 || stat(folder.c_str(), &around) != 0 || !S_ISREG(info.st_mode)) return {};
  if (info.st_uid != geteuid() && info.st_uid != around.st_uid) return std::nullopt;
  std::string text;
  std::array<char, 4096> block{};
  ssize_t got = 0;
  while (text.size() < kMostBytes && (got = read(file.get(), block.data(), block.size())) > 0) {
    text.append(block.data(), static_cast<std::size_t>(got));
  }
  return parsed(text);
}

/// While the lock of the folder is held.
void complete(const std::string& folder) {
  const std::optional<std::vector<Step>> steps = read_journal(folder);
  if (!steps) return;
  for (const Step& step : *steps) {
    if (do_step(folder, step)) continue;
    throw Error(Fault::output, cat("the files in '", printable(folder),
                                   "' were being replaced when obverse was killed, "
                                   "and this user cannot complete that; run obverse again as their owner"));
  }
  remove_journal(folder);
}

/// Old files under a second name, as long as the new ones are not all in place.
class OldFiles {
 public:
  OldFiles(const std::string& folder, const std::vector<AtomicFile*>& files) : folder_(folder) {
    try {
      for (const AtomicFile* file : files) keep(*file);
    } catch (...) {
      remove();
      throw;
    }
  }
  ~OldFiles() { remove(); }
  OldFiles(const OldFiles&) = delete;
  OldFiles& operator=(const OldFiles&) = delete;

  bool can_restore() const { return can_restore_; }

  /// As far as it goes: the fault that led here is the one to tell. Where memory runs out on the way, the journal stays
  /// and the next command completes it.
  void restore() noexcept {
    try {
      try {
        write_journal(folder_, steps_);
      } catch (...) {
        unlink(in(folder_, kJournal).c_str());
      }
      for (const Step& step : steps_) (void)do_step(folder_, step);
      remove_journal(folder_);
    } catch (const std::exception&) {
      steps_.clear();  // the journal still needs the old files
    }
  }

 private:
  void keep(const AtomicFile& file) {
    steps_.push_back({{}, name_of(file.target())});
    struct stat info {};
    if (lstat(file.target().c_str(), &info) != 0) return;
    if (S_ISDIR(info.st_mode)) throw_output_error(file.path(), EISDIR);
    const std::string aside = link_aside(file.target());
    can_restore_ = can_restore_ && !aside.empty();
    steps_.back().from = name_of(aside);
  }

  /// What stays for lack of memory is removed by the next command, as after a kill.
  void remove() noexcept {
    try {
      for (const Step& step : steps_) {
        if (!step.from.empty()) unlink(in(folder_, step.from).c_str());
      }
    } catch (const std::exception&) {
    }
  }

  std::string folder_;
  std::vector<Step> steps_;
  bool can_restore_ = true;
};

}  // namespace

void publish_together(const std::string& folder, const std::vector<AtomicFile*>& files) {
  if (files.size() == 1) return files.front()->publish();
  const FolderLock guard(folder);
  complete(folder);
  OldFiles old(folder, files);
  std::vector<Step> steps;
  for (const AtomicFile* file : files) steps.push_back({name_of(file->temporary()), name_of(file->target())});
  write_journal(folder, steps);
  for (AtomicFile* file : files) {
    try {
      file->publish();
    } catch (...) {
      if (old.can_restore()) {
        old.restore();
      } else {  // the next one who comes here completes it
        for (AtomicFile* left : files) left->release();
      }
      throw;
    }
  }
  remove_journal(folder);
}

void complete_interrupted(const std::string& folder) {
  struct stat info {};
  if (lstat(in(folder, kJournal).c_str(), &info) != 0) return;
  const FolderLock guard(folder);
  complete(folder);
}

}  // namespace obverse
