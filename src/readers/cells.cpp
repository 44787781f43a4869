#include "readers/cells.h"

#include <algorithm>
#include <array>

#include <obverse/error.h>

#include "support/dates.h"
#include "support/text.h"

namespace obverse {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool may_begin_number(char c) { return is_digit(c) || c == '-' || c == '+' || c == '.'; }

char small(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool equal_words(std::string_view text, std::string_view word) {
  return text.size() == word.size() &&
         std::equal(text.begin(), text.end(), word.begin(), [](char a, char b) { return small(a) == b; });
}

/// 1 to 3 digits, then groups of three, at least one.
bool is_grouped(std::string_view digits, char mark) {
  std::size_t group = digits.find(mark);
  if (group == 0 || group > 3 || group == std::string_view::npos) return false;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool mark_due = i >= group && (i - group) % 4 == 0;
    if (mark_due ? digits[i] != mark : !is_digit(digits[i])) return false;
  }
  return (digits.size() - group) % 4 == 0;
}

/// The three numbers of 01.03.2024 12:30, and what is behind them.
std::optional<std::array<std::string_view, 4>> date_fields(std::string_view text, char mark) {
  std::array<std::string_view, 4> fields;
  for (std::size_t i = 0; i < 3; ++i) {
    std::size_t end = 0;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (end == 0 || end > 4) return std::nullopt;
    fields[i] = text.substr(0, end);
    text.remove_prefix(end);
    if (i == 2) break;
    if (text.empty() || text[0] != mark) return std::nullopt;
    text.remove_prefix(1);
  }
  fields[3] = text;
  return fields;
}

std::string_view zero_before(std::string_view digits) { return digits.size() == 1 ? "0" : ""; }

}  // namespace

bool is_listed_missing(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords{"?", "na", "n/a", "#n/a", "nan", "nat", "null"};
  return std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) { return equal_words(text, word); });
}

bool in_single_quotes(std::string_view text) { return text.size() > 1 && text.front() == '\'' && text.back() == '\''; }

std::optional<std::string> plain_number(std::string_view text, NumberStyle style) {
  if (style == NumberStyle::plain) return std::string(text);
  const char group = style == NumberStyle::thousands ? ',' : '.';
  const char point = style == NumberStyle::thousands ? '.' : ',';
  const bool sign = !text.empty() && (text[0] == '-' || text[0] == '+');
  const std::string_view number = text.substr(sign ? 1 : 0);
  const std::size_t end = std::min(number.find(point), number.size());
  std::string_view whole = number.substr(0, end);
  const std::string_view rest = number.substr(end);
  if (whole.find(group) != std::string_view::npos && !is_grouped(whole, group)) return std::nullopt;
  if (rest.size() > 1 && rest.find_first_of(",.", 1) != std::string_view::npos) return std::nullopt;
  std::string plain(text.substr(0, sign ? 1 : 0));
  std::copy_if(whole.begin(), whole.end(), std::back_inserter(plain), [&](char c) { return c != group; });
  if (!rest.empty()) plain.append(1, '.').append(rest.substr(1));
  return plain;
}

CellFault parse_number(std::string_view text, NumberStyle style, float& out) {
  if (style == NumberStyle::plain) return parse_cell(text, out);
  const auto plain = plain_number(text, style);
  return plain ? parse_cell(*plain, out) : CellFault::not_a_number;
}

std::optional<std::string> iso_text(std::string_view text, DateStyle style) {
  if (style == DateStyle::iso) return iso_date(text) ? std::optional<std::string>(text) : std::nullopt;
  const auto fields = date_fields(text, style == DateStyle::dotted ? '.' : '/');
  if (!fields) return std::nullopt;
  const bool year_first = style == DateStyle::year_first;
  const bool month_second = year_first || style != DateStyle::month_first;
  const std::string_view year = (*fields)[year_first ? 0 : 2];
  const std::string_view month = (*fields)[month_second ? 1 : 0];
  const std::string_view day = (*fields)[year_first ? 2 : month_second ? 0 : 1];
  if (year.size() != 4 || month.size() > 2 || day.size() > 2) return std::nullopt;
  std::string iso = cat(year, '-', zero_before(month), month, '-', zero_before(day), day);
  if (std::string_view time = trimmed((*fields)[3]); !time.empty()) {
    if (time.front() == 'T') time.remove_prefix(1);
    iso += cat(' ', zero_before(time.substr(0, time.find(':'))), time);
  }
  return iso_date(iso) ? std::optional(iso) : std::nullopt;
}

std::optional<bool> boolean_of(std::string_view text) {
  if (text.empty() || text.size() > 5) return std::nullopt;
  for (const std::string_view word : {"true", "t", "yes"}) {
    if (equal_words(text, word)) return true;
  }
  for (const std::string_view word : {"false", "f", "no"}) {
    if (equal_words(text, word)) return false;
  }
  return std::nullopt;
}

std::uint32_t forms_of(std::string_view text, std::uint32_t asked) {
  std::uint32_t found = 0;
  if (text.empty()) return found;
  if (!may_begin_number(text.front())) {
    float ignored = 0;
    const char first = small(text.front());
    const bool infinite = first == 'i' && parse_cell(text, ignored) == CellFault::not_finite;
    if (infinite) found |= asked & forms::kPlain;
    if ((asked & forms::kBooleans) == 0 || !boolean_of(text)) return found;
    return asked & (first == 'y' || first == 'n' ? forms::kYesNo : forms::kTrueFalse);
  }
  float ignored = 0;
  const auto fits = [&](NumberStyle style) {
    const CellFault fault = parse_number(text, style, ignored);
    return fault == CellFault::none || fault == CellFault::not_finite;
  };
  if ((asked & forms::kPlain) != 0 && fits(NumberStyle::plain)) {
    const std::string_view digits = text.substr(text[0] == '-' || text[0] == '+' ? 1 : 0);
    const bool comma = digits.find('.') == std::string_view::npos || is_grouped(digits, '.');
    found = asked & (forms::kPlain | forms::kThousands | (comma ? forms::kDecimalComma : 0));
  } else {
    if ((asked & forms::kThousands) != 0 && fits(NumberStyle::thousands)) found |= forms::kThousands;
    if ((asked & forms::kDecimalComma) != 0 && fits(NumberStyle::decimal_comma)) found |= forms::kDecimalComma;
  }
  if ((asked & forms::kDates) == 0) return found;
  for (const DateStyle style :
       {DateStyle::iso, DateStyle::year_first, DateStyle::dotted, DateStyle::day_first, DateStyle::month_first}) {
    if ((asked & forms::of_date(style)) != 0 && iso_text(text, style)) found |= forms::of_date(style);
  }
  return found;
}

bool is_utf8(std::string_view text) {
  const bool ascii = std::all_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x80; });
  return ascii || valid_utf8(text) == text;
}

std::string utf8_of_latin1(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      out += c;
    } else {
      out += static_cast<char>(0xC0 | (byte >> 6));
      out += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return out;
}

}  // namespace obverse
