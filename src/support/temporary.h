// Temporary files and folders beside the place that they are made for, and what a killed process left of them. A live
// process holds a lock (flock) on each of its temporaries; one that nobody holds is left over and may be removed.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace obverse {

/// The folder that a path lies in; "." for a plain name.
std::string folder_of(const std::string& path);
/// The path with links followed; as it is where it does not exist.
std::string resolved(const std::string& path);

/// A file or folder descriptor that closes itself, and with it ends its lock.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() { reset(); }
  Descriptor(Descriptor&& other) noexcept : number_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  int release();
  void reset();

 private:
  int number_ = -1;
};

/// A temporary that this process holds.
struct Temporary {
  std::string path;
  Descriptor descriptor;  ///< open and locked; for writing if it is a file
};

/// Throws Error(Fault::output) about `path`, the place that it is made for.
Temporary make_temporary_file(const std::string& path, const std::string& target);
Temporary make_temporary_folder(const std::string& path, const std::string& target);
/// A second name of the file `target`, to put it back; empty where the file system has no such thing.
std::string link_aside(const std::string& target);

/// Whether a name, without its folder, is one that the functions above give.
bool is_temporary_name(std::string_view name);

/// Held while several files of a folder change together. Waits a few seconds for another holder, then goes on without.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder, bool wait = true);
  bool held() const { return held_; }

 private:
  Descriptor descriptor_;
  bool held_ = false;
};

/// Removes what dead processes of this user left in the folder. Best effort: never throws for a file that stays.
void remove_left_over(const std::string& folder);

}  // namespace obverse
