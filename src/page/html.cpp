#include "page/html.h"

#include "support/text.h"

namespace obverse {
namespace {

/// The text with every '<' in the form that JSON knows for it.
std::string without_tags(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    if (c == '<') {
      out += "\\u003c";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string script_json(const nlohmann::ordered_json& tree) {
  return without_tags(tree.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string script_csv(std::string_view csv) { return without_tags(valid_utf8(csv)); }

}  // namespace obverse
