// Dates and times as text.
#pragma once

#include <optional>
#include <string_view>

namespace obverse {

/// Seconds since 1970 of 2024-03-01, or with a time of day behind a T or a blank, 12:30 or 12:30:05.25, and at most a
/// Z; nothing where the text is no such date.
std::optional<double> iso_date(std::string_view text);

/// A time as people name it.
struct DateParts {
  double year = 0;
  double month = 0;    ///< 1 to 12
  double weekday = 0;  ///< 0 is Monday
  double hour = 0;     ///< 0 to 24, with its fraction
  double day = 0;      ///< since 1970, with its fraction
};
DateParts date_parts(double seconds);

}  // namespace obverse
