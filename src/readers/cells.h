// What people write into the cells of a table: numbers, booleans, dates, and words for a missing value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "readers/decimal.h"

namespace obverse {

/// Of the words for a missing value, whatever its first character; see is_missing_word.
bool is_listed_missing(std::string_view text);

/// Nothing, ?, NA, N/A, NaN, NaT or null, in any case. `text` is trimmed.
inline bool is_missing_word(std::string_view text) {
  if (text.empty()) return true;
  const char first = text.front();
  return (first == '?' || first == 'n' || first == 'N' || first == '#') && is_listed_missing(text);
}

/// Some programs put single quotes around every word.
bool in_single_quotes(std::string_view text);

enum class NumberStyle : std::uint8_t {
  plain,         ///< 1234.5
  thousands,     ///< 1,234.5
  decimal_comma  ///< 1234,5 or 1.234,5
};
/// The number as the plain style writes it; nothing where the text is not of the style.
std::optional<std::string> plain_number(std::string_view text, NumberStyle style);
CellFault parse_number(std::string_view text, NumberStyle style, float& out);

enum class DateStyle : std::uint8_t {
  iso,         ///< 2024-03-01
  year_first,  ///< 2024/03/01
  dotted,      ///< 01.03.2024
  day_first,   ///< 01/03/2024 is the first of March
  month_first  ///< 03/01/2024 is
};
/// The date as ISO text, with its time of day where it has one; nothing where the text is not of the style.
std::optional<std::string> iso_text(std::string_view text, DateStyle style);

/// Of true and false, t and f, yes and no, in any case.
std::optional<bool> boolean_of(std::string_view text);

/// The forms that a text may have, as a set of bits. What all cells of a column have in common tells its kind.
namespace forms {
inline constexpr std::uint32_t kPlain = 1;
inline constexpr std::uint32_t kThousands = 2;
inline constexpr std::uint32_t kDecimalComma = 4;
inline constexpr std::uint32_t kTrueFalse = 8;
inline constexpr std::uint32_t kYesNo = 16;
inline constexpr std::uint32_t kFirstDate = 32;  ///< the first of DateStyle; the others follow
inline constexpr std::uint32_t kBooleans = kTrueFalse | kYesNo;
inline constexpr std::uint32_t kDates = 31 * kFirstDate;
inline constexpr std::uint32_t kAll = 1023;

constexpr std::uint32_t of_date(DateStyle style) { return kFirstDate << static_cast<unsigned>(style); }
}  // namespace forms

/// Those of `asked` that the trimmed text has.
std::uint32_t forms_of(std::string_view text, std::uint32_t asked);

bool is_utf8(std::string_view text);
/// Every byte as the character of Latin-1 with its number.
std::string utf8_of_latin1(std::string_view text);

}  // namespace obverse
