// A check that markup is well-formed XML, as far as the drawings of reports use it.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace obverse::sample {

/// The first fault of an XML text without declarations and comments; empty where there is none.
inline std::string xml_fault(std::string_view text) {
  std::vector<std::string> open;
  const auto near = [&](std::size_t at) { return std::string(text.substr(at, 60)); };
  const auto bad_reference = [&](std::string_view part) {
    for (std::size_t at = part.find('&'); at != std::string_view::npos; at = part.find('&', at + 1)) {
      const std::string_view rest = part.substr(at + 1, 5);
      bool known = false;
      for (const std::string_view name : {"amp;", "lt;", "gt;", "quot;", "#39;"})
        known = known || rest.starts_with(name);
      if (!known) return true;
    }
    return false;
  };
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t tag = std::min(text.find('<', at), text.size());
    if (bad_reference(text.substr(at, tag - at))) return "bare & in text near " + near(at);
    if (tag == text.size()) break;
    std::size_t i = tag + 1;
    const bool closing = i < text.size() && text[i] == '/';
    if (closing) ++i;
    std::string name;
    while (i < text.size() && (std::isalnum(static_cast<unsigned char>(text[i])) != 0)) name += text[i++];
    if (name.empty()) return "no name of a tag near " + near(tag);
    bool empty = false;
    while (i < text.size() && text[i] != '>') {
      if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '>') {
        empty = true;
        ++i;
        continue;
      }
      if (text[i] == ' ') {
        ++i;
        continue;
      }
      const std::size_t equals = text.find("=\"", i);
      if (equals == std::string_view::npos) return "attribute without a value near " + near(i);
      if (text.substr(i, equals - i).find_first_of(" <>/\"") != std::string_view::npos) {
        return "attribute without a value near " + near(i);
      }
      const std::size_t quote = text.find('"', equals + 2);
      if (quote == std::string_view::npos) return "open quote near " + near(i);
      const std::string_view value = text.substr(equals + 2, quote - equals - 2);
      if (value.find('<') != std::string_view::npos || bad_reference(value)) return "bare < or & near " + near(i);
      i = quote + 1;
    }
    if (i == text.size()) return "open tag near " + near(tag);
    at = i + 1;
    if (closing) {
      if (open.empty() || open.back() != name) return "stray end of " + name;
      open.pop_back();
    } else if (!empty) {
      open.push_back(name);
    }
  }
  return open.empty() ? std::string() : "no end of " + open.back();
}

inline std::size_t count(std::string_view text, std::string_view part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string_view::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace obverse::sample
