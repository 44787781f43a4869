#include "options/toml.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "support/text.h"

namespace obverse {
namespace {

/// Parts of a dotted key, and lists and tables inside each other: far more than an option needs, and far less than
/// makes the parser run out of stack.
constexpr std::size_t kDepth = 32;

/// Walks over TOML without parsing it, to bound how deep it is nested before the parser follows it down.
class DepthScan {
 public:
  DepthScan(std::string_view text, const std::string& source) : text_(text), source_(source) {}

  void run() {
    while (at_ < text_.size()) {
      switch (text_[at_]) {
        case '#':
          at_ = std::min(text_.find('\n', at_), text_.size());
          break;
        case '"':
        case '\'':
          skip_string(text_[at_]);
          break;
        default:
          count(text_[at_++]);
      }
    }
  }

 private:
  void count(char c) {
    if (c == '.') {
      if (++parts_ > kDepth) refuse("parts in a key");
      return;
    }
    if (c == '\n') ++line_;
    if (std::string_view("\n=,[]{}").find(c) == std::string_view::npos) return;
    parts_ = 1;
    if ((c == '[' || c == '{') && ++depth_ > kDepth) refuse("lists and tables inside each other");
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
  }

  /// One line in quotes, or several in three of them; a backslash means something in double quotes only.
  void skip_string(char quote) {
    const std::string three(3, quote);
    const bool several_lines = text_.substr(at_, 3) == three;
    at_ += several_lines ? 3 : 1;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\n') {
        if (!several_lines) return;  // a fault of the syntax, which the parser is going to name
        ++line_;
      }
      if (c == '\\' && quote == '"' && text_.substr(at_ + 1, 1) != "\n") {
        at_ += 2;
      } else if (c != quote || (several_lines && text_.substr(at_, 3) != three)) {
        ++at_;
      } else {
        at_ += several_lines ? 3 : 1;
        // Up to two quotes before the last three belong to the text.
        for (int extra = 0; several_lines && extra < 2 && at_ < text_.size() && text_[at_] == quote; ++extra) ++at_;
        return;
      }
    }
  }

  [[noreturn]] void refuse(std::string_view what) const {
    throw Error(Fault::input, cat(source_, ":", line_, ": expected at most ", kDepth, " ", what, ", found more"));
  }

  std::string_view text_;
  const std::string& source_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
  std::size_t parts_ = 1;
  std::size_t depth_ = 0;
};

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
  DepthScan(text, source).run();
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
        parts.push_back(in_list(text_of(item)));
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
