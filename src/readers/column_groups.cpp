#include "readers/column_groups.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include <obverse/error.h>

#include "readers/columns.h"
#include "support/file.h"
#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 26;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();
constexpr std::string_view kOption = "--column-groups";

bool has_wildcard(std::string_view text) { return text.find_first_of("*?") != std::string_view::npos; }

/// The names of one line, one after another.
class LineReader {
 public:
  LineReader(std::string_view line, std::string where) : rest_(line), where_(std::move(where)) { skip_blanks(); }

  bool at_end() const { return rest_.empty(); }
  bool take(char sign) {
    if (!rest_.starts_with(sign)) return false;
    rest_.remove_prefix(1);
    skip_blanks();
    return true;
  }
  /// Up to one of the signs, a comment or the end of the line.
  std::string name(std::string_view signs) {
    std::string out = rest_.starts_with('"') ? quoted() : plain(signs);
    skip_blanks();
    return out;
  }
  std::string_view rest() const { return rest_; }

 private:
  void skip_blanks() {
    rest_.remove_prefix(std::min(rest_.size(), rest_.find_first_not_of(" \t\r")));
    if (rest_.starts_with('#')) rest_ = {};
  }

  std::string quoted() {
    std::string out;
    for (std::size_t at = 1; at < rest_.size(); ++at) {
      if (rest_[at] != '"') {
        out += rest_[at];
      } else if (rest_.substr(at + 1).starts_with('"')) {
        out += rest_[at++];
      } else {
        rest_.remove_prefix(at + 1);
        return out;
      }
    }
    throw Error(Fault::input, cat(where_, ": a quote that does not end: ", excerpt(rest_)));
  }

  std::string plain(std::string_view signs) {
    std::size_t end = 0;
    while (end < rest_.size() && signs.find(rest_[end]) == std::string_view::npos &&
           !(rest_[end] == '#' && end > 0 && (rest_[end - 1] == ' ' || rest_[end - 1] == '\t'))) {
      ++end;
    }
    const std::string_view out = trimmed(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return std::string(out);
  }

  std::string_view rest_;
  std::string where_;
};

ColumnGroup group_of(std::string_view line, std::string where) {
  LineReader reader(line, where);
  ColumnGroup group{.name = reader.name("="), .columns = {}, .where = std::move(where)};
  if (group.name.empty() || !reader.take('=')) {
    throw Error(Fault::input, cat(group.where, ": expected NAME = COLUMN, COLUMN, ..., found '", excerpt(trimmed(line)),
                                  "'; a name with = or a comma in it is put in double quotes"));
  }
  while (!reader.at_end()) {
    std::string column = reader.name(",");
    if (!reader.at_end() && !reader.take(',')) {
      throw Error(Fault::input, cat(group.where, ": expected a comma behind the column '", excerpt(column),
                                    "', found '", excerpt(reader.rest()), "'"));
    }
    if (!column.empty()) group.columns.push_back(std::move(column));
  }
  if (group.columns.empty()) {
    throw Error(Fault::input, cat(group.where, ": group '", excerpt(group.name),
                                  "' has no columns; name them behind =, or remove the line"));
  }
  return group;
}

/// What groups make of the columns of a data set.
class Grouping {
 public:
  Grouping(const FeatureNames& columns, const std::vector<OtherColumn>& others, const std::string& path)
      : columns_(columns), index_(columns), others_(others), path_(path), group_(columns.size(), kNone) {}

  void add(const ColumnGroup& group, std::size_t number, const std::vector<ColumnGroup>& all) {
    if (index_.find(group.name) || other(group.name) != nullptr) {
      refuse(group, cat("group '", excerpt(group.name), "' has the name of a column; give the group another one"));
    }
    std::size_t members = 0;
    const auto put = [&](std::size_t column) {
      if (group_[column] != kNone && group_[column] != number) {
        refuse(group,
               cat("column '", excerpt(columns_[column]), "' is in two groups, '", excerpt(all[group_[column]].name),
                   "' and '", excerpt(group.name), "'; take it out of one of them"));
      }
      members += group_[column] == kNone ? 1 : 0;
      group_[column] = number;
    };
    for (const std::string& asked : group.columns) {
      if (const auto column = index_.find(asked)) {
        put(*column);
      } else if (has_wildcard(asked)) {
        put_fitting(group, asked, put);
      } else {
        refuse_column(group, asked);
      }
    }
    if (members == columns_.size()) {
      refuse(group, cat("group '", excerpt(group.name), "' holds all ", columns_.size(),
                        " columns, which leaves nothing to choose; leave some out of it"));
    }
  }

  GroupedColumns result(const std::vector<ColumnGroup>& groups) const {
    std::vector<std::vector<std::size_t>> members(groups.size());
    for (std::size_t c = 0; c < group_.size(); ++c) {
      if (group_[c] != kNone) members[group_[c]].push_back(c);
    }
    GroupedColumns out{.order = {}, .begin = {0}, .names = {}};
    for (std::size_t c = 0; c < group_.size(); ++c) {
      const bool grouped = group_[c] != kNone;
      if (grouped && members[group_[c]].front() != c) continue;
      out.names.push_back(grouped ? groups[group_[c]].name : columns_[c]);
      if (grouped) {
        out.order.insert(out.order.end(), members[group_[c]].begin(), members[group_[c]].end());
      } else {
        out.order.push_back(c);
      }
      out.begin.push_back(out.order.size());
    }
    return out;
  }

 private:
  [[noreturn]] void refuse(const ColumnGroup& group, const std::string& what) const {
    throw Error(Fault::input, cat(path_, ": ", what, " (", group.where, ")"));
  }

  const OtherColumn* other(std::string_view name) const {
    const auto it =
        std::find_if(others_.begin(), others_.end(), [&](const OtherColumn& one) { return one.name == name; });
    return it == others_.end() ? nullptr : &*it;
  }

  template <class Put>
  void put_fitting(const ColumnGroup& group, const std::string& pattern, const Put& put) const {
    bool any = false;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (!fits_pattern(columns_[c], pattern)) continue;
      put(c);
      any = true;
    }
    if (any) return;
    const auto only = std::find_if(others_.begin(), others_.end(),
                                   [&](const OtherColumn& one) { return fits_pattern(one.name, pattern); });
    if (only != others_.end()) {
      refuse(group, cat("only '", excerpt(only->name), "' fits the pattern '", excerpt(pattern),
                        "', and it is no feature: ", only->use));
    }
    refuse(group, cat("no column fits the pattern '", excerpt(pattern), "'; they are ", short_list(columns_)));
  }

  [[noreturn]] void refuse_column(const ColumnGroup& group, const std::string& asked) const {
    if (const OtherColumn* one = other(asked)) {
      refuse(group, cat("column '", excerpt(asked), "' cannot be in group '", excerpt(group.name),
                        "', because it is no feature: ", one->use, "; take it out of the group"));
    }
    const auto nearest = nearest_columns(columns_, asked);
    refuse(group,
           cat("there is no column '", excerpt(asked), "' for group '", excerpt(group.name), "'; ",
               nearest.empty() ? "they are " + short_list(columns_) : "did you mean " + short_list(nearest) + "?"));
  }

  const FeatureNames& columns_;
  NameIndex index_;
  const std::vector<OtherColumn>& others_;
  const std::string& path_;
  std::vector<std::size_t> group_;  // (columns) the number of its group, or none
};

}  // namespace

std::vector<ColumnGroup> parse_column_groups(std::string_view text, const std::string& path) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  std::vector<ColumnGroup> groups;
  std::unordered_map<std::string, std::string> places;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.size(), text.find('\n'));
    const std::string_view content = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (content.empty() || content.starts_with('#')) continue;
    groups.push_back(group_of(content, cat(path, ":", line)));
    const ColumnGroup& group = groups.back();
    const auto [first, is_new] = places.emplace(group.name, group.where);
    if (!is_new) {
      throw Error(Fault::input, cat(group.where, ": group '", excerpt(group.name), "' is in ", first->second,
                                    " already; give it one line, or another name"));
    }
  }
  if (groups.empty()) {
    throw Error(Fault::input, cat(path, ": no group of columns; expected a line NAME = COLUMN, COLUMN for each"));
  }
  return groups;
}

std::string column_groups_file(const std::vector<std::string>& asked) {
  return asked.size() == 1 && !has_wildcard(asked.front()) ? asked.front() : std::string();
}

std::vector<ColumnGroup> read_column_groups(const std::vector<std::string>& asked) {
  if (const std::string file = column_groups_file(asked); !file.empty()) {
    std::string text;
    try {
      text = read_text_file(file, kMostBytes);
    } catch (const Error& error) {
      throw Error(error.fault(),
                  cat(kOption, ": ", error.what(), "; expected a file of groups, or patterns such as 'sensor1_*'"));
    }
    return parse_column_groups(text, file);
  }
  std::vector<ColumnGroup> groups;
  for (const std::string& pattern : asked) {
    if (!has_wildcard(pattern)) {
      throw Error(Fault::usage, cat(kOption, ": expected patterns with a *, such as 'sensor1_*', or one file, found '",
                                    excerpt(pattern), "' among several"));
    }
    groups.push_back({.name = pattern, .columns = {pattern}, .where = std::string(kOption)});
  }
  return groups;
}

GroupedColumns grouped_columns(const FeatureNames& columns, const std::vector<ColumnGroup>& groups,
                               const std::vector<OtherColumn>& others, const std::string& path) {
  Grouping grouping(columns, others, path);
  for (std::size_t g = 0; g < groups.size(); ++g) grouping.add(groups[g], g, groups);
  return grouping.result(groups);
}

}  // namespace obverse
