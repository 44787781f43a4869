// The careful way through the fields of a CSV text.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace obverse {

/// The fields of one record after another, with every rule: quotes, doubled quotes, newlines in quotes, spaces as
/// separators (any run of them counts as one).
class FieldReader {
 public:
  enum class Fault { none, open_quote, after_quote };

  FieldReader(std::string_view text, char separator) : text_(text), separator_(separator) {}

  /// Goes to the next record; false at the end of the text.
  bool next_record();
  /// Takes a field of the record. Valid until the next call; not trimmed.
  std::string_view next_field();
  bool record_ended() const { return record_ended_; }
  Fault fault() const { return fault_; }
  /// Newlines behind us.
  std::size_t lines() const { return lines_; }
  std::size_t position() const { return at_; }

 private:
  bool spaces_separate() const { return separator_ == ' '; }
  bool ends_field(char c) const { return c == separator_ || c == '\n' || (spaces_separate() && c == '\t'); }
  void skip_spaces();
  void close_field();
  std::string_view quoted_field();

  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  std::size_t lines_ = 0;
  bool record_ended_ = true;
  Fault fault_ = Fault::none;
  std::string unquoted_;
};

/// Where the last whole record ends, quotes heeded; 0 if none does.
std::size_t last_record_end(std::string_view text, char separator);

}  // namespace obverse
