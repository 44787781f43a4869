// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace obverse {

/// A file under a temporary name in the folder of its own, until `publish` renames it. An existing device or pipe is
/// written directly. Every fault is an Error with the path.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  ~AtomicFile();  ///< removes the temporary file unless it was published
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void finish();   ///< what was written is on the disk
  void publish();  ///< after `finish`: the file has its own name

  const std::string& path() const { return path_; }
  /// Where a library that writes by name has to write; empty for a device or a pipe.
  const std::string& temporary() const { return temporary_; }

 private:
  void flush();
  void close_descriptor() noexcept;

  std::string path_;
  std::string target_;     ///< the path with links followed
  std::string temporary_;  ///< empty: written directly
  std::string buffer_;
  int descriptor_ = -1;
};

/// Several files, and the folder they go to, that appear together.
class FileGroup {
 public:
  FileGroup() = default;
  ~FileGroup();  ///< removes what was not committed, and the folders made for it
  FileGroup(const FileGroup&) = delete;
  FileGroup& operator=(const FileGroup&) = delete;

  /// Makes the folder, and those above it, where they do not exist.
  void make_folder(const std::string& path);
  AtomicFile& add(const std::string& path);
  void commit();

 private:
  std::vector<std::unique_ptr<AtomicFile>> files_;
  std::vector<std::string> made_folders_;
  bool committed_ = false;
};

/// Throws when a file of that name could not be made: asked before the work, not after it.
void check_writable(const std::string& path);
/// The same for a folder that may have to be made.
void check_writable_folder(const std::string& path);

/// The whole file; more than `most` bytes are an Error.
std::string read_text_file(const std::string& path, std::size_t most);

/// Error(Fault::output) for a system fault while writing, with what to do about it.
[[noreturn]] void throw_output_error(const std::string& path, int fault);

}  // namespace obverse
