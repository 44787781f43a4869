#include "support/checked_rows.h"

#include <algorithm>
#include <cmath>

#include "support/text.h"

namespace obverse {

Error damaged(const Database& database, std::string_view table, std::string_view row, std::string_view what) {
  return Error(Fault::input, cat(printable(database.path()), ": the ", database.words().noun, " is damaged: table ",
                                 table, ", ", row, ": ", what, "; ", database.words().advice));
}

std::int64_t CheckedRows::whole(int column, std::int64_t least, std::int64_t most) const {
  const bool is_whole = rows_.type(column) == Statement::Type::integer;
  const std::int64_t value = is_whole ? rows_.integer(column) : 0;
  if (!is_whole || value < least || value > most) {
    refuse_value(column, cat("a whole number from ", least, " to ", most));
  }
  return value;
}

std::size_t CheckedRows::count(int column, std::size_t least, std::size_t most) const {
  return static_cast<std::size_t>(whole(column, static_cast<std::int64_t>(least), static_cast<std::int64_t>(most)));
}

double CheckedRows::real(int column, double least, double most) const {
  const Statement::Type type = rows_.type(column);
  const bool is_number = type == Statement::Type::real || type == Statement::Type::integer;
  const double value = is_number ? rows_.real(column) : 0;
  if (!is_number || !std::isfinite(value) || value < least || value > most) {
    const bool bounded = least > std::numeric_limits<double>::lowest() || most < std::numeric_limits<double>::max();
    refuse_value(column, bounded ? cat("a number from ", least, " to ", most) : "a finite number");
  }
  return value;
}

std::string CheckedRows::text(int column, std::size_t most_bytes) const {
  if (rows_.type(column) != Statement::Type::text) refuse_value(column, "text");
  if (const std::size_t size = rows_.bytes(column).size(); size > most_bytes) {
    refuse(column, cat("expected at most ", most_bytes, " bytes, found ", size));
  }
  std::string text = rows_.text(column);
  if (valid_utf8(text) != text) refuse_value(column, "UTF-8 text");
  return text;
}

std::size_t CheckedRows::word(int column, std::span<const std::string_view> names) const {
  const auto found = std::find(names.begin(), names.end(), text(column));
  if (found == names.end()) refuse_value(column, join(names, " or "));
  return static_cast<std::size_t>(found - names.begin());
}

std::span<const std::byte> CheckedRows::bytes(int column, std::size_t size_of_one) const {
  if (rows_.type(column) != Statement::Type::bytes) refuse_value(column, "bytes");
  const std::span<const std::byte> found = rows_.bytes(column);
  if (found.size() % size_of_one != 0) {
    refuse(column, cat("expected numbers of ", size_of_one, " bytes, found ", found.size(), " bytes"));
  }
  return found;
}

void CheckedRows::refuse(int column, std::string_view what) const {
  std::vector<std::string> key;
  for (int i = 0; i < key_columns_; ++i) key.push_back(cat(rows_.name(i), " ", shown(i)));
  throw damaged(database_, table_, "row " + join(key), cat(rows_.name(column), ": ", what));
}

void CheckedRows::refuse_value(int column, std::string_view expected) const {
  refuse(column, cat("expected ", expected, ", found ", shown(column)));
}

std::string CheckedRows::shown(int column) const {
  switch (rows_.type(column)) {
    case Statement::Type::null:
      return "nothing";
    case Statement::Type::integer:
      return cat(rows_.integer(column));
    case Statement::Type::real:
      return cat(rows_.real(column));
    case Statement::Type::text:
      return cat('\'', excerpt(rows_.text(column)), '\'');
    case Statement::Type::bytes:
      break;
  }
  return cat(rows_.bytes(column).size(), " bytes");
}

}  // namespace obverse
