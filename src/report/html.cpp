#include "report/html.h"

#include <algorithm>

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

std::string base64(std::span<const std::uint8_t> bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve((bytes.size() + 2) / 3 * 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    const std::size_t held = std::min<std::size_t>(3, bytes.size() - i);
    std::uint32_t group = 0;
    for (std::size_t j = 0; j < 3; ++j) group = group << 8 | (j < held ? bytes[i + j] : 0U);
    for (std::size_t j = 0; j < 4; ++j) out += j <= held ? kDigits[group >> (18 - 6 * j) & 63U] : '=';
  }
  return out;
}

}  // namespace obverse
