// Looking columns up, and the words for when that fails.
#include "readers/columns.h"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {

bool fits_pattern(std::string_view text, std::string_view pattern) {
  std::size_t t = 0;
  std::size_t p = 0;
  std::size_t star = std::string_view::npos;  // the last one, and where the text goes on behind it
  std::size_t behind = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      behind = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++behind;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_pattern(const FeatureNames& names, std::string_view asked) {
  return asked.find_first_of("*?") != std::string_view::npos && !find_column(names, asked);
}

std::vector<std::size_t> columns_to_drop(const FeatureNames& names, const std::vector<std::string>& asked,
                                         const std::string& path, bool lenient, std::string_view kept) {
  std::set<std::size_t> gone;
  for (const std::string& name : asked) {
    if (!is_pattern(names, name)) {
      if (lenient && !find_column(names, name)) continue;
      gone.insert(expect_column(names, name, path, "column to drop"));
      continue;
    }
    const std::size_t before = gone.size();
    for (std::size_t c = 0; c < names.size(); ++c) {
      if (fits_pattern(names[c], name) && names[c] != kept) gone.insert(c);
    }
    if (gone.size() > before || lenient) continue;
    throw Error(Fault::input,
                cat(path, ": no column to drop fits the pattern '", name, "'; they are ", short_list(names)));
  }
  return {gone.begin(), gone.end()};
}

std::optional<std::size_t> find_column(const FeatureNames& names, std::string_view wanted) {
  if (const auto found = names.find(wanted)) return found;
  const auto number = number_in<long long>(wanted);
  const auto count = static_cast<long long>(names.size());
  if (!number || *number == 0 || *number > count || *number < -count) return std::nullopt;
  return static_cast<std::size_t>(*number > 0 ? *number - 1 : count + *number);
}

std::vector<std::string> nearest_columns(const FeatureNames& names, std::string_view wanted) {
  constexpr std::size_t kLookedAt = std::size_t{1} << 20;
  if (names.size() > kLookedAt) return {};
  return nearest_names(wanted, names.list());
}

std::size_t expect_column(const FeatureNames& names, std::string_view wanted, const std::string& path,
                          std::string_view role) {
  if (const auto found = find_column(names, wanted)) return *found;
  const auto nearest = nearest_columns(names, wanted);
  throw Error(Fault::input,
              cat(path, ": there is no ", role, " '", wanted, "' among the ", names.size(), " columns; ",
                  nearest.empty() ? "they are " + short_list(names) : "did you mean " + short_list(nearest) + "?"));
}

std::string short_list(const FeatureNames& names) {
  constexpr std::size_t kFirst = 5;
  constexpr std::size_t kLast = 3;
  std::string list;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > kFirst + kLast && i == kFirst) {
      list += ", ...";
      i = names.size() - kLast;
    }
    list += (list.empty() ? "" : ", ") + excerpt(names[i]);
  }
  return list;
}

void refuse_missing(const std::string& path, const std::vector<std::string>& missing) {
  throw Error(Fault::input, cat(path, ": ", missing.size(), missing.size() == 1 ? " column is" : " columns are",
                                " missing that the other data has: ", short_list(missing)));
}

std::vector<std::string> repeated_names(const std::vector<std::string>& names) {
  std::unordered_map<std::string, int> uses;
  std::vector<std::string> repeated;
  for (const std::string& name : names) {
    if (!name.empty() && ++uses[name] == 2) repeated.push_back(name);
  }
  return repeated;
}

std::string make_unique_names(std::vector<std::string>& names) {
  const std::unordered_set<std::string> given(names.begin(), names.end());
  std::unordered_map<std::string, std::size_t> uses;
  std::vector<std::string> renamed;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool unnamed = names[i].empty();
    const std::string base = unnamed ? cat("c", i + 1) : names[i];
    std::size_t& use = uses[base];
    if (++use == 1 && !(unnamed && given.contains(base))) {
      names[i] = base;
    } else {
      use = std::max<std::size_t>(use, 2);
      while (given.contains(cat(base, ".", use))) ++use;
      names[i] = cat(base, ".", use);
    }
    if (unnamed || use > 1) renamed.push_back(names[i]);
  }
  if (renamed.empty()) return {};
  return cat(renamed.size(), " column(s) without a name of their own in the header are called ", short_list(renamed));
}

}  // namespace obverse
