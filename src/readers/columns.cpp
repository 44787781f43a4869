// Looking columns up, and the words for when that fails.
#include "readers/columns.h"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <unordered_set>

#include <obverse/error.h>

namespace obverse {
namespace {

std::optional<long long> whole_number(std::string_view text) {
  long long number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

/// Every column has a name of its own in memory, so that a claim of billions is refused before they are made.
void check_count(std::size_t count) {
  constexpr std::size_t kMostColumns = std::size_t{1} << 26;
  if (count <= kMostColumns) return;
  throw Error(Fault::input,
              cat("expected at most ", kMostColumns, " columns, found ", count, "; are rows and columns exchanged?"));
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Levenshtein's distance, blind to case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t changed = diagonal + (lower(a[i]) == lower(b[j]) ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, diagonal + 1, row[j] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> numbered_names(std::string_view prefix, std::size_t count, std::size_t first) {
  check_count(count);
  std::vector<std::string> names;
  names.reserve(count);
  for (std::size_t i = 0; i < count; ++i) names.push_back(std::string(prefix) + std::to_string(first + i));
  return names;
}

std::vector<std::string> pixel_names(std::size_t height, std::size_t width) {
  check_count(height * width);
  std::vector<std::string> names;
  names.reserve(height * width);
  for (std::size_t y = 0; y < height; ++y) {
    for (std::size_t x = 0; x < width; ++x) names.push_back("pixel_" + std::to_string(y) + "_" + std::to_string(x));
  }
  return names;
}

std::optional<std::size_t> find_column(std::span<const std::string> names, std::string_view wanted) {
  const auto it = std::find(names.begin(), names.end(), wanted);
  if (it != names.end()) return static_cast<std::size_t>(it - names.begin());
  const auto number = whole_number(wanted);
  const auto count = static_cast<long long>(names.size());
  if (!number || *number == 0 || *number > count || *number < -count) return std::nullopt;
  return static_cast<std::size_t>(*number > 0 ? *number - 1 : count + *number);
}

std::size_t expect_column(std::span<const std::string> names, std::string_view wanted, const std::string& path,
                          std::string_view role) {
  if (const auto found = find_column(names, wanted)) return *found;
  const auto nearest = nearest_names(names, wanted);
  throw Error(Fault::input,
              cat(path, ": there is no ", role, " '", wanted, "' among the ", names.size(), " columns; ",
                  nearest.empty() ? "they are " + short_list(names) : "did you mean " + short_list(nearest) + "?"));
}

std::vector<std::string> nearest_names(std::span<const std::string> names, std::string_view wanted) {
  constexpr std::size_t kMost = 3;
  const std::size_t limit = std::max<std::size_t>(2, wanted.size() / 2);
  std::vector<std::pair<std::size_t, std::size_t>> found;  // distance, position
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::size_t longer = std::max(names[i].size(), wanted.size());
    const std::size_t shorter = std::min(names[i].size(), wanted.size());
    if (longer - shorter > limit) continue;
    const std::size_t distance = edit_distance(names[i], wanted);
    if (distance <= limit && distance < longer) found.emplace_back(distance, i);
  }
  const auto kept = static_cast<std::ptrdiff_t>(std::min(kMost, found.size()));
  std::partial_sort(found.begin(), found.begin() + kept, found.end());
  std::vector<std::string> nearest;
  for (std::ptrdiff_t i = 0; i < kept; ++i) nearest.push_back(names[found[static_cast<std::size_t>(i)].second]);
  return nearest;
}

std::string short_list(std::span<const std::string> names) {
  constexpr std::size_t kFirst = 5;
  constexpr std::size_t kLast = 3;
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > kFirst + kLast && i == kFirst) {
      list += ", ...";
      i = names.size() - kLast;
    }
    list += (list.empty() ? "" : ", ") + shown(names[i]);
  }
  return list;
}

void refuse_missing(const std::string& path, std::span<const std::string> missing) {
  throw Error(Fault::input, cat(path, ": ", missing.size(), missing.size() == 1 ? " column is" : " columns are",
                                " missing that the other data has: ", short_list(missing)));
}

std::string shown(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out(text.substr(0, kLongest));
  for (char& c : out) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = '?';
  }
  if (text.size() > kLongest) out += "...";
  return out;
}

std::string make_unique_names(std::vector<std::string>& names) {
  const std::unordered_set<std::string> given(names.begin(), names.end());
  std::unordered_map<std::string, std::size_t> uses;
  std::vector<std::string> renamed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool unnamed = names[i].empty();
    const std::string base = unnamed ? "c" + std::to_string(i + 1) : names[i];
    std::size_t& use = uses[base];
    if (++use == 1 && !(unnamed && given.contains(base))) {
      names[i] = base;
    } else {
      use = std::max<std::size_t>(use, 2);
      while (given.contains(base + "." + std::to_string(use))) ++use;
      names[i] = base + "." + std::to_string(use);
    }
    if (unnamed || use > 1) renamed.push_back(names[i]);
  }
  if (renamed.empty()) return {};
  return cat(renamed.size(), " column(s) without a name of their own in the header are called ", short_list(renamed));
}

}  // namespace obverse
