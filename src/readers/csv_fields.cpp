// One character at a time where quotes or runs of spaces ask for it.
#include "readers/csv_fields.h"

#include <algorithm>

namespace obverse {

bool FieldReader::next_record() {
  // Lines without anything but spaces are no records.
  while (at_ < text_.size()) {
    const std::size_t end = text_.find_first_not_of(spaces_separate() ? " \t\r" : " \r", at_);
    if (end == std::string_view::npos) {
      at_ = text_.size();
    } else if (text_[end] == '\n') {
      at_ = end + 1;
      ++lines_;
    } else {
      break;
    }
  }
  record_ended_ = at_ >= text_.size();
  if (spaces_separate()) skip_spaces();
  return !record_ended_;
}

void FieldReader::skip_spaces() {
  while (at_ < text_.size() && (text_[at_] == ' ' || (spaces_separate() && text_[at_] == '\t'))) ++at_;
}

std::string_view FieldReader::next_field() {
  const std::size_t begin = at_;
  skip_spaces();
  if (at_ < text_.size() && text_[at_] == '"') return quoted_field();
  at_ = begin;
  while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
  std::string_view field = text_.substr(begin, at_ - begin);
  if (field.ends_with('\r')) field.remove_suffix(1);
  close_field();
  return field;
}

std::string_view FieldReader::quoted_field() {
  unquoted_.clear();
  for (++at_;; at_ += 2) {
    const std::size_t quote = text_.find('"', at_);
    const std::string_view part = text_.substr(at_, quote - at_);
    lines_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    unquoted_ += part;
    if (quote == std::string_view::npos) {
      at_ = text_.size();
      fault_ = Fault::open_quote;
      record_ended_ = true;
      return unquoted_;
    }
    at_ = quote;
    if (quote + 1 >= text_.size() || text_[quote + 1] != '"') break;
    unquoted_ += '"';
  }
  ++at_;
  const std::size_t rest = at_;
  while (at_ < text_.size() && !ends_field(text_[at_])) ++at_;
  if (text_.substr(rest, at_ - rest).find_first_not_of(" \r") != std::string_view::npos) fault_ = Fault::after_quote;
  close_field();
  return unquoted_;
}

/// Behind the separator, or behind the newline that ends the record.
void FieldReader::close_field() {
  if (spaces_separate()) {
    skip_spaces();
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
  }
  record_ended_ = at_ >= text_.size() || text_[at_] == '\n';
  if (at_ >= text_.size() || (spaces_separate() && !record_ended_)) return;
  lines_ += static_cast<std::size_t>(record_ended_);
  ++at_;
}

std::size_t last_record_end(std::string_view text, char separator) {
  if (text.find('"') == std::string_view::npos) {
    const std::size_t newline = text.rfind('\n');
    return newline == std::string_view::npos ? 0 : newline + 1;
  }
  FieldReader reader(text, separator);
  std::size_t end = 0;
  while (reader.next_record()) {
    while (!reader.record_ended()) reader.next_field();
    if (reader.fault() == FieldReader::Fault::open_quote || text[reader.position() - 1] != '\n') break;
    end = reader.position();
  }
  return end;
}

}  // namespace obverse
