// A small finished study in a store, and edits of its rows by SQL that an input spells out. Each edit names a table, a
// row and a column, and what becomes of the value there.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace obverse::fuzz {

/// The bytes of the store that edits begin with.
const std::string& small_store();

/// Writes a store to `path`.
void write_store(const std::string& path, std::string_view bytes);

/// Applies the edits that the bytes stand for; one that SQLite refuses is passed over. An edit is
///   operation, table, row, column (one byte each), then by the operation
///   0 set:     a value
///   1 splice:  offset (2), bytes to cut, then length and bytes to put there
///   2 repeat:  offset (2), times (2), then length and the bytes to put there so often
///   3 copy:    a value for the column of a second row like this one
///   4 remove:  nothing; the row goes
///   5 schema:  the number of a change of the tables
/// and a value is its kind and what belongs to it: 0 null, 1 a number of one byte, 2 of eight bytes, 3 a double,
/// 4 text and 5 a blob, both with a length in front.
void edit_store(const std::string& path, std::span<const std::uint8_t> edits);

}  // namespace obverse::fuzz
