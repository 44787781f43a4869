#include "options/toml.h"

#include <array>
#include <charconv>
#include <sstream>

#include "support/text.h"

namespace obverse {
namespace {

std::string text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  if (const auto* truth = node.as_boolean()) return truth->get() ? "true" : "false";
  if (const auto* number = node.as_floating_point()) {
    std::array<char, 32> digits{};
    return {digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), number->get()).ptr};
  }
  std::ostringstream out;
  node.visit([&](const auto& value) { out << value; });
  return out.str();
}

}  // namespace

toml::table parse_toml(std::string_view text, const std::string& source) {
  try {
    return toml::parse(text, source);
  } catch (const toml::parse_error& error) {
    throw Error(Fault::input,
                cat(source, ":", error.source().begin.line, ": not TOML: ", printable(error.description())));
  }
}

std::string place_of(const std::string& source, const toml::key& key) {
  const auto line = key.source().begin.line;
  return line == 0 ? cat(source, ": ") : cat(source, ":", line, ": ");
}

Setting setting_of(std::string_view name, const toml::node& node, std::string where) {
  Setting setting{.name = std::string(name), .text = {}, .where = std::move(where), .kind = Setting::Kind::text};
  if (const toml::array* list = node.as_array()) {
    std::vector<std::string> parts;
    for (const toml::node& item : *list) {
      if (item.is_number() || item.is_string()) {
        parts.push_back(text_of(item));
      } else {
        throw Error(Fault::usage, cat(setting.where, ": expected a list of numbers or names, found ", text_of(item)));
      }
    }
    setting.text = join(parts, ",");
    setting.kind = Setting::Kind::list;
  } else if (node.is_number() || node.is_string() || node.is_boolean()) {
    setting.text = text_of(node);
    if (node.is_number()) setting.kind = Setting::Kind::number;
    if (node.is_boolean()) setting.kind = Setting::Kind::boolean;
  } else {
    throw Error(Fault::usage, cat(setting.where,
                                  ": expected a value; options stand in the file as name = value, "
                                  "without [sections]"));
  }
  return setting;
}

}  // namespace obverse
