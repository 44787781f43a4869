// NumPy archives: a zip of arrays, each made while it is written.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "support/file.h"

namespace obverse {

/// One array of an archive.
struct NpyArray {
  std::string name;                ///< X becomes X.npy
  std::string type;                ///< "<f4", "|u1", "<i8", "<U12"
  std::vector<std::size_t> shape;  ///< row-major
  /// Appends the bytes of one entry of the first axis.
  std::function<void(std::size_t, std::string&)> append_entry;
};

/// An array of texts, as UTF-32 padded to the longest.
NpyArray text_array(std::string name, const std::vector<std::string>& texts);

/// Fills the file, which must not be a device or a pipe. The same arrays give the same bytes.
void write_npz(const std::vector<NpyArray>& arrays, const AtomicFile& file);

}  // namespace obverse
