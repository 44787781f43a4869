// The values of a database, checked as they are read: SQLite keeps any value in any column, and whoever wrote a file
// may have chosen every one of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/error.h>

#include "support/sqlite.h"

namespace obverse {

/// Longer texts are not read unless they are asked for.
inline constexpr std::size_t kMostTextBytes = std::size_t{1} << 21;

/// The Error for a wrong value; `what` says what was expected and found.
Error damaged(const Database& database, std::string_view table, std::string_view row, std::string_view what);

/// The rows of a query, whose first columns are the key of the table. A value that cannot be is an Error that names the
/// file, the table, the row and the column.
class CheckedRows {
 public:
  CheckedRows(const Database& database, std::string_view table, int key_columns, std::string_view sql)
      : database_(database), table_(table), key_columns_(key_columns), rows_(database, sql) {}

  template <class... Values>
  CheckedRows& with(const Values&... values) {
    rows_.with(values...);
    return *this;
  }
  bool next() { return rows_.next(); }

  std::int64_t whole(int column, std::int64_t least = std::numeric_limits<std::int64_t>::min(),
                     std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  std::size_t count(int column, std::size_t least, std::size_t most) const;
  bool flag(int column) const { return whole(column, 0, 1) != 0; }
  /// A finite number.
  double real(int column, double least = std::numeric_limits<double>::lowest(),
              double most = std::numeric_limits<double>::max()) const;
  bool is_null(int column) const { return rows_.type(column) == Statement::Type::null; }
  /// UTF-8.
  std::string text(int column, std::size_t most_bytes = kMostTextBytes) const;
  /// Which of the names it is.
  std::size_t word(int column, std::span<const std::string_view> names) const;
  /// The numbers that `Statement::with` took as a list of this type.
  template <class T>
  std::vector<T> values(int column) const {
    const std::span<const std::byte> found = bytes(column, sizeof(T));
    std::vector<T> list(found.size() / sizeof(T));
    if (!list.empty()) std::memcpy(list.data(), found.data(), found.size());
    return list;
  }

  /// Runs `body` on a value of the column; an Error that it throws is one of this row.
  template <class Body>
  auto checked(int column, Body body) const {
    try {
      return body();
    } catch (const Error& error) {
      refuse(column, error.what());
    }
  }
  /// A condition on the column that needs more than the column to decide.
  void require(bool holds, int column, std::string_view what) const {
    if (!holds) refuse(column, what);
  }
  [[noreturn]] void refuse(int column, std::string_view what) const;

 private:
  std::span<const std::byte> bytes(int column, std::size_t size_of_one) const;
  [[noreturn]] void refuse_value(int column, std::string_view expected) const;
  std::string shown(int column) const;

  const Database& database_;
  std::string_view table_;
  int key_columns_;
  Statement rows_;
};

}  // namespace obverse
