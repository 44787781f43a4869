// The elements of a MAT v5 file: its variables, and the parts of one.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "readers/bytes.h"
#include "readers/numbers.h"

namespace obverse {

/// Classes of variables, as the file numbers them.
enum class MatClass : std::uint32_t {
  cell = 1,
  structure = 2,
  object = 3,
  text = 4,
  sparse = 5,
  real64 = 6,
  real32 = 7,
  int8 = 8,
  uint8 = 9,
  int16 = 10,
  uint16 = 11,
  int32 = 12,
  uint32 = 13,
  int64 = 14,
  uint64 = 15
};

/// What a variable says of itself in front of its values.
struct MatVariable {
  std::string name;
  MatClass kind = MatClass::real64;
  bool complex = false;
  bool logical = false;
  std::vector<std::uint64_t> dimensions;
};

/// The parts of one variable, one after another. Each is checked against what is left of the variable.
class MatParts {
 public:
  /// `bytes` begins with the tag of the variable; `path` is for messages.
  MatParts(std::unique_ptr<ByteStream> bytes, bool big_endian);

  const MatVariable& variable() const { return variable_; }
  /// Whether the variable has a name and dimensions; objects of MATLAB's own classes have not.
  bool readable() const { return readable_; }

  /// A list of numbers comes next: its type, and how many of them. They have to be taken from stream(), then closed.
  ArrayLayout next_numbers(const std::string& what);
  void close_numbers();
  ByteStream& stream() { return *bytes_; }
  /// Throws Error unless the variable ends here.
  void expect_end();

 private:
  struct Tag {
    std::uint32_t type = 0;
    std::uint64_t bytes = 0;
    std::uint64_t padding = 0;
  };
  [[noreturn]] void refuse(const std::string& why) const;
  std::uint32_t take_word(const char* what);
  Tag take_tag(const char* what);
  void take_padding(const Tag& tag);
  void read_flags();
  void read_dimensions();
  void read_name();

  std::unique_ptr<ByteStream> bytes_;
  bool big_endian_;
  std::uint64_t left_ = 0;  ///< of the variable
  Tag open_;                ///< of the numbers that are being read
  MatVariable variable_;
  bool readable_ = false;
};

/// A MAT v5 file, by its variables.
class MatFile {
 public:
  explicit MatFile(const ByteStream& file);

  const std::string& path() const { return path_; }
  /// In the order of the file.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const { return places_.contains(name); }
  MatParts open(const std::string& name) const;

 private:
  struct Place {
    std::uint64_t offset = 0;  ///< of the tag, or of the packed bytes behind it
    std::uint64_t bytes = 0;
    bool compressed = false;
  };
  [[noreturn]] void refuse(std::uint64_t at, const std::string& why) const;
  MatParts parts(const Place& place) const;

  std::string path_;
  FileSlices slices_;
  bool big_endian_ = false;
  std::vector<std::string> names_;
  std::map<std::string, Place> places_;
};

}  // namespace obverse
