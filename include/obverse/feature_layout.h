// How the features of a table, as people think of them, lie in the columns of its storage.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/feature_names.h>

namespace obverse {

/// What the values of a column are.
enum class ColumnKind : std::uint8_t {
  number,    ///< itself
  boolean,   ///< 0 or 1
  category,  ///< the number of one of its levels
  date       ///< the number of one of its levels, which are dates and times as text, in the order of time
};
std::span<const std::string_view> names(ColumnKind);

/// Empty lists stand for the plain case: column f is feature f, and every value is a number that is there.
/// A table has kinds, and NaN where a value is missing; `Encoding` makes numbers alone of it.
struct FeatureLayout {
  /// (features + 1) feature f has the columns begin[f] to begin[f + 1] - 1; empty: one each.
  std::vector<std::size_t> begin = {};
  std::vector<ColumnKind> kinds = {};                 ///< (columns) of a table; empty: numbers, none of them missing
  std::vector<std::vector<std::string>> levels = {};  ///< (columns) texts of a category or date by number; of a table
  std::vector<char> flags = {};    ///< (columns) of an encoded table: 1 for a level or a missing value, which is 0 or 1
  FeatureNames column_names = {};  ///< (columns) as the file has them, where features are groups of columns; else none

  bool is_table() const { return !kinds.empty(); }
  std::size_t first(std::size_t feature) const { return begin.empty() ? feature : begin[feature]; }
  /// Behind the last column of a feature.
  std::size_t end(std::size_t feature) const { return first(feature + 1); }
  bool operator==(const FeatureLayout& other) const = default;
};

}  // namespace obverse
