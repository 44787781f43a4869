#include "support/json.h"

#include <algorithm>
#include <cmath>

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

bool holds_plain_values(const Json& tree) {
  return std::none_of(tree.begin(), tree.end(), [](const Json& item) { return item.is_structured(); });
}

std::string one_line(const Json& tree) { return tree.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// `in_list`: the tree is an item of a list; there, an object of plain values is one line too.
void append_tree(std::string& out, const Json& tree, std::size_t indent, bool in_list) {
  if (!tree.is_structured() || tree.empty() || ((tree.is_array() || in_list) && holds_plain_values(tree))) {
    out += one_line(tree);
    return;
  }
  const std::string blanks(indent + 2, ' ');
  out += tree.is_object() ? '{' : '[';
  bool first = true;
  for (const auto& [key, value] : tree.items()) {
    out += first ? "\n" : ",\n";
    first = false;
    out += blanks;
    if (tree.is_object()) out += one_line(Json(key)) + ": ";
    append_tree(out, value, indent + 2, tree.is_array());
  }
  out += '\n';
  out.append(indent, ' ');
  out += tree.is_object() ? '}' : ']';
}

/// A value for a message; lists and objects are not written out, however long they are.
std::string shown(const Json& value) {
  if (value.is_string()) return cat('\'', excerpt(value.get_ref<const std::string&>()), '\'');
  if (value.is_array()) return cat("a list of ", value.size());
  if (value.is_object()) return cat("an object of ", value.size());
  return value.dump();
}

[[noreturn]] void throw_error(const std::string& path, std::string_view expected, std::string_view found) {
  throw Error(Fault::input, cat(path, ": expected ", expected, ", found ", found));
}

std::string text_of(const Json& value, const std::string& path) {
  if (!value.is_string()) throw_error(path, "text", shown(value));
  return value.get<std::string>();
}

std::size_t count_of(const Json& value, std::size_t least, std::size_t most, const std::string& path) {
  const bool is_count = value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0);
  const auto count = is_count ? value.get<std::uint64_t>() : 0;
  if (is_count && count >= least && count <= most) return count;
  const bool bounded = most < JsonObject::kNoBound;
  throw_error(path,
              bounded ? cat("a whole number from ", least, " to ", most) : cat("a whole number from ", least, " on"),
              shown(value));
}

std::optional<double> number_of(const Json& value, const std::string& path) {
  if (value.is_null()) return std::nullopt;
  if (!value.is_number()) throw_error(path, "a number", shown(value));
  const auto number = value.get<double>();
  return std::isfinite(number) ? std::optional(number) : std::nullopt;
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

std::string json_text(const Json& tree) {
  std::string out;
  append_tree(out, tree, 0, false);
  out += '\n';
  return out;
}

std::string first_difference(const Json& was, const Json& is) {
  const auto shown = [](const Json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); };
  for (const auto& step : Json::diff(was, is)) {
    const std::string path = step.at("path");
    const Json::json_pointer at(path);
    std::string name = path.substr(1);
    std::replace(name.begin(), name.end(), '/', '.');
    const std::string before = was.contains(at) ? shown(was.at(at)) : "nothing";
    const std::string after = is.contains(at) ? shown(is.at(at)) : "nothing";
    return cat(name, ": ", excerpt(before, 60), " before, ", excerpt(after, 60), " now");
  }
  return {};
}

JsonObject::JsonObject(const Json& tree, std::string name) : tree_(tree), name_(std::move(name)) {
  if (!tree.is_object()) throw_error(name_.empty() ? "JSON" : name_, "an object", shown(tree));
}

const Json& JsonObject::at(const std::string& member) const {
  const auto found = tree_.find(member);
  if (found == tree_.end()) refuse(member, "a value", "none");
  return *found;
}

const Json& JsonObject::list(const std::string& member) const {
  const Json& value = at(member);
  if (!value.is_array()) refuse(member, "a list", shown(value));
  return value;
}

std::string JsonObject::text(const std::string& member) const { return text_of(at(member), path(member)); }

std::size_t JsonObject::word(const std::string& member, std::span<const std::string_view> words) const {
  const std::string found = text(member);
  const auto known = std::find(words.begin(), words.end(), found);
  if (known == words.end()) refuse(member, join(words, " or "), cat('\'', excerpt(found), '\''));
  return static_cast<std::size_t>(known - words.begin());
}

bool JsonObject::flag(const std::string& member) const {
  const Json& value = at(member);
  if (!value.is_boolean()) refuse(member, "true or false", shown(value));
  return value.get<bool>();
}

std::size_t JsonObject::count(const std::string& member, std::size_t least, std::size_t most) const {
  return count_of(at(member), least, most, path(member));
}

std::optional<double> JsonObject::number(const std::string& member) const {
  return number_of(at(member), path(member));
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

std::vector<std::optional<double>> JsonObject::numbers(const std::string& member, std::size_t length) const {
  std::vector<std::optional<double>> out;
  for (const Json& value : list(member)) out.push_back(number_of(value, path(member)));
  if (out.size() != length) refuse(member, cat(length, " numbers"), std::to_string(out.size()));
  return out;
}

std::size_t JsonObject::length(const std::string& member) const { return list(member).size(); }

JsonObject JsonObject::object(const std::string& member) const { return {at(member), path(member)}; }

std::vector<JsonObject> JsonObject::objects(const std::string& member) const {
  std::vector<JsonObject> out;
  for (const Json& value : list(member)) out.emplace_back(value, cat(path(member), "[", out.size(), "]"));
  return out;
}

void JsonObject::refuse(const std::string& member, std::string_view expected, std::string_view found) const {
  throw_error(path(member), expected, found);
}

}  // namespace obverse
