#include "support/json.h"

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

using Json = nlohmann::ordered_json;

/// The byte at which the text is nested deeper than kJsonDepth, counted from 1; 0 where it never is. Up to the first
/// fault of the syntax it sees the brackets that the parser sees.
std::size_t too_deep_at(std::string_view text) {
  std::size_t depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      if (c == '"') quoted = false;
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kJsonDepth) return i + 1;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return 0;
}

/// A value for a message; lists and objects are not written out, however long they are.
std::string shown(const Json& value) {
  if (value.is_string()) return cat('\'', excerpt(value.get_ref<const std::string&>()), '\'');
  if (value.is_array()) return cat("a list of ", value.size());
  if (value.is_object()) return cat("an object of ", value.size());
  return value.dump();
}

[[noreturn]] void refuse(const std::string& path, const std::string& expected, const Json& found) {
  throw Error(Fault::input, cat(path, ": expected ", expected, ", found ", shown(found)));
}

std::string text_of(const Json& value, const std::string& path) {
  if (!value.is_string()) refuse(path, "text", value);
  return value.get<std::string>();
}

std::size_t count_of(const Json& value, std::size_t least, std::size_t most, const std::string& path) {
  const bool is_count =
      value.is_number_unsigned() && value.get<std::uint64_t>() >= least && value.get<std::uint64_t>() <= most;
  if (!is_count) refuse(path, cat("a whole number from ", least, " to ", most), value);
  return value.get<std::size_t>();
}

}  // namespace

Json parse_json(std::string_view text, std::string_view expected) {
  if (const std::size_t byte = too_deep_at(text); byte > 0) {
    throw Error(Fault::input, cat(expected, ", found values nested more than ", kJsonDepth, " deep at byte ", byte));
  }
  try {
    return Json::parse(text);
  } catch (const Json::parse_error& error) {
    throw Error(Fault::input,
                cat(expected, error.byte > text.size() ? std::string(", found its end too early; was it cut short?")
                                                       : cat(", found other text at byte ", error.byte)));
  } catch (const Json::out_of_range&) {
    throw Error(Fault::input, cat(expected, ", found a number that is too large"));
  }
}

JsonObject::JsonObject(const Json& tree, std::string name) : tree_(tree), name_(std::move(name)) {
  if (!tree.is_object()) refuse(name_.empty() ? "JSON" : name_, "an object", tree);
}

const Json& JsonObject::at(const std::string& member) const {
  const auto found = tree_.find(member);
  if (found == tree_.end()) throw Error(Fault::input, cat(path(member), ": expected a value, found none"));
  return *found;
}

const Json& JsonObject::list(const std::string& member) const {
  const Json& value = at(member);
  if (!value.is_array()) refuse(path(member), "a list", value);
  return value;
}

std::string JsonObject::text(const std::string& member) const { return text_of(at(member), path(member)); }

std::size_t JsonObject::count(const std::string& member, std::size_t least, std::size_t most) const {
  return count_of(at(member), least, most, path(member));
}

std::vector<std::string> JsonObject::texts(const std::string& member) const {
  std::vector<std::string> out;
  for (const Json& value : list(member)) out.push_back(text_of(value, path(member)));
  return out;
}

std::vector<std::size_t> JsonObject::counts(const std::string& member, std::size_t least, std::size_t most) const {
  std::vector<std::size_t> out;
  for (const Json& value : list(member)) out.push_back(count_of(value, least, most, path(member)));
  return out;
}

std::size_t JsonObject::length(const std::string& member) const { return list(member).size(); }

JsonObject JsonObject::object(const std::string& member) const { return {at(member), path(member)}; }

}  // namespace obverse
