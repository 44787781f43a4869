// Columns by name or number, and messages that help when there is no such column.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace obverse {

/// prefix1, prefix2, ...: the number is the position in the file, from `first` on.
std::vector<std::string> numbered_names(std::string_view prefix, std::size_t count, std::size_t first = 1);
/// pixel_ROW_COL from 0, row by row.
std::vector<std::string> pixel_names(std::size_t height, std::size_t width);

/// The column with this name, or else with this number: from 1, or from the end when negative.
std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view wanted);

/// As find_column; throws Error with the nearest names. `role`: "target column", "column to drop".
std::size_t expect_column(std::span<const std::string> names, std::string_view wanted, const std::string& path,
                          std::string_view role);

/// "a, b, c, ... y, z": all of a few names, the first and last of many.
std::string short_list(std::span<const std::string> names);

/// Throws Error for columns that a file lacks.
[[noreturn]] void refuse_missing(const std::string& path, std::span<const std::string> missing);

/// Names empty columns by position (c3) and renames repeated ones (x, x.2, x.3); returns a note if it did either.
std::string make_unique_names(std::vector<std::string>& names);

}  // namespace obverse
