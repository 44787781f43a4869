// Columns by name or number, and messages that help when there is no such column.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/feature_names.h>

namespace obverse {

/// The column with this name, or else with this number: from 1, or from the end when negative.
std::optional<std::size_t> find_column(const FeatureNames& names, std::string_view wanted);

/// As find_column; throws Error with the nearest names. `role`: "target column", "column to drop".
std::size_t expect_column(const FeatureNames& names, std::string_view wanted, const std::string& path,
                          std::string_view role);

/// Whether the text fits a pattern, in which * stands for any characters and ? for one.
bool fits_pattern(std::string_view text, std::string_view pattern);

/// Whether it has * or ? and is no column's name.
bool is_pattern(const FeatureNames& names, std::string_view asked);

/// The columns to leave out, ascending. In a name that no column has, * stands for any characters and ? for one;
/// what such a pattern says of the column `kept` does not count. `lenient`: columns need not be there.
std::vector<std::size_t> columns_to_drop(const FeatureNames& names, const std::vector<std::string>& asked,
                                         const std::string& path, bool lenient, std::string_view kept);

/// Names that look like the wanted one, nearest first; none where there are too many to look at.
std::vector<std::string> nearest_columns(const FeatureNames& names, std::string_view wanted);

/// "a, b, c, ... y, z": all of a few names, the first and last of many.
std::string short_list(const FeatureNames& names);

/// Throws Error for columns that a file lacks.
[[noreturn]] void refuse_missing(const std::string& path, const std::vector<std::string>& missing);

/// Names that occur more than once, each once; those of columns without a name do not count.
std::vector<std::string> repeated_names(const std::vector<std::string>& names);

/// Names empty columns by position (c3) and renames repeated ones (x, x.2, x.3); returns a note if it did either.
std::string make_unique_names(std::vector<std::string>& names);

}  // namespace obverse
