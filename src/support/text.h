// Small things on text: lists in messages, names that look alike, and text from files made safe to show.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace obverse {

/// The items, one after another with `separator` between them.
template <class Items>
std::string join(const Items& items, std::string_view separator = ", ") {
  std::string out;
  bool first = true;
  for (const auto& item : items) {
    if (!first) out += separator;
    first = false;
    out += item;
  }
  return out;
}

/// The parts of `text` between separators, an empty part for each pair of neighbouring ones.
std::vector<std::string> split_text(std::string_view text, char separator);

/// With small letters for the capital ones of ASCII; other characters stay as they are.
std::string lower_case(std::string_view text);

/// With a capital letter in front, where an ASCII letter is there.
std::string capitalised(std::string_view text);

/// Without spaces, tabs and line ends at either side.
std::string_view trimmed(std::string_view text);

/// For files and ids: small ASCII letters, digits and hyphens of each name, with a number behind those that would
/// repeat an earlier one.
std::vector<std::string> unique_keys(std::span<const std::string> names);

/// 60,000.
std::string with_commas(std::size_t count);

/// 1 cell, 2 cells.
std::string count_text(std::size_t count, std::string_view noun);

/// 1.5 MB.
std::string byte_text(std::size_t bytes);

/// 2.7 ms, 0.42 s, 12.3 s, 2 min 05 s.
std::string duration_text(double seconds);

/// The number that the whole text is, as std::from_chars reads it; nothing for any other text or one out of range.
template <class T>
std::optional<T> number_in(std::string_view text) {
  T number{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, number);
  if (code != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// One word for a shell, in quotes where it needs them.
std::string in_shell(const std::string& text);

/// Bytes as text (RFC 4648), padded.
std::string base64(std::span<const std::uint8_t> bytes);

/// Changes (insert, delete, replace, swap of neighbours) that turn `a` into `b`, letters compared without case.
std::size_t edit_distance(std::string_view a, std::string_view b);

/// At most `count` known names that look like the wanted one, nearest first; empty when none does.
std::vector<std::string> nearest_names(std::string_view wanted, std::span<const std::string> known,
                                       std::size_t count = 3);

/// Valid UTF-8 without control characters: those and stray bytes come out as \n, \t or \x1b, so that text from a file
/// cannot steer a terminal.
std::string printable(std::string_view text);

/// The text with U+FFFD for each byte that is no UTF-8.
std::string valid_utf8(std::string_view text);

/// The characters of UTF-8 text, U+FFFD for each byte that is none.
std::u32string code_points(std::string_view text);

/// Columns that valid UTF-8 takes in a terminal, counting two for East Asian wide characters and none for marks.
std::size_t display_width(std::string_view text);

/// Cut to `width` columns, the last of them a mark (… or ~) when something was cut.
std::string shortened(std::string_view text, std::size_t width, bool unicode = true);

/// For a message or a table: the beginning of text from a file, printable and shortened, however long the text is.
std::string excerpt(std::string_view text, std::size_t width = 40, bool unicode = true);

}  // namespace obverse
