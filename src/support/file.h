// Files that appear whole or not at all.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/temporary.h"

namespace obverse {

/// A file under a temporary name until `publish` renames it. An existing device or pipe is written directly. Every
/// fault is an Error with the path.
class AtomicFile {
 public:
  explicit AtomicFile(std::string path);
  /// For a file of a new folder, which is built as `folder` before it gets its name.
  AtomicFile(std::string path, const std::string& folder);
  ~AtomicFile();  ///< removes the temporary file unless it was published
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  void write(std::string_view bytes);
  void finish();   ///< what was written is on the disk
  void publish();  ///< after `finish`: the file has its own name

  const std::string& path() const { return path_; }
  const std::string& target() const { return target_; }
  const std::string& temporary() const { return temporary_; }
  /// A device or a pipe: bytes can only be appended to it.
  bool is_direct() const { return temporary_.empty(); }
  /// For a library that seeks while it writes, instead of `write`.
  int descriptor() const { return descriptor_.get(); }

  /// Moves a finished file of a new folder to a temporary name in the folder, which exists by now.
  void move_beside_target();
  /// Its temporary name is no longer this object's to remove.
  void release() { temporary_.clear(); }

 private:
  void flush();

  std::string path_;
  std::string target_;     ///< the path with links followed
  std::string temporary_;  ///< empty: written directly, or published
  std::string buffer_;
  Descriptor descriptor_;  ///< holds the lock of the temporary file until it is published
};

/// Writes one file, whole or not at all.
void write_file(const std::string& path, const std::function<void(AtomicFile&)>& fill);

/// Throws when a file of that name could not be made: asked before the work, not after it.
void check_writable(const std::string& path);
/// The same for a folder that may have to be made.
void check_writable_folder(const std::string& path);

/// The names in a folder, without . and ..; as many as can be read. The iterators of std::filesystem end the program
/// where memory runs out.
std::vector<std::string> entries_of(const std::string& folder);

/// The whole file; more than `most` bytes are an Error.
std::string read_text_file(const std::string& path, std::size_t most);

/// Error(Fault::output) for a system fault while writing, with what to do about it.
[[noreturn]] void throw_output_error(const std::string& path, int fault);

}  // namespace obverse
