// What is wrong with a CSV file, in words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "readers/csv_layout.h"

namespace obverse {

/// What is wrong with a record; the line counts from the start of the text that was looked at.
struct CsvFault {
  enum class Kind {
    none,
    not_a_number,
    not_a_boolean,
    not_a_date,
    missing,
    not_finite,
    ragged,
    carriage_return,  ///< inside a ragged record
    open_quote,
    after_quote,
    empty_label,
    empty_key,
    not_declared,  ///< no value of a category that the file lists
    malformed      ///< `value` is the message
  };
  Kind kind = Kind::none;
  std::size_t line = 0;
  std::size_t column = 0;  ///< of the file
  std::string value = {};
  std::size_t found = 0;      ///< fields in a ragged record
  std::string expected = {};  ///< of a cell that is not declared
};

/// The whole message, with the line of the file.
std::string fault_text(const CsvFault& fault, std::size_t line, const CsvLayout& layout, const std::string& path);

/// All that is wrong with a file: the first few are kept, the others counted.
class Troubles {
 public:
  void add(std::string text) {
    ++count_;
    if (texts_.size() < kKept) texts_.push_back(std::move(text));
  }
  /// Throws Error where there are any.
  void refuse(const std::string& path) const;

 private:
  static constexpr std::size_t kKept = 5;
  std::size_t count_ = 0;
  std::vector<std::string> texts_;
};

}  // namespace obverse
