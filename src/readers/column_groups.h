// Columns that are one feature: groups by patterns, or as a file lists them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include <obverse/feature_names.h>

namespace obverse {

/// A group as it was asked for.
struct ColumnGroup {
  std::string name;
  std::vector<std::string> columns;  ///< names, and patterns in which * stands for any characters and ? for one
  std::string where;                 ///< for messages: "groups.txt:3", "--column-groups"
};

/// The groups of a text, one per line: NAME = COLUMN, COLUMN, PATTERN. A name in double quotes may contain commas, =, #
/// and doubled quotes. Blank lines are skipped, and so is a comment: everything after a # that follows a blank.
std::vector<ColumnGroup> parse_column_groups(std::string_view text, const std::string& path);

/// Patterns, each of which is a group of its name, or the groups of the file that is named.
std::vector<ColumnGroup> read_column_groups(const std::vector<std::string>& asked);

/// The file among what was asked for; empty where patterns were.
std::string column_groups_file(const std::vector<std::string>& asked);

/// A column that is there and no feature, and why: the target.
struct OtherColumn {
  std::string name;
  std::string use;
};

/// How columns lie side by side by group. A group is where its first column was.
struct GroupedColumns {
  std::vector<std::size_t> order;  ///< (columns) as they are now, by the number they had
  std::vector<std::size_t> begin;  ///< (features + 1) the first columns of the features
  std::vector<std::string> names;  ///< (features)
};

/// Puts each column into the group that names it, or leaves it a feature of its own. Throws Error for groups that do
/// not fit the columns of the data at `path`.
GroupedColumns grouped_columns(const FeatureNames& columns, const std::vector<ColumnGroup>& groups,
                               const std::vector<OtherColumn>& others, const std::string& path);

}  // namespace obverse
