#include "options/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <system_error>

#include <fmt/format.h>

#include "support/text.h"

namespace obverse {
namespace {

using Kind = Setting::Kind;

std::string or_words(std::string text, const Bounds& bounds) {
  for (const std::string_view word : {bounds.zero_word, bounds.empty_word}) {
    if (!word.empty()) text += fmt::format(", or {}", word);
  }
  return text;
}

/// Zero is said by its word where it has one, so the range that is left begins above it.
bool excludes_least(const Bounds& bounds) { return bounds.above || (!bounds.zero_word.empty() && bounds.least == 0); }

std::string range(const Bounds& bounds) {
  const bool low = std::isfinite(bounds.least);
  const bool high = std::isfinite(bounds.most);
  if (low && high && excludes_least(bounds)) return fmt::format(" above {} and up to {}", bounds.least, bounds.most);
  if (low && high) return fmt::format(" from {} to {}", bounds.least, bounds.most);
  if (low) return fmt::format(" {} {}", excludes_least(bounds) ? "above" : "of at least", bounds.least);
  if (high) return fmt::format(" of at most {}", bounds.most);
  return {};
}

bool inside(double value, const Bounds& bounds) {
  const bool low = excludes_least(bounds) ? value > bounds.least : value >= bounds.least;
  return std::isfinite(value) && low && value <= bounds.most;
}

/// Shares may be written as a percentage.
bool is_share(const Bounds& bounds) { return bounds.least >= 0 && bounds.most <= 1; }

std::optional<int> number(int, std::string_view text, const Bounds& bounds) {
  const auto value = number_in<int>(text);
  return value && inside(*value, bounds) ? value : std::nullopt;
}

std::optional<double> number(double, std::string_view text, const Bounds& bounds) {
  double parts = 1;
  if (is_share(bounds) && text.ends_with('%')) {
    text = trimmed(text.substr(0, text.size() - 1));
    parts = 100;
  }
  const auto value = number_in<double>(text);
  if (!value || !inside(*value / parts, bounds)) return {};
  return *value / parts;
}

/// Whether the word for zero or for an empty list was given; words are text in a config file.
bool is_word(const Setting& setting, std::string_view word) {
  const bool text = setting.kind == Kind::typed || setting.kind == Kind::text;
  return text && !word.empty() && trimmed(setting.text) == word;
}

bool may_be(const Setting& setting, Kind kind) { return setting.kind == Kind::typed || setting.kind == kind; }

/// In a config file names are texts; a column may be called by its number, and a value be one.
bool may_name(const Setting& setting, const Bounds& bounds) {
  return may_be(setting, Kind::text) ||
         (setting.kind == Kind::number && (bounds.noun == column().noun || bounds.noun == "VALUE"));
}

/// Whether the text is what a word of `Bounds::words` stands for.
bool is_meant(std::string_view text, std::string_view word) {
  if (word == "CHARACTER") return text.size() == 1 || text == "\\t";
  if (word.ends_with("=X")) {
    const std::string_view before = word.substr(0, word.size() - 1);
    if (!text.starts_with(before)) return false;
    const std::optional<double> number = number_in<double>(text.substr(before.size()));
    return number && *number >= 0 && std::isfinite(*number);
  }
  if (!word.ends_with(":N")) return text == word;
  const std::string_view before = word.substr(0, word.size() - 1);
  return text.starts_with(before) && number_in<std::uint16_t>(text.substr(before.size())).has_value();
}

template <class Integer>
void assign_integer(const Setting& setting, Integer& value, Bounds bounds) {
  if (is_word(setting, bounds.zero_word)) {
    value = 0;
    return;
  }
  Integer parsed = 0;
  const std::string_view text = trimmed(setting.text);
  const char* end = text.data() + text.size();
  const auto [stop, fault] = std::from_chars(text.data(), end, parsed);
  if (fault == std::errc::result_out_of_range && !std::isfinite(bounds.most)) {
    bounds.most = static_cast<double>(std::numeric_limits<Integer>::max());
  }
  const bool good = fault == std::errc{} && stop == end && may_be(setting, Kind::number) &&
                    inside(static_cast<double>(parsed), bounds);
  if (!good) refuse(setting, allowed(value, bounds));
  value = parsed;
}

constexpr std::string_view kUnits = "KMGT";

/// 500M, 2G, 1000000: units are powers of 1024.
std::optional<std::uint64_t> size_in(std::string_view text) {
  const std::size_t unit = text.empty() ? std::string_view::npos : kUnits.find(text.back());
  const bool plain = unit == std::string_view::npos;
  const auto number = number_in<std::uint64_t>(plain ? text : text.substr(0, text.size() - 1));
  const std::size_t shift = plain ? 0 : 10 * (unit + 1);
  if (!number || *number == 0 || *number > std::numeric_limits<std::uint64_t>::max() >> shift) return std::nullopt;
  return *number << shift;
}

std::string size_text(std::uint64_t bytes) {
  for (std::size_t unit = kUnits.size(); unit > 0; --unit) {
    const std::uint64_t one = std::uint64_t{1} << (10 * unit);
    if (bytes % one == 0) return fmt::format("{}{}", bytes / one, kUnits[unit - 1]);
  }
  return fmt::format("{}", bytes);
}

/// 90s, 5m, 1h, 1.5h, 90: plain numbers are seconds.
std::optional<double> seconds_in(std::string_view text, const Bounds& bounds) {
  double unit = 1;
  if (text.ends_with('s') || text.ends_with('m') || text.ends_with('h')) {
    unit = text.back() == 's' ? 1 : text.back() == 'm' ? 60 : 3600;
    text = trimmed(text.substr(0, text.size() - 1));
  }
  const auto number = number_in<double>(text);
  if (!number || !inside(*number * unit, bounds)) return std::nullopt;
  return *number * unit;
}

/// Parts with commas between; a part in double quotes may hold commas: a,"income, yearly".
std::vector<std::string> names_in(std::string_view text) {
  std::vector<std::string> names;
  for (;;) {
    std::size_t end = text.find(',');
    const std::size_t quote = text.find_first_not_of(' ');
    if (quote != std::string_view::npos && text[quote] == '"') {
      const std::size_t close = text.find('"', quote + 1);
      const std::size_t next = close == std::string_view::npos ? close : text.find_first_not_of(' ', close + 1);
      if (close != std::string_view::npos && (next == std::string_view::npos || text[next] == ',')) {
        names.emplace_back(text.substr(quote + 1, close - quote - 1));
        if (next == std::string_view::npos) return names;
        text.remove_prefix(next + 1);
        continue;
      }
    }
    names.emplace_back(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return names;
    text.remove_prefix(end + 1);
  }
}

template <class T>
std::string written_list(const std::vector<T>& value, const Bounds& bounds) {
  if (value.empty()) return std::string(bounds.empty_word);
  return fmt::format("{}", fmt::join(value, ","));
}

/// Numbers with commas between; in a config file a list, one number, or a percentage in quotes.
template <class T>
void assign_list(const Setting& setting, std::vector<T>& value, const Bounds& bounds) {
  if (is_word(setting, bounds.empty_word)) {
    value.clear();
    return;
  }
  const bool percent = is_share(bounds) && setting.text.ends_with('%') && setting.kind == Kind::text;
  if (!percent && !may_be(setting, Kind::number) && setting.kind != Kind::list) {
    refuse(setting, allowed(value, bounds));
  }
  std::vector<T> parsed;
  for (const std::string& part : split_text(setting.text, ',')) {
    const auto one = number(T{}, trimmed(part), bounds);
    if (!one) refuse(setting, allowed(value, bounds));
    parsed.push_back(*one);
  }
  value = std::move(parsed);
}

template <class T>
bool list_within(const std::vector<T>& value, const Bounds& bounds) {
  if (value.empty()) return !bounds.empty_word.empty();
  return std::all_of(value.begin(), value.end(), [&](T v) { return inside(v, bounds); });
}

}  // namespace

std::string in_list(const std::string& name) {
  return name.find(',') == std::string::npos ? name : cat('"', name, '"');
}

void refuse(const Setting& setting, std::string_view expected) {
  const std::string_view kind = setting.kind == Kind::text ? "the text " : "";
  throw Error(Fault::usage,
              cat(setting.where, ": expected ", expected, "; found ", kind, "'", printable(setting.text), "'"));
}

std::string alternatives(std::span<const std::string_view> words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " or " : ", ";
    out += words[i];
  }
  return out;
}

std::string allowed(int, const Bounds& bounds) { return or_words("a whole number" + range(bounds), bounds); }
std::string allowed(std::uint64_t, const Bounds& bounds) {
  if (bounds.bytes) return or_words("a size such as 500M or 2G", bounds);
  return or_words("a whole number" + range(bounds), bounds);
}
std::string allowed(double, const Bounds& bounds) {
  if (bounds.seconds) return or_words("a time such as 60s, 5m or 1h", bounds);
  return or_words("a number" + range(bounds), bounds);
}
std::string allowed(bool, const Bounds&) { return "true or false"; }
std::string allowed(const std::string&, const Bounds& bounds) {
  if (!bounds.noun.empty()) return or_words("a " + lower_case(bounds.noun), bounds);
  return or_words(bounds.words.empty() ? "text" : alternatives(bounds.words), bounds);
}
std::string allowed(const std::vector<int>&, const Bounds& bounds) {
  return or_words("a whole number" + range(bounds) + " or several with commas between", bounds);
}
std::string allowed(const std::vector<double>&, const Bounds& bounds) {
  return or_words("a number" + range(bounds) + " or several with commas between", bounds);
}
std::string allowed(const std::vector<std::string>&, const Bounds& bounds) {
  const std::string any = bounds.noun.empty() ? "names" : lower_case(bounds.noun) + "s";
  return or_words(
      (bounds.words.empty() ? any : cat("one or more of ", join(bounds.words))) + ", each once, with commas between",
      bounds);
}

std::string written(int value, const Bounds& bounds) {
  return value == 0 && !bounds.zero_word.empty() ? std::string(bounds.zero_word) : fmt::format("{}", value);
}
std::string written(std::uint64_t value, const Bounds& bounds) {
  if (bounds.bytes && value > 0) return size_text(value);
  return value == 0 && !bounds.zero_word.empty() ? std::string(bounds.zero_word) : fmt::format("{}", value);
}
std::string written(double value, const Bounds& bounds) {
  if (bounds.seconds && value > 0) return fmt::format("{}s", value);
  return value == 0 && !bounds.zero_word.empty() ? std::string(bounds.zero_word) : fmt::format("{}", value);
}
std::string written(bool value, const Bounds&) { return value ? "true" : "false"; }
std::string written(const std::string& value, const Bounds&) { return value; }
std::string written(const std::vector<int>& value, const Bounds& bounds) { return written_list(value, bounds); }
std::string written(const std::vector<double>& value, const Bounds& bounds) { return written_list(value, bounds); }
std::string written(const std::vector<std::string>& value, const Bounds& bounds) {
  std::vector<std::string> names;
  names.reserve(value.size());
  for (const std::string& name : value) names.push_back(in_list(name));
  return written_list(names, bounds);
}

void assign(const Setting& setting, int& value, const Bounds& bounds) { assign_integer(setting, value, bounds); }
void assign(const Setting& setting, std::uint64_t& value, const Bounds& bounds) {
  const bool words = is_word(setting, bounds.zero_word);
  if (!bounds.bytes || words) return assign_integer(setting, value, bounds);
  const auto size = size_in(trimmed(setting.text));
  if (!size || setting.kind == Kind::list || setting.kind == Kind::boolean) refuse(setting, allowed(value, bounds));
  value = *size;
}

void assign(const Setting& setting, double& value, const Bounds& bounds) {
  if (is_word(setting, bounds.zero_word)) {
    value = 0;
    return;
  }
  const bool as_text =
      setting.kind == Kind::text && (bounds.seconds || (is_share(bounds) && setting.text.ends_with('%')));
  const std::string_view text = trimmed(setting.text);
  const auto parsed = bounds.seconds ? seconds_in(text, bounds) : number(double{}, text, bounds);
  if (!parsed || !(as_text || may_be(setting, Kind::number))) {
    refuse(setting, allowed(value, bounds));
  }
  value = *parsed;
}

void assign(const Setting& setting, bool& value, const Bounds& bounds) {
  const bool known = setting.text == "true" || setting.text == "false";
  if (!known || !may_be(setting, Kind::boolean)) refuse(setting, allowed(value, bounds));
  value = setting.text == "true";
}

void assign(const Setting& setting, std::string& value, const Bounds& bounds) {
  if (setting.text.empty() || !may_name(setting, bounds) || !within(setting.text, bounds)) {
    refuse(setting, allowed(value, bounds));
  }
  value = setting.text;
}

void assign(const Setting& setting, std::vector<int>& value, const Bounds& bounds) {
  assign_list(setting, value, bounds);
}
void assign(const Setting& setting, std::vector<double>& value, const Bounds& bounds) {
  assign_list(setting, value, bounds);
}
void assign(const Setting& setting, std::vector<std::string>& value, const Bounds& bounds) {
  std::vector<std::string> parsed;
  if (!is_word(setting, bounds.empty_word)) {
    parsed = names_in(setting.text);
    const bool names = may_name(setting, bounds) || setting.kind == Kind::list;
    if (!names || !within(parsed, bounds)) refuse(setting, allowed(value, bounds));
  }
  value = std::move(parsed);
}

bool within(double value, const Bounds& bounds) {
  return (value == 0 && !bounds.zero_word.empty()) || inside(value, bounds);
}

bool within(const std::string& value, const Bounds& bounds) {
  return bounds.words.empty() || std::any_of(bounds.words.begin(), bounds.words.end(),
                                             [&](std::string_view word) { return is_meant(value, word); });
}

bool within(const std::vector<int>& value, const Bounds& bounds) { return list_within(value, bounds); }
bool within(const std::vector<double>& value, const Bounds& bounds) { return list_within(value, bounds); }
bool within(const std::vector<std::string>& value, const Bounds& bounds) {
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (item->empty() || !within(*item, bounds) || std::find(value.begin(), item, *item) != item) return false;
  }
  return !value.empty() || !bounds.empty_word.empty();
}

}  // namespace obverse
