// What a command reads and what it writes, told before any work: an output that is also an input, or another output,
// is refused. Files can be written through a FileGroup only, which takes what was declared here.
#pragma once

#include <sys/types.h>

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/file.h"

namespace obverse {

/// A file by what it is, not by its name: by device and number, or where it is not there yet, by its whole path.
struct FileIdentity {
  explicit FileIdentity(const std::string& path);

  bool same_as(const FileIdentity& other) const;

  std::string path;   ///< as given
  std::string whole;  ///< links followed
  std::optional<std::pair<dev_t, ino_t>> number;
  bool special = false;  ///< a device or a pipe: writing it destroys nothing
};

/// The files that a command reads. Empty paths stand for options that were not given. What a killed process left half
/// done in the folder of an input is completed here.
class Inputs {
 public:
  Inputs& file(const std::string& path);
  Inputs& files(std::initializer_list<std::string> paths);
  /// Every file in the folder and below but the one called `except`.
  Inputs& folder(const std::string& path, std::string_view except);
  /// A SQLite file and what SQLite keeps beside it.
  Inputs& store(const std::string& path);

  const std::vector<FileIdentity>& all() const { return all_; }

 private:
  std::vector<FileIdentity> all_;
};

/// The files that a command writes. Each call throws for a place that is an input or another output or cannot be
/// written; `option` is what the user typed for it.
class Outputs {
 public:
  explicit Outputs(Inputs inputs) : inputs_(std::move(inputs)) {}

  Outputs& file(std::string_view option, const std::string& path);
  /// Files of these names in a folder, which may have to be made.
  Outputs& folder(std::string_view option, const std::string& path, std::initializer_list<std::string_view> names);
  /// A folder for files whose names come out of the work: they are checked when they are written.
  Outputs& any_in_folder(std::string_view option, const std::string& path);
  /// A SQLite file that may exist and is added to.
  Outputs& store(std::string_view option, const std::string& path);

  /// For FileGroup: throws unless the path was declared, and for a folder of any names, if it is an input.
  void require(const std::string& path) const;

 private:
  struct Place {
    std::string option;
    FileIdentity file;
  };

  void declare(std::string_view option, const std::string& path);
  void refuse_input(std::string_view option, const FileIdentity& file) const;
  void refuse_folder_as_file(const Place& folder, const Place& file) const;

  Inputs inputs_;
  std::vector<Place> files_;
  std::vector<Place> folders_;
  std::vector<Place> open_folders_;
};

/// Several files that appear together. Those of one folder: all or none, even if the process is killed; those of
/// several folders: one folder after another.
class FileGroup {
 public:
  explicit FileGroup(Outputs outputs) : outputs_(std::move(outputs)) {}
  ~FileGroup();  ///< removes what was not committed, and the folders made for it
  FileGroup(const FileGroup&) = delete;
  FileGroup& operator=(const FileGroup&) = delete;

  /// Makes the folder where there is none: those above it at once, itself when the group is committed.
  void make_folder(const std::string& path);
  AtomicFile& add(const std::string& path);
  void commit();

 private:
  struct NewFolder {
    std::string path;
    Temporary built;  ///< what it is until then
  };

  void prepare(const std::string& folder);
  void publish(NewFolder& folder);
  NewFolder* new_folder(const std::string& path);

  Outputs outputs_;
  std::vector<std::string> prepared_;
  std::vector<std::string> made_folders_;
  std::vector<NewFolder> new_folders_;
  std::vector<std::unique_ptr<AtomicFile>> files_;
  bool committed_ = false;
};

}  // namespace obverse
