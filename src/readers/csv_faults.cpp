#include "readers/csv_faults.h"

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {

std::string fault_text(const CsvFault& fault, std::size_t line, const CsvLayout& layout, const std::string& path) {
  using Kind = CsvFault::Kind;
  const std::string name = fault.column < layout.names.size() ? layout.names[fault.column] : "?";
  const std::string place = cat(path, ":", line, ": column '", excerpt(name), "': ");
  const std::string header_hint = line == 1 ? "; if this line is a header, say --header yes" : "";
  const std::string remedy = cat("; remove the row, fill the cell, or leave the column out with --drop ", name);
  const std::string found = cat("found '", excerpt(fault.value), "'");
  const std::string as_words = cat("; say --na ", excerpt(fault.value), " if that is a missing value, --as ", name,
                                   "=category if these are codes, or leave the column out with --drop ", name);
  switch (fault.kind) {
    case Kind::ragged:
      return cat(path, ":", line, ": expected ", layout.names.size(), " values, found ", fault.found,
                 "; is the separator ", layout.separator_name(), "?");
    case Kind::carriage_return:
      return cat(path, ":", line, ": expected ", layout.names.size(), " values, found ", fault.found,
                 " and a carriage return among them; do lines end in different ways? Convert them, for example with ",
                 "tr '\\r' '\\n'");
    case Kind::malformed:
      return cat(path, ":", line, ": ", fault.value);
    case Kind::not_declared:
      return cat(place, "expected ", fault.expected, ", ", found);
    case Kind::open_quote:
      return cat(place, "a quote opens in the record that begins here and never closes: \"", excerpt(fault.value),
                 "; close it, or write a quote inside quotes twice");
    case Kind::after_quote:
      return cat(place, "expected the end of the field after the closing quote of \"", excerpt(fault.value),
                 "\"; write a quote inside quotes twice");
    case Kind::empty_label:
      return cat(place, "expected a label, found an empty cell; remove the row or fill the cell");
    case Kind::empty_key:
      return cat(place, "expected a group or a time, found an empty cell; remove the row or fill the cell");
    case Kind::missing:
      return cat(place, "expected a number, ", trimmed(fault.value).empty() ? "found an empty cell" : found, remedy);
    case Kind::not_finite:
      return cat(place, "expected a finite number, ", found, remedy);
    case Kind::not_a_boolean:
      return cat(place, "expected true or false, yes or no, ", found, as_words);
    case Kind::not_a_date:
      return cat(place, "expected a date such as 2024-03-01, ", found, as_words);
    default:
      return cat(place, "expected a number, ", found, as_words, header_hint);
  }
}

void Troubles::refuse(const std::string& path) const {
  if (count_ == 0) return;
  if (count_ == 1) throw Error(Fault::input, texts_.front());
  std::string message = cat(path, ": ", count_, " troubles:");
  for (std::size_t i = 0; i < texts_.size(); ++i) message += cat(i > 0 ? "; (" : " (", i + 1, ") ", texts_[i]);
  if (count_ > texts_.size()) message += cat("; and ", count_ - texts_.size(), " more");
  throw Error(Fault::input, message);
}

}  // namespace obverse
