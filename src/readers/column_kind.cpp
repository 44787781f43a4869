#include "readers/column_kind.h"

#include <algorithm>

#include <obverse/error.h>

#include "support/text.h"

namespace obverse {
namespace {

constexpr std::size_t kFewRows = 20;
constexpr double kUnique = 0.9;
constexpr double kMostlyNumbers = 0.9;
constexpr double kWordsOfText = 5;
constexpr std::size_t kExact = std::size_t{1} << 24;  // whole numbers in float32

NumberStyle number_style_of(std::uint32_t seen, const ColumnOrigin& origin, std::vector<std::string>& notes) {
  if ((seen & forms::kPlain) != 0 || (seen & (forms::kThousands | forms::kDecimalComma)) == 0) {
    return NumberStyle::plain;
  }
  if (origin.kind && *origin.kind != ColumnKind::number) return NumberStyle::plain;
  const bool comma = (seen & forms::kDecimalComma) != 0 && (!origin.comma_separated || (seen & forms::kThousands) == 0);
  notes.push_back(cat("column '", origin.name, "' is read as numbers with ",
                      comma ? "decimal commas: 3,14 is 3.14" : "commas between thousands: 1,234 is 1234"));
  return comma ? NumberStyle::decimal_comma : NumberStyle::thousands;
}

DateStyle date_style_of(std::uint32_t seen) {
  for (const DateStyle style : {DateStyle::iso, DateStyle::year_first, DateStyle::dotted, DateStyle::day_first}) {
    if ((seen & forms::of_date(style)) != 0) return style;
  }
  return (seen & forms::of_date(DateStyle::month_first)) != 0 ? DateStyle::month_first : DateStyle::iso;
}

ColumnKind kind_of(const SeenTexts& seen, std::uint32_t common, std::string_view name,
                   std::vector<std::string>& notes) {
  constexpr std::uint32_t kNumbers = forms::kPlain | forms::kThousands | forms::kDecimalComma;
  const std::uint32_t either = forms::of_date(DateStyle::day_first) | forms::of_date(DateStyle::month_first);
  if (seen.present == 0 || (common & kNumbers) != 0) return ColumnKind::number;
  if ((common & forms::kBooleans) != 0) return ColumnKind::boolean;
  if ((common & either) == either) {
    notes.push_back(cat("column '", name, "' has dates in which day and month cannot be told apart, and is read as a ",
                        "category; write them as 2024-03-01"));
    return ColumnKind::category;
  }
  return (common & forms::kDates) != 0 ? ColumnKind::date : ColumnKind::category;
}

}  // namespace

bool SeenTexts::add(std::string_view text, std::size_t rows) {
  present += rows;
  if (forms != 0) forms &= forms_of(text, forms);
  if ((forms & forms::kPlain) != 0) {
    numbers += rows;
    return true;
  }
  words += rows * (1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ' ')));
  if (forms_of(text, forms::kPlain) == 0) return false;
  numbers += rows;
  return true;
}

TextReading reading_of(const SeenTexts& seen, const ColumnOrigin& origin, std::vector<std::string>& notes) {
  const std::uint32_t common = seen.present > 0 ? seen.forms : 0;
  TextReading reading;
  reading.number_style = number_style_of(common, origin, notes);
  reading.date_style = date_style_of(common);
  reading.kind = origin.kind ? *origin.kind : kind_of(seen, common, origin.name, notes);
  return reading;
}

bool is_spoilt_number(const SeenTexts& seen, std::size_t levels) {
  return levels > kFewRows && static_cast<double>(seen.numbers) >= kMostlyNumbers * static_cast<double>(seen.present);
}

std::string LeftOut::note(std::string_view column, std::string_view keep) const {
  return cat("column '", column, "' is left out: ", why, keepable ? cat("; keep it with ", keep) : "");
}

std::optional<LeftOut> left_out(const SeenTexts& seen, ColumnKind kind, std::size_t levels, bool asked) {
  if (seen.present == 0) return LeftOut{.reason = "empty", .why = "no value is there"};
  if (levels > kExact) {
    return LeftOut{.reason = "too many levels", .why = cat(with_commas(levels), " different values")};
  }
  if (asked || kind != ColumnKind::category) return std::nullopt;
  const auto present = static_cast<double>(seen.present);
  const auto different = static_cast<double>(levels);
  if (seen.present > kFewRows / 4 && static_cast<double>(seen.words) > kWordsOfText * present &&
      different > present / 2) {
    return LeftOut{.reason = "text", .why = "it is free text, hardly any of it twice", .keepable = true};
  }
  if (seen.present > kFewRows && different > kUnique * present) {
    return LeftOut{.reason = "identity",
                   .why = cat(with_commas(levels), " different values in ", with_commas(seen.present),
                              " rows tell rows apart and nothing else"),
                   .keepable = true};
  }
  return std::nullopt;
}

}  // namespace obverse
