#include "support/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>

#include <fmt/format.h>

namespace obverse {
namespace {

/// Names longer than this are compared by their beginnings: columns can be as long as a file likes.
constexpr std::size_t kCompared = 64;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

struct Decoded {
  std::uint32_t point = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// The first character of `text`, which is not empty. Overlong forms, surrogates and cut sequences are not valid.
Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  if (byte(0) < 0x80) return {.point = byte(0), .bytes = 1, .valid = true};
  const std::size_t bytes = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < bytes) return {};
  std::uint32_t point = byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    point = point << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::array<std::uint32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  if (point < kLeast[bytes] || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) return {};
  return {.point = point, .bytes = bytes, .valid = true};
}

/// Control characters, and the invisible ones that turn the direction of the text around them.
bool steers(std::uint32_t point) {
  return point < 0x20 || (point >= 0x7F && point < 0xA0) || point == 0x200E || point == 0x200F ||
         (point >= 0x2028 && point <= 0x202E) || (point >= 0x2066 && point <= 0x2069) || point == 0xFEFF;
}

std::size_t point_width(std::uint32_t point) {
  if ((point >= 0x300 && point <= 0x36F) || (point >= 0x200B && point <= 0x200D) ||
      (point >= 0xFE00 && point <= 0xFE0F)) {
    return 0;
  }
  const bool wide = (point >= 0x1100 && point <= 0x115F) || (point >= 0x2E80 && point <= 0xA4CF) ||
                    (point >= 0xAC00 && point <= 0xD7A3) || (point >= 0xF900 && point <= 0xFAFF) ||
                    (point >= 0xFE30 && point <= 0xFE6F) || (point >= 0xFF00 && point <= 0xFF60) ||
                    (point >= 0x1F300 && point <= 0x1FAFF) || (point >= 0x20000 && point <= 0x3FFFD);
  return wide ? 2 : 1;
}

/// Small letters, digits and hyphens of a name, with a number behind it where an earlier name gave the same.
std::string key_of(std::string_view name, std::set<std::string>& taken) {
  std::string key;
  for (const char c : name.substr(0, 48)) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (letter) {
      key += c;
    } else if (c >= 'A' && c <= 'Z') {
      key += static_cast<char>(c - 'A' + 'a');
    } else if (!key.empty() && key.back() != '-') {
      key += '-';
    }
  }
  while (key.ends_with('-')) key.pop_back();
  if (key.empty()) key = "unnamed";
  std::string free = key;
  for (int i = 2; !taken.insert(free).second; ++i) free = fmt::format("{}-{}", key, i);
  return free;
}

}  // namespace

std::vector<std::string> split_text(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t end = text.find(separator); end != std::string_view::npos; end = text.find(separator)) {
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  parts.emplace_back(text);
  return parts;
}

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), [](char c) { return lower(c); });
  return out;
}

std::string capitalised(std::string_view text) {
  std::string out(text);
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

std::vector<std::string> unique_keys(std::span<const std::string> names) {
  std::set<std::string> taken;
  std::vector<std::string> keys;
  for (const std::string& name : names) keys.push_back(key_of(name, taken));
  return keys;
}

std::string with_commas(std::size_t count) {
  std::string out = std::to_string(count);
  for (std::size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
  return out;
}

// Three rows of the table of Damerau and Levenshtein: before[j], last[j] and row[j] are the distances of the first
// i-2, i-1 and i letters of a from the first j letters of b.
std::string count_text(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", with_commas(count), noun, count == 1 ? "" : "s");
}

std::string byte_text(std::size_t bytes) {
  constexpr std::array<std::string_view, 5> kUnits{"kB", "MB", "GB", "TB", "PB"};
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  double value = static_cast<double>(bytes) / 1e3;
  std::size_t unit = 0;
  for (; value >= 1e3 && unit + 1 < kUnits.size(); ++unit) value /= 1e3;
  return fmt::format("{:.{}f} {}", value, unit < 2 ? 1 : 2, kUnits[unit]);
}

std::string duration_text(double seconds) {
  if (seconds < 0.1) return fmt::format("{:.1f} ms", 1e3 * seconds);
  if (seconds < 10) return fmt::format("{:.2f} s", seconds);
  if (seconds < 60) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  return fmt::format("{} min {:02} s", whole / 60, whole % 60);
}

namespace {

/// In $'...', which bash, zsh and ksh know.
std::string in_escaped_shell(const std::string& text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "$'";
  for (const char c : text) {
    const auto value = static_cast<std::uint8_t>(c);
    if (value >= 0x20 && value < 0x7F) {
      if (c == '\'' || c == '\\') out += '\\';
      out += c;
    } else {
      out += {'\\', 'x', kHex[value >> 4], kHex[value & 15U]};
    }
  }
  return out + "'";
}

}  // namespace

std::string in_shell(const std::string& text) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_=.,-/+:%";
  if (!text.empty() && text.find_first_not_of(kPlain) == std::string::npos) return text;
  if (printable(text) != text) return in_escaped_shell(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

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

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1);
  std::vector<std::size_t> last(b.size() + 1);
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) && lower(a[i - 2]) == lower(b[j - 1]);
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known, std::size_t count) {
  const std::string name = lower_case(wanted.substr(0, kCompared));
  struct Candidate {
    std::size_t distance;
    std::size_t index;
  };
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < known.size(); ++i) {
    const std::string other = lower_case(std::string_view(known[i]).substr(0, kCompared));
    const std::size_t shorter = std::min(name.size(), other.size());
    const std::size_t allowed = std::max<std::size_t>(1, std::max(name.size(), other.size()) / 3);
    const std::size_t gap = std::max(name.size(), other.size()) - shorter;
    // A name that holds the other is a near miss however much longer it is.
    if (shorter >= 3 && (other.find(name) != other.npos || name.find(other) != name.npos)) {
      candidates.push_back({std::min(gap, allowed), i});
    } else if (gap <= allowed) {
      const std::size_t distance = edit_distance(name, other);
      if (distance <= allowed && distance < name.size()) candidates.push_back({distance, i});
    }
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.distance < b.distance; });
  if (candidates.size() > count) candidates.resize(count);
  std::vector<std::string> names;
  names.reserve(candidates.size());
  for (const Candidate& c : candidates) names.push_back(known[c.index]);
  return names;
}

std::string printable(std::string_view text) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = decode(text);
    if (c.valid && !steers(c.point)) {
      out += text.substr(0, c.bytes);
    } else if (text[0] == '\n') {
      out += "\\n";
    } else if (text[0] == '\r') {
      out += "\\r";
    } else if (text[0] == '\t') {
      out += "\\t";
    } else {
      for (const char byte : text.substr(0, c.bytes)) {
        const auto value = static_cast<std::uint8_t>(byte);
        out += "\\x";
        out += kHex[value >> 4];
        out += kHex[value & 15U];
      }
    }
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Decoded c = decode(text);
    out += c.valid ? text.substr(0, c.bytes) : std::string_view("\xEF\xBF\xBD");
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::u32string code_points(std::string_view text) {
  std::u32string out;
  while (!text.empty()) {
    const Decoded c = decode(text);
    out += c.valid ? static_cast<char32_t>(c.point) : U'\uFFFD';
    text.remove_prefix(c.bytes);
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const Decoded c = decode(text);
    width += c.valid ? point_width(c.point) : 1;
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string shortened(std::string_view text, std::size_t width, bool unicode) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t used = 0;
  std::size_t bytes = 0;
  while (true) {
    const Decoded c = decode(text.substr(bytes));
    const std::size_t next = c.valid ? point_width(c.point) : 1;
    if (used + next > width - 1) break;
    used += next;
    bytes += c.bytes;
  }
  return std::string(text.substr(0, bytes)) + (unicode ? "…" : "~");
}

std::string excerpt(std::string_view text, std::size_t width, bool unicode) {
  // A column takes at most four bytes; the rest tells shortened that something was cut.
  return shortened(printable(text.substr(0, 4 * width + 4)), width, unicode);
}

}  // namespace obverse
