// One option value: read from text, checked against its bounds, written back. Every type that a field of the option
// tables may have is here once, so that the command line, config files, JSON and docs agree on it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <obverse/error.h>
#include <obverse/options.h>

#include "support/text.h"

namespace obverse {

/// A value that somebody gave to an option.
struct Setting {
  /// What a config file says the value is; on a command line everything is `typed`.
  enum class Kind { typed, number, text, boolean, list };

  std::string name;   ///< as in the option tables: batch_size
  std::string text;   ///< list: comma separated
  std::string where;  ///< for messages: "--batch-size", "run.toml:3: batch_size"
  Kind kind = Kind::typed;
};

/// A name as one part of a list: in quotes where it holds a comma.
std::string in_list(const std::string& name);

// What an option takes, in words: "a whole number of at least 1, or auto".
std::string allowed(int, const Bounds& bounds);
std::string allowed(std::uint64_t, const Bounds& bounds);
std::string allowed(double, const Bounds& bounds);
std::string allowed(bool, const Bounds& bounds);
std::string allowed(const std::string&, const Bounds& bounds);
std::string allowed(const std::vector<int>&, const Bounds& bounds);
std::string allowed(const std::vector<double>&, const Bounds& bounds);
std::string allowed(const std::vector<std::string>&, const Bounds& bounds);

// The value as it would be typed.
std::string written(int value, const Bounds& bounds);
std::string written(std::uint64_t value, const Bounds& bounds);
std::string written(double value, const Bounds& bounds);
std::string written(bool value, const Bounds& bounds);
std::string written(const std::string& value, const Bounds& bounds);
std::string written(const std::vector<int>& value, const Bounds& bounds);
std::string written(const std::vector<double>& value, const Bounds& bounds);
std::string written(const std::vector<std::string>& value, const Bounds& bounds);

// Sets `value`, or throws with the option, what it takes and what was found. Zero goes by its word where it has one.
void assign(const Setting& setting, int& value, const Bounds& bounds);
void assign(const Setting& setting, std::uint64_t& value, const Bounds& bounds);
void assign(const Setting& setting, double& value, const Bounds& bounds);
void assign(const Setting& setting, bool& value, const Bounds& bounds);
void assign(const Setting& setting, std::string& value, const Bounds& bounds);
void assign(const Setting& setting, std::vector<int>& value, const Bounds& bounds);
void assign(const Setting& setting, std::vector<double>& value, const Bounds& bounds);
void assign(const Setting& setting, std::vector<std::string>& value, const Bounds& bounds);

/// Whether a value set by a program is one that `assign` could have made.
bool within(double value, const Bounds& bounds);
bool within(const std::vector<int>& value, const Bounds& bounds);
bool within(const std::vector<double>& value, const Bounds& bounds);
bool within(const std::string& value, const Bounds& bounds);
bool within(const std::vector<std::string>& value, const Bounds& bounds);  ///< each once

/// "a, b or c".
std::string alternatives(std::span<const std::string_view> words);

/// Gives the field of the setting's name its value, as a describe function has it; false where there is none.
template <class Options, class Describe>
bool assign_field(const Setting& setting, Options& options, Describe describe) {
  bool found = false;
  describe(options, [&](std::string_view name, auto& value, const Bounds& bounds, std::string_view) {
    if (name != setting.name) return;
    assign(setting, value, bounds);
    found = true;
  });
  return found;
}

/// The names that a describe function gives to the fields of `options`.
template <class Options, class Describe>
std::vector<std::string> field_names(const Options& options, Describe describe) {
  std::vector<std::string> names;
  describe(options,
           [&](std::string_view name, const auto&, const Bounds&, std::string_view) { names.emplace_back(name); });
  return names;
}

[[noreturn]] void refuse(const Setting& setting, std::string_view expected);

template <class E>
concept Enumerated = std::is_enum_v<E>;

template <Enumerated E>
std::string allowed(E, const Bounds&) {
  return alternatives(names(E{}));
}

template <Enumerated E>
std::string written(E value, const Bounds&) {
  return std::string(names(E{})[static_cast<std::size_t>(value)]);
}

template <Enumerated E>
void assign(const Setting& setting, E& value, const Bounds& bounds) {
  const auto all = names(E{});
  const auto found = std::find(all.begin(), all.end(), setting.text);
  if (found == all.end()) refuse(setting, allowed(value, bounds));
  value = static_cast<E>(found - all.begin());
}

template <Enumerated E>
bool within(E value, const Bounds&) {
  return static_cast<std::size_t>(value) < names(E{}).size();
}

// Lists of names: one at least, each once.

template <Enumerated E>
std::string allowed(const std::vector<E>&, const Bounds&) {
  return "one or more of " + join(names(E{})) + ", each once, with commas between";
}

template <Enumerated E>
std::string written(const std::vector<E>& value, const Bounds& bounds) {
  std::vector<std::string> parts(value.size());
  std::transform(value.begin(), value.end(), parts.begin(), [&](E item) { return written(item, bounds); });
  return join(parts, ",");
}

template <Enumerated E>
bool within(const std::vector<E>& value, const Bounds& bounds) {
  for (auto item = value.begin(); item != value.end(); ++item) {
    if (!within(*item, bounds) || std::find(value.begin(), item, *item) != item) return false;
  }
  return !value.empty();
}

template <Enumerated E>
void assign(const Setting& setting, std::vector<E>& value, const Bounds& bounds) {
  const auto all = names(E{});
  std::vector<E> parsed;
  for (const std::string& part : split_text(setting.text, ',')) {
    const auto found = std::find(all.begin(), all.end(), trimmed(part));
    if (found == all.end()) refuse(setting, allowed(value, bounds));
    parsed.push_back(static_cast<E>(found - all.begin()));
  }
  if (!within(parsed, bounds)) refuse(setting, allowed(value, bounds));
  value = std::move(parsed);
}

}  // namespace obverse
